"""Small corpora with known faults, cut as the tests say."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from ragtriage.chunking.base import Chunks, Columns
from ragtriage.corpus.base import Corpus
from ragtriage.corpus.sections import Heading, sections_of, slug
from ragtriage.types import Document

__all__ = ["WINGS", "chunks_of", "columns_of", "filler"]

WINGS = (
    "The lift of a thin wing grows with its angle until the flow leaves the upper side, and from there it falls again while "
    "drag rises."
)


def filler(number: int, words: int = 30) -> str:
    """A passage of words that no other number's passage has."""
    letters = "abcdefghij"
    name = "".join(letters[int(digit)] for digit in str(number))
    places = [letters[at // 100] + letters[at // 10 % 10] + letters[at % 10] for at in range(words)]
    return " ".join(f"w{name}x{place}" for place in places) + "."


def chunks_of(
    documents: Mapping[str, Sequence[str]],
    *,
    titles: Mapping[str, str] | None = None,
    prefix_tokens: int = 0,
    access: Mapping[str, tuple[str, ...]] | None = None,
) -> Chunks:
    """Each document's passages joined by a blank line, cut at those; a token is a word. Headings are lines with `#`."""
    built, rows = [], []
    for doc_row, (doc_id, passages) in enumerate(documents.items()):
        text, starts = "", []
        for passage in passages:
            starts.append(len(text))
            text += f"{passage}\n\n"
        headings = [
            Heading(1, line.lstrip("# "), text.index(line), slug(line)) for line in text.splitlines() if line.startswith("#")
        ]
        title = (titles or {}).get(doc_id, doc_id)
        groups = (access or {}).get(doc_id)
        built.append(Document(doc_id, title, text, f"{doc_id}.md", sections=sections_of(headings, len(text)), access=groups))
        rows += [
            (doc_row, start, start + len(passage), len(passage.split()))
            for start, passage in zip(starts, passages, strict=True)
        ]
    columns = np.array(rows, dtype=np.int32).reshape(-1, 4).T
    indexed = (columns[3] + prefix_tokens + 2).astype(np.int32)
    none = np.full(len(rows), -1, np.int32)
    return Chunks(Corpus(Path("nowhere"), tuple(built)), Columns(*columns, indexed, none, ()), spec="planted", fingerprint="p")


def columns_of(chunks: Chunks) -> Columns:
    """The columns of chunks that have no prefix."""
    none = np.full(len(chunks), -1, np.int32)
    return Columns(chunks.doc_rows, chunks.starts, chunks.ends, chunks.tokens, chunks.indexed_tokens, none, ())
