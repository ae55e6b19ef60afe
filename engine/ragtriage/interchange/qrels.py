"""Judgements: which document answers which question, and how well. Read from TREC's form, BEIR's, or a table; written so."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from ragtriage.errors import InputError, Problem
from ragtriage.interchange.columns import columns
from ragtriage.interchange.lines import Faults
from ragtriage.interchange.writing import table, text_of

__all__ = ["Qrels", "read_qrels", "write_qrels"]


@dataclass(frozen=True, slots=True)
class Qrels:
    """`grades` by question and document, as bytes, in the file's order; `problems` are the lines that could not be used.

    A grade of 0 or less says that the document was looked at and is no answer. `form` is how the file was read.
    """

    path: Path
    grades: Mapping[bytes, Mapping[bytes, float]]
    form: str
    problems: tuple[Problem, ...] = ()

    @property
    def judgements(self) -> int:
        return sum(map(len, self.grades.values()))

    def as_dict(self) -> dict[str, dict[str, float]]:
        """The grades by question and document, as text."""
        return {text_of(qid): {text_of(doc): grade for doc, grade in docs.items()} for qid, docs in self.grades.items()}


def read_qrels(path: Path) -> Qrels:
    """Judgements from a file (also gzipped), or those of a BEIR folder.

    Four columns at white space are TREC's (question, iteration, document, grade); three are question, document, grade, parted
    by tabs, commas, semicolons or white space, with or without a line of names. Of a document that is judged twice the higher
    grade counts, which is said. Raises InputError where nothing can be read.
    """
    if path.is_dir():
        path = _of_folder(path)
    faults = Faults(str(path))
    grades: dict[bytes, dict[bytes, float]] = {}
    form = ""
    for part in columns(path, "qrels", faults):
        form = part.form.says
        for line, qid, doc, grade in zip(part.lines, part.qids, part.docs, part.values, strict=True):
            of_question = grades.get(qid)
            if of_question is None:
                grades[qid] = {doc: grade}
            elif of_question.setdefault(doc, grade) != grade:
                faults.note(line, "a document is judged twice for one question; the higher grade counts")
                of_question[doc] = max(grade, of_question[doc])
    if not grades:
        raise InputError("\n".join(map(str, faults.problems)) or f"{path}: holds no judgement", faults.problems)
    return Qrels(path, grades, form, faults.problems)


def _of_folder(folder: Path) -> Path:
    from ragtriage.golden.beir import find_qrels

    found = find_qrels(folder)
    if found is None:
        raise InputError(f"{folder}: holds no judgements (qrels.tsv, or qrels/test.tsv)")
    return found


def write_qrels(path: Path, grades: Mapping[str, Mapping[str, float]]) -> None:
    """Write judgements: `.csv` with names and commas, `.tsv` as BEIR has them, anything else in TREC's four columns.

    Replaces the file atomically. Raises InputError where an id cannot stand in such a file, StorageError.
    """
    from ragtriage.files import atomic_write

    atomic_write(path, qrels_bytes(grades, path.suffix, str(path)))


def qrels_bytes(grades: Mapping[str, Mapping[str, float]], form: str, where: str) -> bytes:
    """What `write_qrels` writes for a suffix; `where` names it in errors."""
    rows = [(qid, doc, f"{grade:.12g}") for qid, docs in grades.items() for doc, grade in docs.items()]
    if form == ".csv":
        return table([("qid", "doc", "grade"), *rows], ",", where)
    if form == ".tsv":
        return table([("query-id", "corpus-id", "score"), *rows], "\t", where)
    return table([(qid, "0", doc, grade) for qid, doc, grade in rows], " ", where)
