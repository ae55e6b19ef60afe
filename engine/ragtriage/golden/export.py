"""A golden set in the standard dialect, whatever it was read from: as JSON lines, and as a table.

A line that speaks the standard dialect goes out in form, each value as it is spelled. Others are translated: their ids,
questions and labels get the standard names, everything else of them stays.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from ragtriage.errors import GoldenError
from ragtriage.files import read_file
from ragtriage.golden.base import GoldenSet
from ragtriage.golden.dialects import PROVENANCE, read_question
from ragtriage.golden.file import KEY_ORDER
from ragtriage.golden.fmt import in_form
from ragtriage.golden.merge import read_spelled
from ragtriage.golden.references import format_reference
from ragtriage.golden.spelled import Member, Spelled
from ragtriage.json_lines import load_json
from ragtriage.surrogates import clean_text
from ragtriage.types import Evidence, Place, Question

__all__ = ["COLUMNS", "as_csv", "as_jsonl", "evidence_json", "standard"]

_JSON_COLUMNS = frozenset(
    ("obsolete", "tags", "access", "answerable", "evidence", "relevant_chunk_ids", "relevant_doc_ids", "answer_must_mention",
     "answer_must_not_mention", "source", "other")
)  # fmt: skip
COLUMNS = (*KEY_ORDER, "other")
"""The columns of the table. Those that may hold more than text hold JSON; `other` is an object of the unknown keys."""

_IDS = ("qid", "id", "_id")
_TEXTS = ("question", "q", "text")
_LABELS = ("evidence", "relevant_chunk_ids", "relevant", "relevant_ids", "relevant_doc_ids")  # the first that has any counts
_STANDARD_LABELS = frozenset(("evidence", "relevant_chunk_ids", "relevant_doc_ids"))


def as_jsonl(golden: GoldenSet, questions: Iterable[Question]) -> bytes:
    """The questions as lines of the standard dialect. Raises GoldenError where the file they came from has changed since."""
    return b"".join(str(one).encode("utf-8", "surrogatepass") + b"\n" for one in standard(golden, questions))


def as_csv(golden: GoldenSet, questions: Iterable[Question]) -> bytes:
    """The questions as a table of `COLUMNS`: UTF-8, commas, quotes where needed. An empty cell is a key that is not there."""
    out = io.StringIO(newline="")
    writer = csv.writer(out)  # lines end as RFC 4180 wants it; with a line feed alone a carriage return would stand unquoted
    writer.writerow(COLUMNS)
    for one in standard(golden, questions):
        cells = {member.key: member.value for member in one.members}
        other = Spelled([member for member in one.members if member.key not in KEY_ORDER])
        if other.members:
            cells["other"] = str(other)
        writer.writerow([_cell(column, cells.get(column)) for column in COLUMNS])
    return clean_text(out.getvalue()).encode()


def standard(golden: GoldenSet, questions: Iterable[Question]) -> list[Spelled]:
    """Each question's line in the standard dialect, as it is spelled in the file."""
    try:
        lines = read_file(golden.path).split(b"\n")
    except OSError as error:
        raise GoldenError(f"{golden.path}: cannot be read: {error.strerror}") from error
    out = []
    for question in questions:
        read = read_spelled(lines[question.line - 1]) if question.line <= len(lines) else None
        if read is None or read[1] != question.qid:
            raise GoldenError(f"{golden.path}: was changed meanwhile; export it again")
        kept = [member for member in read[0].members if clean_text(member.key) in question.raw]
        one = in_form(Spelled(_translated(question, kept)))
        if not _says_the_same(one, question, golden.path):  # labels stand beside the file, and others in it
            one = in_form(Spelled(_relabelled(question, one.members)))
        out.append(one)
    return out


def _says_the_same(one: Spelled, question: Question, path: Path) -> bool:
    read = read_question(load_json(str(one), exact=True), where=str(path), line=question.line, needs=question.needs).question
    return read is not None and read.evidence == question.evidence


def _relabelled(question: Question, members: Iterable[Member]) -> list[Member]:
    """The members with these labels and no others."""
    labels = {*_LABELS, "references", *(("source",) if _says_where(question.raw) else ())}
    kept = [member for member in members if member.key not in labels]
    return [*kept, _member("evidence", evidence_json(question.evidence))] if question.evidence else kept


def evidence_json(evidence: Iterable[Evidence]) -> list[Any]:
    """Evidence as a golden file writes it, that reads back as the same."""
    return [_item(one) for one in evidence]


def _item(evidence: Evidence) -> Any:
    if not evidence.also and evidence.gain == 1:
        return format_reference(evidence.place)
    out = _place(evidence.place)
    if evidence.also:
        out["also"] = [format_reference(place) for place in evidence.also]
    if evidence.gain != 1:
        out["gain"] = int(evidence.gain) if evidence.gain.is_integer() else evidence.gain
    return out


def _place(place: Place) -> dict[str, Any]:
    reference = format_reference(place)
    if not isinstance(reference, str):
        return reference
    names = ("doc", "section", "page", "chunk")
    return {name: value for name in names if (value := getattr(place, name)) not in ("", None)}


def _translated(question: Question, members: Sequence[Member]) -> list[Member]:
    """The members under standard names: of two keys that mean the same, the one that counted."""
    raw = question.raw
    id_key, text_key = _first(raw, _IDS), _first(raw, _TEXTS)
    counted = _counted(question, text_key)
    kept = {text_key} if _says_where(raw) and not question.evidence else set()  # under "question" it would be a label
    out = [] if id_key == "qid" else [_member("qid", question.qid)]
    for member in members:
        if member.key == "qid" or member.key == id_key:
            out += [member] if member.key == id_key == "qid" else []
        elif member.key == text_key and member.key not in kept:
            out.append(member._replace(key="question", name='"question"') if text_key != "question" else member)
        elif member.key == "question" and text_key != "question":
            continue  # empty: another key holds the text
        elif counted in _STANDARD_LABELS or member.key not in (counted, "evidence"):
            out.append(member)
    if counted not in _STANDARD_LABELS:
        out.append(_member("evidence", evidence_json(question.evidence)))
    return [*out, *_stated(question, {member.key for member in out})]


def _counted(question: Question, text_key: str) -> str:
    """The key that the labels were read from; "evidence" where there are none, "" where they stand beside the file."""
    if not question.evidence:
        return "evidence"
    keys = (*(("references",) if text_key == "text" else ()), *_LABELS)
    found = next((key for key in keys if question.raw.get(key)), "")
    return found or ("source" if text_key == "question" and _says_where(question.raw) else "")


def _says_where(raw: Mapping[str, Any]) -> bool:
    """Whether `source` is a reference rather than where the question comes from."""
    source = raw.get("source")
    return isinstance(source, str | list) and source not in PROVENANCE


def _stated(question: Question, keys: set[str]) -> list[Member]:
    """What the file does not say on this line and the question has nevertheless: from beside it, or from the configuration."""
    stated: dict[str, Any] = {}
    if question.needs != ("any" if question.kind == "ambiguous" else "all"):
        stated["needs"] = question.needs
    if question.expected_answer:
        stated["expected_answer"] = question.expected_answer
    return [_member(key, value) for key, value in stated.items() if key not in keys]


def _member(key: str, value: Any) -> Member:
    return Member(key, f'"{key}"', json.dumps(value, ensure_ascii=False))


def _first(raw: Mapping[str, Any], names: Sequence[str]) -> str:
    """The first of the keys that says something."""
    for name in names:
        found = raw.get(name)
        if (isinstance(found, str) and found.strip()) or (isinstance(found, int) and not isinstance(found, bool)):
            return name
    return ""


def _cell(column: str, value: str | None) -> str:
    if value is None or column in _JSON_COLUMNS:
        return value or ""
    read = json.loads(value)
    return read if isinstance(read, str) else "" if read is None else value
