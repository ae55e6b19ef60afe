"""The ways in which people write a golden question down, each read into the same Question.

One function a dialect: it renames what is its own and leaves the rest to the shared fields below.

    standard   {"qid", "question", "relevant_chunk_ids", "relevant_doc_ids", "evidence", …}
    short      {"q", "relevant"} and {"id", "question", "relevant", "answerable"}
    sourced    {"question", "source": "file or [files]", "expected_answer", "relevant_ids"}
    beir       {"_id", "text", "answerable", "references"}
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, get_args

from ragtriage.errors import Problem
from ragtriage.golden.references import parse_evidence, parse_reference
from ragtriage.ids import question_id
from ragtriage.types import KINDS, Evidence, Needs, Place, Question, Split

__all__ = ["PROVENANCE", "Reading", "Written", "labels_in", "qid_of", "read_question"]

PROVENANCE = ("log", "ticket", "chat", "owner", "builder", "synthetic")
"""What `source.from` may say: where a question comes from."""

_QUESTION_KEYS = ("question", "q", "text")
_ID_KEYS = ("qid", "id", "_id")


class Reading(NamedTuple):
    """One line read. `question` is None where it has an error; `problems` also holds what is only worth knowing."""

    question: Question | None
    problems: tuple[Problem, ...]


def qid_of(value: Mapping[str, Any]) -> str:
    """The id of a line: as written, or `q-` and six letters of its text's hash. "" where it has neither."""
    for key in _ID_KEYS:
        found = value.get(key)
        if isinstance(found, str) and found.strip():
            return found
        if isinstance(found, int) and not isinstance(found, bool):
            return str(found)
    text = next((value[key] for key in _QUESTION_KEYS if isinstance(value.get(key), str)), "")
    return question_id(text) if text.strip() else ""


def read_question(value: Mapping[str, Any], *, where: str, line: int, needs: Needs = "all") -> Reading:
    """One object of a golden file in any dialect; `needs` is what holds where it says nothing."""
    fields = _Fields(value, where, line)
    if isinstance(value.get("question"), str):
        labels = _standard(fields) if not isinstance(value.get("source"), str | list) else _sourced(fields)
    elif "q" in value:
        labels = _standard(fields)
    elif "text" in value:
        labels = _beir(fields)
    else:
        labels = _standard(fields)
    question = fields.question(labels, needs)
    return Reading(question, tuple(fields.problems))


def _standard(fields: _Fields) -> tuple[Evidence, ...]:
    """`evidence` decides; without it the finest of the id lists does, and the others are only checked for agreement."""
    for key, read in _STANDARD.items():
        if labels := fields.evidence(key, read):
            return labels
    return ()


def _sourced(fields: _Fields) -> tuple[Evidence, ...]:
    """`source` as a string or list is a reference, unless it only says where an already labelled question comes from."""
    labels = _standard(fields)
    if labels or fields.value["source"] in PROVENANCE:
        return labels
    return fields.evidence("source", parse_reference)


def _beir(fields: _Fields) -> tuple[Evidence, ...]:
    """`references` are offset ranges with their text; judgements come from the qrels beside the file."""
    return fields.evidence("references", parse_reference) or _standard(fields)


def _chunk(value: Any) -> Place:
    value = str(value) if _is_whole(value) else value
    return Place(chunk=value) if isinstance(value, str) and value.strip() else parse_reference(value)


def _document(value: Any) -> Place:
    value = str(value) if _is_whole(value) else value
    return Place(doc=value) if isinstance(value, str) and value.strip() else parse_reference(value)


def _reference(value: Any) -> Place:
    return parse_reference(str(value) if _is_whole(value) else value)


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


_STANDARD: dict[str, Callable[[Any], Place]] = {
    "evidence": parse_reference,
    "relevant_chunk_ids": _chunk,
    "relevant": _reference,
    "relevant_ids": _reference,
    "relevant_doc_ids": _document,
}


class Written(NamedTuple):
    """The labels of a line as they are written: the key that decides ("" without labels), its items, and how one is read."""

    key: str
    items: list[Any]
    read: Callable[[Any], Place]


def labels_in(value: Mapping[str, Any]) -> Written:
    """Where a line's labels stand: its items are the evidence of the question that `read_question` makes of it, in order."""
    ways = dict(_STANDARD)
    if isinstance(value.get("question"), str):
        ways |= {"source": parse_reference} if isinstance(value.get("source"), str | list) else {}
    elif "q" not in value and "text" in value:
        ways = {"references": parse_reference, **ways}
    for key, read in ways.items():
        found = value.get(key)
        if found is not None and found != []:
            return Written(key, list(found) if isinstance(found, list) else [found], read)
    return Written("", [], parse_reference)


class _Fields:
    """Reads the keys of one object and collects what is wrong with them."""

    def __init__(self, value: Mapping[str, Any], where: str, line: int) -> None:
        self.value = value
        self.where = where
        self.line = line
        self.problems: list[Problem] = []

    def problem(self, key: str, message: str) -> None:
        self.problems.append(Problem(self.where, self.line, message, key))

    def warning(self, key: str, message: str) -> None:
        self.problems.append(Problem(self.where, self.line, message, key, "warning"))

    def question(self, labels: tuple[Evidence, ...], needs: Needs) -> Question | None:
        text = self.text()
        kind = self.string("kind")
        if kind and kind not in KINDS:
            self.warning("kind", f"{kind!r} is none of {', '.join(KINDS)}; it counts as no kind")
            kind = ""
        answerable = self.answerable(kind)
        if not answerable and labels:
            self.warning("answerable", "false, but there is evidence; the evidence is not used")
            labels = ()
        question = Question(
            qid=self.qid(),
            question=text,
            evidence=labels,
            answerable=answerable,
            needs=self.choice("needs", get_args(Needs), "any" if kind == "ambiguous" else needs),
            kind=next((known for known in KINDS if known == kind), ""),
            split=self.choice("split", get_args(Split), "dev"),
            tags=self.strings("tags"),
            access=self.strings("access") if self.value.get("access") is not None else None,
            query=self.string("query"),
            expected_answer=self.string("expected_answer"),
            must_mention=self.alternatives("answer_must_mention"),
            must_not_mention=self.strings("answer_must_not_mention"),
            source=self.source(),
            obsolete=self.obsolete(),
            line=self.line,
            raw=self.value,
        )
        return None if any(problem.severity == "error" for problem in self.problems) else question

    def text(self) -> str:
        for key in _QUESTION_KEYS:
            found = self.value.get(key)
            if isinstance(found, str) and found.strip():
                return found
            if found is not None:
                self.problem(key, "empty" if isinstance(found, str) else "a string is needed")
                return ""
        self.problem("question", "there is no question")
        return ""

    def qid(self) -> str:
        for key in _ID_KEYS:
            found = self.value.get(key)
            if found is not None and not isinstance(found, str) and not _is_whole(found):
                self.problem(key, "a string is needed")
        return qid_of(self.value)

    def answerable(self, kind: str) -> bool:
        found = self.value.get("answerable")
        if found is None:
            return kind != "unanswerable"
        if not isinstance(found, bool):
            self.problem("answerable", "true or false is needed")
            return True
        if found and kind == "unanswerable":
            self.warning("answerable", "true, but kind says unanswerable; it counts as answerable")
        return found

    def obsolete(self) -> bool:
        """`obsolete` says why or since when the question is asked no more; true will do."""
        found = self.value.get("obsolete")
        if found is not None and not isinstance(found, bool | str):
            self.problem("obsolete", "say why in a string, or true")
        return bool(found.strip() if isinstance(found, str) else found)

    def evidence(self, key: str, read: Callable[[Any], Place]) -> tuple[Evidence, ...]:
        found = self.value.get(key)
        if found is None:
            return ()
        items: Sequence[Any] = found if isinstance(found, list) else [found]
        out = []
        for number, item in enumerate(items, start=1):
            try:
                out.append(parse_evidence(item, read))
            except ValueError as error:
                self.problem(f"{key}[{number}]" if isinstance(found, list) else key, str(error))
        return tuple(out)

    def choice(self, key: str, choices: tuple[Any, ...], default: Any) -> Any:
        found = self.value.get(key)
        if found is None:
            return default
        if found not in choices:
            self.problem(key, f"{found!r} is not {' or '.join(choices)}")
            return default
        return found

    def string(self, key: str) -> str:
        found = self.value.get(key)
        if found is None or isinstance(found, str):
            return found or ""
        self.problem(key, "a string is needed")
        return ""

    def strings(self, key: str) -> tuple[str, ...]:
        found = self.value.get(key)
        if found is None:
            return ()
        items = found if isinstance(found, list) else [found]
        if not all(isinstance(item, str) or _is_whole(item) for item in items):
            self.problem(key, "a list of strings is needed")
            return ()
        return tuple(text for item in items if (text := str(item)).strip())

    def alternatives(self, key: str) -> tuple[tuple[str, ...], ...]:
        """A string is the one form that will do, a list inside the list holds alternatives."""
        found = self.value.get(key)
        if found is None:
            return ()
        out = []
        for item in found if isinstance(found, list) else [found]:
            forms = item if isinstance(item, list) else [item]
            good = all(
                isinstance(form, str | int | float) and not isinstance(form, bool) and str(form).strip() for form in forms
            )
            if not forms or not good:
                self.problem(key, "a list of strings, or of lists of alternatives, is needed")
                return ()
            out.append(tuple(str(form) for form in forms))
        return tuple(out)

    def source(self) -> Mapping[str, Any]:
        found = self.value.get("source")
        if isinstance(found, Mapping):
            return found
        if isinstance(found, str) and found in PROVENANCE:
            return {"from": found}
        if found is not None and not isinstance(found, str | list):
            self.problem("source", "an object, or a reference, is needed")
        return {}
