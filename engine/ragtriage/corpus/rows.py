"""Parsed files as plain JSON values, for the caches, and back."""

from __future__ import annotations

import hashlib
from functools import lru_cache
from typing import Any, TypeAlias

import orjson

from ragtriage.corpus.base import Parsed, ParsedFile, Skipped
from ragtriage.errors import Problem
from ragtriage.types import Cut, Document, Section, Span

__all__ = ["Row", "digest_of", "document_of", "file_to_rows", "problem_of", "skipped_of"]

_NONE: list[Any] = []  # shared by all rows without sections or pages; nobody changes a row
_WHOLE = 1  # instead of cuts: the document is one ready-made chunk of its own name, as all million of a BEIR folder are

Row: TypeAlias = list[Any]
"""[doc_id, title, text, sections, pages, access, cuts] and, at the end, the digest of the six after the id."""


def file_to_rows(parsed: ParsedFile) -> dict[str, Any]:
    """`{"documents": [Row], "problems": […], "skipped": […]}`. `parsed` has no documents afterwards: each goes as soon as its
    row is there, since twice a million would weigh too much."""
    documents = []
    parsed.documents.reverse()
    while parsed.documents:
        documents.append(_row(parsed.documents.pop()))
    problems = [[item.where, item.line, item.message, item.key, item.severity] for item in parsed.problems]
    return {
        "documents": documents,
        "problems": problems,
        "skipped": [list(item) for item in parsed.skipped],
    }


def _row(parsed: Parsed) -> Row:
    sections = [
        [list(item.path), item.span.start, item.span.end, item.anchor, item.level] for item in parsed.sections
    ] or _NONE  # fmt: skip
    row: Row = [
        parsed.doc_id,
        parsed.title,
        parsed.text,
        sections,
        [list(page) for page in parsed.pages] or _NONE,
        None if parsed.access is None else list(parsed.access),
        None if parsed.cuts is None else [[cut.chunk_id, cut.span.start, cut.span.end] for cut in parsed.cuts],
    ]
    row.append(hashlib.sha256(orjson.dumps(row[1:])).hexdigest()[:32])
    if parsed.cuts == (Cut(parsed.doc_id, Span(0, len(parsed.text))),):
        row[6] = _WHOLE
    return row


def digest_of(row: Row, doc_id: str, title: str) -> str:
    """Hash of everything about a document: of its row, and of what the row leaves to its file's name."""
    if row[0] == doc_id and row[1] == title:
        return str(row[7])
    return hashlib.sha256(orjson.dumps([row[7], title])).hexdigest()[:32]


def document_of(row: Row, doc_id: str, title: str, source: str) -> Document:
    """The Document that a row describes."""
    _, _, text, sections, pages, access, cuts, _ = row
    if cuts == _WHOLE:
        cuts = [[doc_id, 0, len(text)]]
    return Document(
        doc_id,
        title,
        text,
        source,
        tuple([Section(tuple(path), Span(start, end), anchor, level) for path, start, end, anchor, level in sections]),
        tuple([Span(start, end) for start, end in pages]),
        None if access is None else tuple(access),
        None if cuts is None else tuple([Cut(chunk_id, _span(start, end)) for chunk_id, start, end in cuts]),
    )


@lru_cache(maxsize=20_000)
def _span(start: int, end: int) -> Span:
    """One object for equal spans: ready-made chunks that are whole documents start at 0, all of them."""
    return Span(start, end)


def problem_of(row: Row) -> Problem:
    """The Problem that a row describes."""
    where, line, message, key, severity = row
    return Problem(where, line, message, key, severity)


def skipped_of(row: Row) -> Skipped:
    """The Skipped that a row describes."""
    return Skipped(*row)
