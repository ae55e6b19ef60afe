"""A chunker's border, and the chunks of a corpus as columns."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple, Protocol, overload

import numpy as np
from numpy.typing import NDArray

from ragtriage.corpus.base import Corpus
from ragtriage.corpus.sections import heading_at
from ragtriage.types import AlsoAt, Chunk, Document, Span

__all__ = ["Chunker", "Chunks", "Columns", "Piece", "TokenOffsets"]

TokenOffsets = NDArray[np.int32]
"""int32[n, 2]: [start, end) in code points of each token of a text, ascending by start, no special tokens."""


class Piece(NamedTuple):
    """One cut: `tokens` are those that start inside `span`."""

    span: Span
    tokens: int


class Chunker(Protocol):
    """Cuts documents. `spec` tells its configuration, as in `recursive(size=200)`: same spec, same pieces."""

    @property
    def spec(self) -> str: ...

    def cut(self, document: Document, tokens: TokenOffsets) -> list[Piece]:
        """Pieces that ascend and together cover every character of the text that is not white space."""
        ...


class Columns(NamedTuple):
    """What is stored of n chunks over m documents, in reading order.

    `doc_rows`, `starts`, `ends`, `tokens` (of the text alone), `indexed_tokens` (prefix, text and two special tokens) and
    `prefix_rows` (into `prefixes`, -1: none) are int32[n].
    """

    doc_rows: NDArray[np.int32]
    starts: NDArray[np.int32]
    ends: NDArray[np.int32]
    tokens: NDArray[np.int32]
    indexed_tokens: NDArray[np.int32]
    prefix_rows: NDArray[np.int32]
    prefixes: tuple[str, ...]


class Chunks:
    """All chunks of a corpus. A row is an int in reading order; Chunk objects and texts are made when asked for.

    `fingerprint` covers all that the indexed texts depend on: corpus, chunking, heading prefix, tokenizer.

    What is indexed, embedded and searched are the `units`: the chunks themselves, or the small pieces that were cut from them.
    Then `unit_parents`, int32[len(units)] and ascending, holds the row of each one's chunk; otherwise it is None.
    """

    def __init__(
        self,
        corpus: Corpus,
        columns: Columns,
        *,
        spec: str,
        fingerprint: str,
        units: Chunks | None = None,
        unit_parents: NDArray[np.int32] | None = None,
    ) -> None:
        self.corpus = corpus
        self.spec = spec
        self.fingerprint = fingerprint
        self.unit_parents = unit_parents
        self._units = units
        self.doc_rows = columns.doc_rows
        self.starts = columns.starts
        self.ends = columns.ends
        self.tokens = columns.tokens
        self.indexed_tokens = columns.indexed_tokens
        self._prefix_rows = columns.prefix_rows
        self._prefixes = columns.prefixes
        documents = np.arange(len(corpus.documents) + 1, dtype=np.int32)
        self._firsts: list[int] = np.searchsorted(self.doc_rows, documents).tolist()
        self._own_rows: dict[str, int] | None = None

    @property
    def units(self) -> Chunks:
        """What is indexed. The ids of small pieces name them in ties and nowhere else: no reader sees them."""
        return self if self._units is None else self._units

    def units_of(self, row: int) -> range:
        """The rows of a chunk's units."""
        if self.unit_parents is None:
            return range(row, row + 1)
        first, stop = np.searchsorted(self.unit_parents, (row, row + 1)).tolist()
        return range(first, stop)

    @property
    def ids(self) -> Sequence[str]:
        """The chunk ids by row. Made when asked for: kept, they and the chunks would keep each other in memory."""
        return _Ids(self)

    def __len__(self) -> int:
        return len(self.doc_rows)

    def __getitem__(self, row: int) -> Chunk:
        document = self.document_of(row)
        span = self.span(row)
        chunk_id, ordinal = self._name(row)
        heading = heading_at(document, span.start)
        return Chunk(chunk_id, document.doc_id, ordinal, span, heading, int(self.tokens[row]))

    def __iter__(self) -> Iterator[Chunk]:
        return (self[row] for row in range(len(self)))

    def span(self, row: int) -> Span:
        """Where the chunk stands in its document."""
        return Span(int(self.starts[row]), int(self.ends[row]))

    def row(self, chunk_id: str) -> int | None:
        """The row of a chunk id, None where no chunk has it."""
        doc_row = self.corpus.row(chunk_id)
        if doc_row is not None and _is_whole(document := self.corpus.documents[doc_row]) and document.doc_id == chunk_id:
            return self._firsts[doc_row]
        own = self._own()
        if chunk_id in own:
            return own[chunk_id]
        stem, mark, ordinal = chunk_id.rpartition("#")
        if not mark or not ordinal.isdecimal() or ordinal != str(int(ordinal[:9])):
            return None
        doc_row = self.corpus.row(stem)
        if doc_row is None or self.corpus.documents[doc_row].cuts is not None:
            return None
        row = self._firsts[doc_row] + int(ordinal) - 1
        return row if self._firsts[doc_row] <= row < self._firsts[doc_row + 1] else None

    def rows_of(self, doc_id: str) -> range:
        """The rows of a document's chunks; empty where there is no such document."""
        doc_row = self.corpus.row(doc_id)
        return range(0) if doc_row is None else range(self._firsts[doc_row], self._firsts[doc_row + 1])

    def in_order(self, rows: Iterable[int]) -> list[int]:
        """These rows as they stand in the documents."""
        return sorted(rows)

    def document_of(self, row: int) -> Document:
        """The document a chunk was cut from."""
        return self.corpus.documents[int(self.doc_rows[row])]

    def text(self, row: int) -> str:
        """The chunk's text as it stands in the document."""
        return self.document_of(row).text[self.starts[row] : self.ends[row]]

    def also(self, row: int) -> tuple[AlsoAt, ...]:
        """The other places that the text holds: none of a chunk, which is a part of one document."""
        return ()

    def prefix(self, row: int) -> str:
        """What is indexed before the text: title and headings, or "" where there are none or they are switched off."""
        prefix_row = self._prefix_rows[row]
        return "" if prefix_row < 0 else self._prefixes[prefix_row]

    def indexed_text(self, row: int) -> str:
        """What is indexed and embedded: prefix, blank line, text."""
        prefix = self.prefix(row)
        return f"{prefix}\n\n{self.text(row)}" if prefix else self.text(row)

    def indexed_texts(self) -> list[str]:
        """`indexed_text` of every row."""
        documents = self.corpus.documents
        prefixes = [f"{prefix}\n\n" for prefix in self._prefixes] + [""]  # row -1: none
        columns = (self.doc_rows, self.starts, self.ends, self._prefix_rows)
        rows = zip(*(column.tolist() for column in columns), strict=True)
        return [prefixes[prefix] + documents[doc].text[start:end] for doc, start, end, prefix in rows]

    def _name(self, row: int) -> tuple[str, int]:
        doc_row = int(self.doc_rows[row])
        document = self.corpus.documents[doc_row]
        at = row % len(self) - self._firsts[doc_row]
        return (f"{document.doc_id}#{at + 1}" if document.cuts is None else document.cuts[at].chunk_id), at + 1

    def _own(self) -> dict[str, int]:
        """Rows of the chunks that came ready-made, by their ids; those that are called like their document are found by it."""
        if self._own_rows is None:
            self._own_rows = {
                cut.chunk_id: first + at
                for document, first in zip(self.corpus.documents, self._firsts, strict=False)
                if document.cuts and not _is_whole(document)
                for at, cut in enumerate(document.cuts)
            }
        return self._own_rows


def _is_whole(document: Document) -> bool:
    """Whether the document is one ready-made chunk of its own name, as in a BEIR folder."""
    return document.cuts is not None and len(document.cuts) == 1 and document.cuts[0].chunk_id == document.doc_id


class _Ids(Sequence[str]):
    """Chunk ids by row, made when asked for: a million would weigh a hundred megabytes."""

    def __init__(self, chunks: Chunks) -> None:
        self._chunks = chunks

    def __len__(self) -> int:
        return len(self._chunks)

    @overload
    def __getitem__(self, row: int) -> str: ...
    @overload
    def __getitem__(self, row: slice) -> list[str]: ...
    def __getitem__(self, row: int | slice) -> str | list[str]:
        if isinstance(row, slice):
            return [self._chunks._name(at)[0] for at in range(*row.indices(len(self)))]
        return self._chunks._name(row)[0]

    def __iter__(self) -> Iterator[str]:
        firsts = self._chunks._firsts
        for row, document in enumerate(self._chunks.corpus.documents):
            if document.cuts is None:
                for ordinal in range(1, firsts[row + 1] - firsts[row] + 1):
                    yield f"{document.doc_id}#{ordinal}"
            else:
                yield from (cut.chunk_id for cut in document.cuts)
