"""What a file of judgements or of a run looks like: TREC's columns, or a table with or without a line of names."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

__all__ = ["Form", "cells_of", "form_of"]

_QUESTION = ("qid", "queryid", "query", "question", "questionid", "topic")
_DOCUMENT = ("doc", "docid", "docno", "documentid", "document", "corpusid", "pid", "passageid", "chunk", "chunkid")
_NAMES: Mapping[str, Mapping[str, Sequence[str]]] = {
    "run": {"qid": _QUESTION, "doc": _DOCUMENT, "score": ("score", "sim", "similarity"), "rank": ("rank", "position")},
    "qrels": {"qid": _QUESTION, "doc": _DOCUMENT, "score": ("score", "grade", "relevance", "rel", "label", "relevant")},
}
_TREC = {"run": (6, 0, 2, 4), "qrels": (4, 0, 2, 3)}


class Form(NamedTuple):
    """How a line is cut and which of its `width` cells mean what. `by` None cuts at white space.

    `ranked`: the value is a rank (1 is best), not a score. `named`: the first line holds names.
    """

    says: str
    by: bytes | None
    width: int
    qid: int
    doc: int
    value: int
    ranked: bool = False
    named: bool = False


def form_of(lines: Iterable[bytes], kind: str) -> Form | None:
    """The form of a "run" or of "qrels", told by the first of `lines` that has one; None where none has.

    Three columns without names are question, document, value. Of a run the value is a rank where those of its first question
    count 1, 2, 3…, as MS MARCO's runs have it, else a score.
    """
    filled = [line for line in lines if line.strip()]
    for place, line in enumerate(filled):
        if place == 0 and (named := _named(line, kind)) is not None:
            return named
        if (form := _unnamed(line, kind)) is not None:
            ranked = kind == "run" and form.width == 3 and _counts(filled[place:], form)
            return form._replace(ranked=True, says="ranks") if ranked else form
    return None


def cells_of(line: bytes, by: bytes | None) -> list[bytes]:
    """The cells of one line, without white space around them. Quotes are read where commas or semicolons part the cells."""
    if by is None:
        return line.split()
    if b'"' in line and by != b"\t":
        import csv

        try:
            text = next(csv.reader([line.decode("utf-8", "surrogateescape")], delimiter=by.decode()), [])
        except csv.Error:
            return []
        return [cell.strip().encode("utf-8", "surrogateescape") for cell in text]
    return [cell.strip() for cell in line.split(by)]


def _named(line: bytes, kind: str) -> Form | None:
    """The form that a line of names gives; None where it is none."""
    for by in (b"\t", b",", b";", None):
        names = [_plain(cell) for cell in cells_of(line, by)]
        at = {
            meaning: next((names.index(name) for name in known if name in names), None)
            for meaning, known in _NAMES[kind].items()
        }
        qid, doc, score, rank = at["qid"], at["doc"], at["score"], at.get("rank")
        value = score if score is not None else rank
        if qid is not None and doc is not None and value is not None:
            says = "ranks" if score is None else "scores" if kind == "run" else "table"
            return Form(says, by, len(names), qid, doc, value, score is None, True)
    return None


def _unnamed(line: bytes, kind: str) -> Form | None:
    width, qid, doc, value = _TREC[kind]
    for by in (None, b"\t"):
        cells = cells_of(line, by)
        if len(cells) == width and _is_number(cells[value]):
            return Form("TREC", None, width, qid, doc, value)
    for by in (b"\t", b",", b";", None):
        cells = cells_of(line, by)
        if len(cells) == 3 and _is_number(cells[2]):
            return Form("scores" if kind == "run" else "table", by, 3, 0, 1, 2)
    return None


def _counts(lines: Sequence[bytes], form: Form) -> bool:
    """Whether the values of the first question count up from 1."""
    rows = [cells for line in lines if len(cells := cells_of(line, form.by)) == form.width]
    values = [cells[form.value] for cells in rows if cells[form.qid] == rows[0][form.qid]]
    return values == [b"%d" % rank for rank in range(1, len(values) + 1)]


def _is_number(cell: bytes) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True


def _plain(cell: bytes) -> str:
    return cell.decode("utf-8", "replace").strip().lower().replace("-", "").replace("_", "").replace(" ", "")
