"""A report of a bad answer, and how it stands in inbox.jsonl."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ragtriage.errors import GoldenError
from ragtriage.inbox.masking import is_masked, mask

__all__ = ["LONG", "SHORT", "UNSAID", "Report", "ReportPassage", "identity", "report_id", "same_anywhere"]

_LETTERS = "23456789abcdefghjkmnpqrstuvwxyz"
_TEXTS = ("id", "from", "ref", "at", "text", "question", "answer", "feedback", "expected")
UNSAID = "log"
"""The source of a report of which nobody said where it comes from."""

SHORT, LONG = 6, 12
"""Letters of a report's id, and of one whose short id belongs to another report."""


@dataclass(frozen=True, slots=True)
class ReportPassage:
    """A text that the production system had, or that a dataset names as evidence. What was not said is "" or None.

    `rank` counts from 1; `doc` and `id` are as that system writes them.
    """

    doc: str = ""
    text: str = ""
    rank: int | None = None
    id: str = ""

    def to_dict(self) -> dict[str, Any]:
        """What was said of it."""
        values = {"doc": self.doc, "text": self.text, "rank": self.rank, "id": self.id}
        return {name: value for name, value in values.items() if value not in ("", None)}


@dataclass(frozen=True, slots=True)
class Report:
    """One report. `text` is what the person wrote, never empty; `question` what the production system was asked, where known.

    `source` is a word of `golden.dialects.PROVENANCE` (the file's `from`), `ref` its number there. `expected`, `mentions` (each
    with its alternatives) and `evidence` come from datasets that say what a right answer is. `masked` has the kind of every
    string that was masked, in order. A `synthetic` question was written by a model. `extra` holds what was not understood.
    """

    id: str
    text: str
    source: str = ""
    ref: str = ""
    at: str = ""
    question: str = ""
    answer: str = ""
    passages: tuple[ReportPassage, ...] = ()
    feedback: str = ""
    expected: str = ""
    mentions: tuple[tuple[str, ...], ...] = ()
    evidence: tuple[ReportPassage, ...] = ()
    masked: tuple[str, ...] = ()
    synthetic: bool = False
    extra: Mapping[str, Any] = field(default_factory=dict)

    @property
    def wording(self) -> str:
        """What the person wrote first: the question as it was asked, else the whole text."""
        return self.question or self.text

    def to_dict(self) -> dict[str, Any]:
        """The line of the inbox. What only some reports have is left out where it says nothing."""
        out: dict[str, Any] = {
            "id": self.id, "from": self.source, "ref": self.ref, "at": self.at, "text": self.text,
            "question": self.question or None, "answer": self.answer or None,
            "passages": [passage.to_dict() for passage in self.passages], "feedback": self.feedback or None,
        }  # fmt: skip
        some: dict[str, Any] = {
            "expected": self.expected,
            "mentions": [choice[0] if len(choice) == 1 else list(choice) for choice in self.mentions],
            "evidence": [passage.to_dict() for passage in self.evidence],
            "masked": list(self.masked),
            "synthetic": self.synthetic,
            "extra": dict(self.extra),
        }
        return {**out, **{name: value for name, value in some.items() if value}, "state": "open", "qid": None}

    @classmethod
    def from_dict(cls, value: Mapping[str, Any]) -> Report:
        """The report of a line. Raises GoldenError that names the key."""
        texts = {}
        for name in _TEXTS:
            found = value.get(name)
            if found is not None and not isinstance(found, str):
                raise GoldenError(f"{name}: a string is needed")
            texts[name] = found or ""
        if not texts["id"]:
            raise GoldenError("id: a report needs one")
        text = texts["text"] or texts["question"]
        if not text.strip():
            raise GoldenError("text: a report needs a text or a question")
        masked, extra = value.get("masked") or [], value.get("extra") or {}
        if not isinstance(masked, list) or not all(isinstance(kind, str) for kind in masked):
            raise GoldenError("masked: a list of strings is needed")
        if not isinstance(extra, Mapping):
            raise GoldenError("extra: an object is needed")
        return cls(
            texts["id"], text, texts["from"], texts["ref"], texts["at"], texts["question"], texts["answer"],
            _passages(value, "passages"), texts["feedback"], texts["expected"], _mentions(value.get("mentions") or []),
            _passages(value, "evidence"), tuple(masked), value.get("synthetic") is True, extra,
        )  # fmt: skip


def _passages(value: Mapping[str, Any], name: str) -> tuple[ReportPassage, ...]:
    found = value.get(name) or []
    if not isinstance(found, list):
        raise GoldenError(f"{name}: a list is needed")
    out = []
    for number, item in enumerate(found, start=1):
        if not isinstance(item, Mapping):
            raise GoldenError(f"{name}[{number}]: an object is needed")
        parts = {key: item.get(key) or "" for key in ("doc", "text", "id")}
        rank = item.get("rank")
        if not all(isinstance(part, str) for part in parts.values()) or (rank is not None and type(rank) is not int):
            raise GoldenError(f"{name}[{number}]: doc, text and id are strings, rank is a whole number")
        out.append(ReportPassage(parts["doc"], parts["text"], rank, parts["id"]))
    return tuple(out)


def _mentions(found: Any) -> tuple[tuple[str, ...], ...]:
    out = []
    for item in found if isinstance(found, list) else [found]:
        forms = item if isinstance(item, list) else [item]
        if not forms or not all(isinstance(form, str) for form in forms):
            raise GoldenError("mentions: a list of strings, or of lists of alternatives, is needed")
        out.append(tuple(forms))
    return tuple(out)


def identity(source: str, ref: str, text: str) -> tuple[str, ...]:
    """What makes two reports one: where it comes from with its number there, else its text.

    A number that is masked, an address for example, tells nobody apart, so the text does. The text counts as masked, so that
    a report is the same whether or not it was masked when it came.
    """
    if number := _number(ref):
        return ("ref", source, number)
    return ("text", _words(text))


def same_anywhere(ref: str, text: str) -> tuple[str, ...]:
    """What makes two reports one where nobody said of one of them where it comes from: their number with their text. A file
    that is imported with `--from` and without is the same file. Empty for a report without a number: its text is its identity.
    """
    number = _number(ref)
    return ("both", number, _words(text)) if number else ()


def _number(ref: str) -> str:
    hidden = mask(ref).text
    return "" if is_masked(hidden) else hidden.strip()


def _words(text: str) -> str:
    return " ".join(mask(text).text.split())


def report_id(same: tuple[str, ...], length: int = SHORT) -> str:
    """`r-` and letters of the hash of an identity: the same report on two branches has one id."""
    data = "\0".join(same).encode("utf-8", "surrogatepass")
    number = int.from_bytes(hashlib.sha256(data).digest(), "big")
    out = []
    for _ in range(length):
        number, digit = divmod(number, len(_LETTERS))
        out.append(_LETTERS[digit])
    return "r-" + "".join(out)
