"""The passages of a retriever that cuts documents in its own way, beside the chunks that are ours.

What is measured, shown or put into a prompt asks a table of chunks for rows by id. Here a foreign passage has a row, too: with
its own id, over its place in our corpus. Chunks keep their rows, and remain all that is counted, listed or searched.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

import numpy as np

from ragtriage.chunking.base import Chunks, Columns
from ragtriage.types import AlsoAt, Document, FoundAt

__all__ = ["Passages", "Unplaced"]

_BETWEEN = "\n…\n"
_CHARACTERS_A_TOKEN = 4  # of a text that nothing of ours tells more about


class Unplaced(NamedTuple):
    """The text of a passage that stands nowhere in the corpus, and what the system calls its document."""

    text: str
    doc: str = ""


class Passages(Chunks):
    """`chunks`, and foreign passages by their ids.

    One that has no place, and no text in `unplaced`, has no row. How many tokens a passage has is estimated from the chunks
    that it overlaps: exact where it is one of them. One that is joined of several places has one span, that of its first
    part, and the text of all of them.
    """

    def __init__(
        self, chunks: Chunks, places: Mapping[str, FoundAt], unplaced: Mapping[str, Unplaced] | None = None,
        also: Mapping[str, tuple[AlsoAt, ...]] | None = None,
    ) -> None:  # fmt: skip
        rows: list[tuple[int, int, int, int]] = []
        names: list[str] = []
        self._apart: list[Document] = []
        self._also: dict[int, tuple[AlsoAt, ...]] = {}
        documents = len(chunks.corpus.documents)
        for name, place in places.items():
            doc_row = chunks.corpus.row(place[0]) if place is not None else None
            if place is not None and doc_row is not None:
                length = len(chunks.corpus.documents[doc_row].text)
                start, end = min(place[1], length), min(place[2], length)  # a stored run's page may be shorter today
                more = tuple(one for one in (also or {}).get(name, ()) if chunks.corpus.get(one.doc_id) is not None)
                if more:
                    self._also[len(chunks) + len(rows)] = more
                tokens = _tokens(chunks, place[0], start, end)
                rows.append((doc_row, start, end, tokens + sum(_tokens(chunks, *one[:3]) for one in _parts(more))))
            elif unplaced and name in unplaced:
                text, doc = unplaced[name]
                self._apart.append(Document(f"{doc or name} (not in the corpus)", doc, text))
                rows.append((documents + len(self._apart) - 1, 0, len(text), -(-len(text) // _CHARACTERS_A_TOKEN)))
            else:
                continue
            names.append(name)
        table = np.array(rows, dtype=np.int32).reshape(-1, 4)
        none = np.full(len(rows), -1, dtype=np.int32)
        columns = Columns(
            np.concatenate([chunks.doc_rows, table[:, 0]]),
            np.concatenate([chunks.starts, table[:, 1]]),
            np.concatenate([chunks.ends, table[:, 2]]),
            np.concatenate([chunks.tokens, table[:, 3]]),
            np.concatenate([chunks.indexed_tokens, table[:, 3]]),
            np.concatenate([chunks._prefix_rows, none]),
            chunks._prefixes,
        )
        super().__init__(
            chunks.corpus, columns, spec=chunks.spec, fingerprint=chunks.fingerprint,
            units=chunks.units, unit_parents=chunks.unit_parents,
        )  # fmt: skip
        self._firsts = chunks._firsts
        self._chunks = chunks
        self._names = names
        self._more = {name: len(chunks) + at for at, name in enumerate(names)}

    def __len__(self) -> int:
        return len(self._chunks)

    def row(self, chunk_id: str) -> int | None:
        """See Chunks. The ids of foreign passages are never those of chunks."""
        found = self._more.get(chunk_id)
        return self._chunks.row(chunk_id) if found is None else found

    def document_of(self, row: int) -> Document:
        """The document a passage stands in; for one that stands nowhere, a document that is just it."""
        at = int(self.doc_rows[row])
        documents = self.corpus.documents
        return documents[at] if at < len(documents) else self._apart[at - len(documents)]

    def text(self, row: int) -> str:
        """See Chunks. The parts of a passage stand as it has them, with a mark between those that it leaves apart."""
        more = _parts(self.also(row))
        if not more:
            return super().text(row)
        texts = [self.corpus.document(one.doc_id).text[one.start : one.end] for one in more]
        return _BETWEEN.join([super().text(row), *texts])

    def also(self, row: int) -> tuple[AlsoAt, ...]:
        """See Chunks."""
        return self._also.get(row, ())

    def in_order(self, rows: Iterable[int]) -> list[int]:
        """See Chunks."""
        return sorted(rows, key=lambda row: (int(self.doc_rows[row]), int(self.starts[row]), row))

    def _name(self, row: int) -> tuple[str, int]:
        if row < len(self._chunks):
            return self._chunks._name(row)
        return self._names[row - len(self._chunks)], 0


def _parts(also: Iterable[AlsoAt]) -> list[AlsoAt]:
    """The first place of each further part: the others are copies of it."""
    first: dict[int, AlsoAt] = {}
    for one in also:
        if one.part:
            first.setdefault(one.part, one)
    return [first[part] for part in sorted(first)]


def _tokens(chunks: Chunks, doc_id: str, start: int, end: int) -> int:
    """About how many tokens a part of a document has: each chunk's, in proportion to what of it is inside."""
    rows = chunks.rows_of(doc_id)
    part = slice(rows.start, rows.stop)
    starts, ends, tokens = chunks.starts[part], chunks.ends[part], chunks.tokens[part]
    shared = np.clip(np.minimum(ends, end) - np.maximum(starts, start), 0, None)
    covered = int(shared.sum())
    if not covered:
        return -(-(end - start) // _CHARACTERS_A_TOKEN)
    total = float((tokens * (shared / np.maximum(ends - starts, 1))).sum())
    return max(1, round(total * min(1.0, (end - start) / covered)))  # where chunks overlap, a part counts twice
