"""Corpora and chunks of a few words, made without files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from ragtriage.chunking.base import Chunks, Columns
from ragtriage.corpus.base import Corpus
from ragtriage.corpus.sections import Heading, Slugs, sections_of
from ragtriage.golden.ranks import PromptText
from ragtriage.types import Cut, Document, Span

__all__ = ["chunks_of", "corpus_of", "document", "prompt", "ready_made"]


def document(doc_id: str, text: str, *, pages: Sequence[tuple[int, int]] = ()) -> Document:
    """A document whose lines that start with # are its headings."""
    slugs = Slugs()
    headings = []
    start = 0
    for line in text.splitlines(keepends=True):
        if line.startswith("#"):
            title = line.lstrip("#").strip()
            headings.append(Heading(len(line) - len(line.lstrip("#")), title, start, slugs.anchor(title)))
        start += len(line)
    sections = sections_of(headings, len(text))
    return Document(doc_id, doc_id.title(), text, f"{doc_id}.md", sections, tuple(Span(*page) for page in pages))


def corpus_of(texts: Mapping[str, str] | Sequence[Document]) -> Corpus:
    """Documents by id and text."""
    documents = [document(*pair) for pair in texts.items()] if isinstance(texts, Mapping) else texts
    return Corpus(Path("docs"), tuple(documents))


def chunks_of(corpus: Corpus, cuts: Mapping[str, Sequence[tuple[int, int]]]) -> Chunks:
    """Chunks at the given spans; documents without any are one chunk."""
    rows = [
        (row, start, end)
        for row, one in enumerate(corpus.documents)
        for start, end in ([cut.span for cut in one.cuts] if one.cuts else cuts.get(one.doc_id, [(0, len(one.text))]))
    ]
    columns = [np.array([row[at] for row in rows], dtype=np.int32) for at in range(3)]
    zeros = np.zeros(len(rows), dtype=np.int32)
    return Chunks(corpus, Columns(*columns, zeros, zeros, zeros - 1, ()), spec="tiny", fingerprint="tiny")


def ready_made(doc_id: str, texts: Mapping[str, str]) -> Document:
    """A document of chunks with ids of their own."""
    cuts, start = [], 0
    for chunk_id, text in texts.items():
        cuts.append(Cut(chunk_id, Span(start, start + len(text))))
        start += len(text) + 2
    return Document(doc_id, doc_id, "\n\n".join(texts.values()), cuts=tuple(cuts))


def prompt(*texts: tuple[str, int, int]) -> list[PromptText]:
    """Texts of a prompt by document, start and end; their ids are d:0-5."""
    return [PromptText(f"{doc}:{start}-{end}", doc, Span(start, end)) for doc, start, end in texts]
