"""Tiny stand-ins for what stands before search: chunks of ready texts, and an encoder without a model."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence

import numpy as np
import pytest

from ragtriage.ids import fingerprint, text_sha
from ragtriage.types import Document, Progress, no_progress


class TextCorpus:
    def __init__(self, documents: tuple[Document, ...]) -> None:
        self.documents = documents


class TextChunks:
    """One chunk a document, indexed as it stands: the part of `Chunks` that search uses."""

    def __init__(self, documents: Sequence[Document]) -> None:
        self.corpus = TextCorpus(tuple(documents))
        self.ids = [document.doc_id for document in documents]
        self.unit_parents = None
        self.doc_rows = np.arange(len(documents), dtype=np.int32)
        self.fingerprint = fingerprint([[document.doc_id, text_sha(document.text)] for document in documents])

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def units(self) -> TextChunks:
        return self

    def units_of(self, row: int) -> range:
        return range(row, row + 1)

    def row(self, chunk_id: str) -> int | None:
        return self.ids.index(chunk_id) if chunk_id in self.ids else None

    def indexed_text(self, row: int) -> str:
        return self.corpus.documents[row].text

    def indexed_texts(self) -> list[str]:
        return [document.text for document in self.corpus.documents]

    def text(self, row: int) -> str:
        return self.corpus.documents[row].text


class FakeEncoder:
    """Vectors from a hash of each word: texts that share words are near. Counts what it was asked."""

    fingerprint = "fake-1"
    dimension = 64
    window = 256

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.starts = 0

    def start(self) -> None:
        self.starts += 1

    def encode(self, texts: Sequence[str], progress: Progress = no_progress) -> np.ndarray:
        self.asked += texts
        out = np.zeros((len(texts), self.dimension), dtype=np.float32)
        for row, text in enumerate(texts):
            for word in text.lower().split() or [""]:
                digest = hashlib.sha256(word.encode("utf-8", "replace")).digest()
                out[row] += np.frombuffer(digest * 2, dtype=np.int8).astype(np.float32)
        norms = np.linalg.norm(out, axis=1, keepdims=True)
        return (out / np.where(norms > 0, norms, 1)).astype(np.float16)

    def close(self) -> None:
        pass


@pytest.fixture
def chunks_of() -> Callable[..., TextChunks]:
    """chunks_of("text", …) or chunks_of(("id", "text"), ("id", "text", access), …)."""

    def make(*texts: str | tuple[str, str] | tuple[str, str, tuple[str, ...] | None]) -> TextChunks:
        documents = []
        for number, item in enumerate(texts, start=1):
            if isinstance(item, str):
                item = (f"d{number}", item)
            access = item[2] if len(item) == 3 else None
            documents.append(Document(item[0], item[0], item[1], access=access))
        return TextChunks(documents)

    return make


@pytest.fixture
def fake_encoder() -> FakeEncoder:
    return FakeEncoder()
