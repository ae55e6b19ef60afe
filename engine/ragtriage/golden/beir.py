"""A BEIR folder as a golden set: queries.jsonl, its relevance judgements, and answers.jsonl where there is one.

A judgement above 0 is an item of evidence: the chunk whose id is the judged document's, with the grade as gain. A folder with
documents.jsonl whose queries carry `references` is read as documents with quotes at offsets, and its judgements are ignored.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from ragtriage.errors import GoldenError, Problem
from ragtriage.golden.base import GoldenSet, read_lines, repeated_in
from ragtriage.golden.dialects import qid_of
from ragtriage.ids import fingerprint, sha256_hex
from ragtriage.log_lines import LogLine, parse_log
from ragtriage.types import Evidence, Place, Question

__all__ = ["find_qrels", "has_references", "read_beir"]


class _Judged(NamedTuple):
    """Grades by question and document, in the file's order."""

    grades: dict[str, dict[str, float]]
    problems: list[Problem]


def read_beir(folder: Path, *, qrels: Path | None = None) -> GoldenSet:
    """Read `folder`; `qrels` names the judgements where there are several. Any one item satisfies a question.

    `answerable` counts where it is written; null, or no judgement above 0, is an unlabelled question. Raises GoldenError
    where queries or named judgements cannot be read.
    """
    queries = folder / "queries.jsonl"
    data = _bytes(queries)
    lines, problems = parse_log(data, str(queries))
    quoted = (folder / "documents.jsonl").is_file() and has_references(lines)
    source = None if quoted else find_qrels(folder, qrels)
    judgements = _bytes(source) if source else b""
    judged = _read_qrels(judgements, str(source))
    answers_path = folder / "answers.jsonl"
    answers = answers_path.read_bytes() if answers_path.is_file() else b""
    expected = _read_answers(answers, str(answers_path), problems)

    plain = [_plain(line, quoted) for line in lines]
    read = read_lines(plain, where=str(queries), needs="any", repeated=repeated_in(data, lines))
    questions = [_complete(question, judged.grades, expected, quoted) for question in read.questions]
    problems += read.problems
    known = {qid_of(value) for _, value in lines}
    if strays := [qid for qid in judged.grades if qid not in known]:
        message = f"{len(strays)} judged questions are not in queries.jsonl, the first is {strays[0]}"
        problems.append(Problem(str(source), 0, message, severity="warning"))
    problems += judged.problems
    seal = fingerprint([sha256_hex(data), sha256_hex(judgements), sha256_hex(answers), quoted])
    return GoldenSet(queries, tuple(questions), tuple(problems), seal, read.unused)


def has_references(lines: list[LogLine]) -> bool:
    """Whether any query says where in a document its answer stands."""
    return any(value.get("references") for _, value in lines)


def find_qrels(folder: Path, named: Path | None = None) -> Path | None:
    """The judgements to use: the named file (also looked for in the folder), qrels.tsv, qrels/test.tsv, or the only one there.

    None where there are none. Raises GoldenError where the named one is missing or several stand side by side.
    """
    if named is not None:
        for path in (named, folder / named, folder / "qrels" / named):
            if path.is_file():
                return path
        raise GoldenError(f"{named}: there is no such file, here or in {folder}")
    for path in (folder / "qrels.tsv", folder / "qrels" / "test.tsv"):
        if path.is_file():
            return path
    others = sorted((folder / "qrels").glob("*.tsv")) if (folder / "qrels").is_dir() else []
    if len(others) > 1:
        names = ", ".join(path.name for path in others)
        raise GoldenError(f"{folder}/qrels: several sets of judgements ({names}); choose one with --qrels")
    return others[0] if others else None


def _bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        raise GoldenError(f"{path}: there is no such file") from None
    except OSError as error:
        raise GoldenError(f"{path}: cannot be read: {error.strerror}") from error


def _plain(line: LogLine, quoted: bool) -> LogLine:
    """A query without keys that mean something else in BEIR files than in a golden set."""
    value = line.value
    drop = {key for key in ("split", "kind", "access", "needs", "source", "tags") if not _usable(key, value.get(key))}
    if not quoted:
        drop.add("references")
    return LogLine(line.line, {key: item for key, item in value.items() if key not in drop}) if drop else line


def _usable(key: str, item: Any) -> bool:
    known: Mapping[str, tuple[str, ...]] = {"split": ("dev", "holdout"), "needs": ("all", "any")}
    if key in known:
        return item in known[key]
    if key == "source":
        return isinstance(item, Mapping)
    return isinstance(item, str) if key == "kind" else isinstance(item, list)


def _complete(
    question: Question, grades: Mapping[str, Mapping[str, float]], expected: Mapping[str, str], quoted: bool
) -> Question:
    raw = question.raw
    if not quoted and question.answerable and raw.get("answerable", True) is not None:
        labels = tuple(Evidence(Place(chunk=doc), (), gain) for doc, gain in grades.get(question.qid, {}).items() if gain > 0)
    elif raw.get("answerable", True) is None:
        labels = ()
    else:
        labels = question.evidence
    answer = question.expected_answer or expected.get(question.qid, "")
    return dataclasses.replace(question, evidence=labels, expected_answer=answer)


def _read_qrels(data: bytes, where: str) -> _Judged:
    judged = _Judged({}, [])
    for number, cells in _rows(data):
        if len(cells) == 4:  # TREC's own form: question, iteration, document, grade
            del cells[1]
        try:
            qid, doc, score = cells
            grade = float(score)
        except ValueError:
            if number > 1:  # the first line may be a header
                judged.problems.append(Problem(where, number, "question, document and grade are needed, separated by tabs"))
            continue
        if not math.isfinite(grade):
            judged.problems.append(Problem(where, number, "the grade is not a finite number"))
            continue
        of_question = judged.grades.setdefault(qid, {})
        if of_question.get(doc, grade) != grade:
            message = f"{doc} is judged twice for {qid}, as {of_question[doc]:g} and {grade:g}; the higher counts"
            judged.problems.append(Problem(where, number, message, severity="warning"))
            grade = max(grade, of_question[doc])
        of_question[doc] = grade
    return judged


def _rows(data: bytes) -> Iterator[tuple[int, list[str]]]:
    """Cells of each line that has any: split at tabs where there are enough of them, else at white space."""
    for number, line in enumerate(data.decode("utf-8-sig", "replace").split("\n"), start=1):
        cells = [cell.strip() for cell in line.split("\t")]
        if len(cells) < 3:
            cells = line.split()
        if cells and any(cells):
            yield number, cells


def _read_answers(data: bytes, where: str, problems: list[Problem]) -> dict[str, str]:
    lines, bad = parse_log(data, where)
    problems += bad
    out: dict[str, str] = {}
    for _, value in lines:
        answer = value.get("answer")
        if not isinstance(answer, str):
            several = value.get("answers")
            answer = next((item for item in several if isinstance(item, str)), "") if isinstance(several, list) else ""
        if answer.strip():
            out[qid_of(value)] = answer
    return out
