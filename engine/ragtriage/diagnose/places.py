"""Where a finding is: a passage or a part of it as `document:line`, with the words that stand there."""

from __future__ import annotations

import re
from typing import NamedTuple

import numpy as np

from ragtriage.chunking.base import Chunks
from ragtriage.types import Document, Span

__all__ = ["Place", "Places"]

_SHOWN = 240  # characters of a text that a finding quotes


class Place(NamedTuple):
    """`line` counts from 1, in the document's text as read. `text` is its beginning, on one line."""

    chunk_id: str
    doc_id: str
    line: int
    text: str


class Places:
    """Finds the places of one corpus. The line ends of a document are looked for once."""

    def __init__(self, chunks: Chunks) -> None:
        self._chunks = chunks
        self._line_ends: dict[str, np.ndarray] = {}

    def passage(self, row: int) -> Place:
        """Where the passage of a row begins."""
        return self._place(self._chunks.document_of(row), self._chunks.span(row), self._chunks.ids[row])

    def part(self, doc_row: int, span: Span) -> Place:
        """Where a part of a document is, and the last passage that begins at or before it; "" where none does."""
        document = self._chunks.corpus.documents[doc_row]
        rows = self._chunks.rows_of(document.doc_id)
        at = int(np.searchsorted(self._chunks.starts[rows.start : rows.stop], span.start, side="right")) - 1
        return self._place(document, span, self._chunks.ids[rows.start + at] if at >= 0 else "")

    def _place(self, document: Document, span: Span, chunk_id: str) -> Place:
        ends = self._line_ends.get(document.doc_id)
        if ends is None:
            ends = np.array([match.start() for match in re.finditer("\n", document.text)], dtype=np.int64)
            self._line_ends[document.doc_id] = ends
        line = int(np.searchsorted(ends, span.start)) + 1
        text = " ".join(document.text[span.start : min(span.end, span.start + 2 * _SHOWN)].split())
        return Place(chunk_id, document.doc_id, line, text if len(text) <= _SHOWN else text[: _SHOWN - 1].rstrip() + "…")
