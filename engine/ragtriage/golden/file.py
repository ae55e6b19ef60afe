"""golden.jsonl: one question a line, in the file's order. Read with all its problems at once; changed one line at a time.

A change touches its own line and leaves every other byte as it stands. It is made under the folder's lock from what the file
holds at that moment, so that two processes never lose each other's questions.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from ragtriage.errors import GoldenError
from ragtriage.files import read_file, rewrite
from ragtriage.golden.base import GoldenSet, read_lines, repeated_in
from ragtriage.golden.beir import read_beir
from ragtriage.golden.dialects import qid_of, read_question
from ragtriage.ids import fingerprint, sha256_hex
from ragtriage.json_lines import dump_spaced, load_json
from ragtriage.log_lines import parse_log
from ragtriage.surrogates import clean_text
from ragtriage.types import Needs, Question

__all__ = [
    "KEY_ORDER",
    "LINE_ORDER",
    "GoldenSet",
    "Replacement",
    "append_question",
    "read_beir",
    "read_golden",
    "remove_question",
    "replace_question",
    "replace_questions",
]

KEY_ORDER = (
    "qid", "question", "query", "kind", "split", "expect", "obsolete", "tags", "access", "needs", "answerable",
    "evidence", "relevant_chunk_ids", "relevant_doc_ids", "expected_answer", "answer_must_mention",
    "answer_must_not_mention", "source",
)  # fmt: skip
"""The keys of a question as ragtriage writes it."""

LINE_ORDER = (
    "qid", "id", "_id", "question", "q", "text", "query", "kind", "split", "expect", "obsolete", "tags", "access", "needs",
    "answerable", "evidence", "references", "relevant_chunk_ids", "relevant", "relevant_ids", "relevant_doc_ids",
    "expected_answer", "answer_must_mention", "answer_must_not_mention", "source",
)  # fmt: skip
"""The same with the keys of the other dialects where they belong; unknown keys stand behind these, in their own order."""


def read_golden(path: Path, *, needs: Needs = "all") -> GoldenSet:
    """Read a golden file. Bad lines become problems; a file that cannot be read at all raises GoldenError."""
    try:
        data = read_file(path)
    except FileNotFoundError:
        raise GoldenError(f"{path}: there is no golden set yet; `ragtriage add` starts one") from None
    except OSError as error:
        raise GoldenError(f"{path}: cannot be read: {error.strerror}") from error
    lines, problems = parse_log(data, str(path))
    read = read_lines(lines, where=str(path), needs=needs, repeated=repeated_in(data, lines))
    problems = sorted([*problems, *read.problems], key=lambda problem: problem.line)
    return GoldenSet(path, tuple(read.questions), tuple(problems), fingerprint([sha256_hex(data), needs]), read.unused)


def append_question(path: Path, obj: Mapping[str, Any]) -> Question:
    """Add a question at the end; it is on disk when this returns. Gives it an id where it has none.

    Raises GoldenError where it cannot be used or its id is taken, StorageError where the disk would not take it.
    """
    obj = _ordered(obj)
    question = _valid(path, obj)
    new = _line(path, obj)

    line = 0

    def change(old: bytes) -> bytes:
        nonlocal line
        if numbers := [number for number, qid in _ids(old) if qid == question.qid]:
            raise GoldenError(f"{path}: {question.qid} is already there, on line {_listed(numbers)}; nothing was added")
        data = (old if not old or old.endswith(b"\n") else old + b"\n") + new
        line = data.count(b"\n")
        return data

    rewrite(path, change)
    return dataclasses.replace(question, line=line)


def replace_question(path: Path, qid: str, obj: Mapping[str, Any], *, expected: Mapping[str, Any] | None = None) -> None:
    """Put `obj` on the line of `qid`, its keys in the order they have there; every other line stays byte for byte.

    With `expected` only where the line still is that object. Raises GoldenError, StorageError.
    """
    replace_questions(path, {qid: Replacement(obj, expected)})


class Replacement(NamedTuple):
    """What a question is to be, and what its line has to be until then (None: whatever it is)."""

    obj: Mapping[str, Any]
    expected: Mapping[str, Any] | None = None


def replace_questions(path: Path, changes: Mapping[str, Replacement]) -> None:
    """`replace_question` for several, all of them or none."""
    ready = {}
    for qid, change in changes.items():
        obj = _ordered(change.obj)
        ready[qid] = (obj, _valid(path, obj).qid)
        _line(path, obj)  # what cannot be written is said before anything is locked

    def change_all(old: bytes) -> bytes:
        lines = old.split(b"\n")
        ids = _numbers(old)
        for qid, (obj, new_qid) in ready.items():
            if new_qid != qid and (numbers := ids.get(new_qid)):
                raise GoldenError(f"{path}: {new_qid} is already there, on line {_listed(numbers)}; nothing was changed")
            at = _only(path, ids, qid) - 1
            there = _expected(path, qid, lines[at], changes[qid].expected)
            new = _line(path, {**{key: obj[key] for key in there if key in obj}, **obj})
            bom = b"\xef\xbb\xbf" if lines[at].startswith(b"\xef\xbb\xbf") else b""
            lines[at] = bom + new[:-1] + (b"\r" if lines[at].endswith(b"\r") else b"")
        return b"\n".join(lines)

    rewrite(path, change_all)


def remove_question(path: Path, qid: str, *, expected: Mapping[str, Any] | None = None) -> None:
    """Take the line of `qid` out; every other line stays byte for byte. `expected` as in `replace_question`."""

    def change(old: bytes) -> bytes:
        lines = old.split(b"\n")
        at = _only(path, _numbers(old), qid) - 1
        _expected(path, qid, lines[at], expected)
        del lines[at]
        return b"\n".join(lines)

    rewrite(path, change)


def _expected(path: Path, qid: str, line: bytes, expected: Mapping[str, Any] | None) -> dict[str, Any]:
    """The object on a line, which must be `expected` where that is given."""
    there: dict[str, Any] = load_json(line, exact=True)
    if expected is not None and there != dict(expected):
        raise GoldenError(f"{path}: {qid} was changed meanwhile; nothing was written")
    return there


def _only(path: Path, ids: Mapping[str, list[int]], qid: str) -> int:
    numbers = ids.get(qid, [])
    if not numbers:
        raise GoldenError(f"{path}: there is no question {qid}; it may have been removed meanwhile")
    if len(numbers) > 1:
        raise GoldenError(f"{path}: {qid} is on lines {_listed(numbers)}; remove or rename all but one first")
    return numbers[0]


def _numbers(data: bytes) -> dict[str, list[int]]:
    """The lines of each id."""
    found: dict[str, list[int]] = {}
    for number, qid in _ids(data):
        found.setdefault(qid, []).append(number)
    return found


def _ids(data: bytes) -> Iterable[tuple[int, str]]:
    for number, raw in enumerate(data.split(b"\n"), start=1):
        if not raw.strip():
            continue
        try:
            value = load_json(raw)
        except ValueError:
            continue
        if isinstance(value, dict) and (qid := qid_of(value)):
            yield number, qid


def _ordered(obj: Mapping[str, Any]) -> dict[str, Any]:
    """A question's keys in their usual order, unknown ones after them, with an id and without lone surrogates."""
    value = _clean(dict(obj))
    if not any(key in value for key in ("qid", "id", "_id")) and (qid := qid_of(value)):
        value["qid"] = qid
    known = {key: value[key] for key in LINE_ORDER if key in value}
    return {**known, **{key: item for key, item in value.items() if key not in known}}


def _clean(value: Any) -> Any:
    if isinstance(value, str):
        return clean_text(value)
    if isinstance(value, list | tuple):
        return [_clean(item) for item in value]
    if isinstance(value, Mapping):
        return {_clean(key): _clean(item) for key, item in value.items()}
    return value


def _valid(path: Path, obj: Mapping[str, Any]) -> Question:
    question, problems = read_question(obj, where=str(path), line=0)
    if question is None:
        raise GoldenError.of([problem for problem in problems if problem.severity == "error"])
    return question


def _line(path: Path, obj: Mapping[str, Any]) -> bytes:
    try:
        return dump_spaced(obj)
    except (TypeError, ValueError, RecursionError) as error:
        raise GoldenError(f"{path}: this question cannot be written as JSON: {error}") from None


def _listed(numbers: list[int]) -> str:
    return ", ".join(map(str, numbers))
