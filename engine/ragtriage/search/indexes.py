"""The BM25 index and the vectors of one set of chunks: opened, built and embedded when first needed, and shared.

Retrievers that differ in nothing but their retrieval settings search the same `Indexes`.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ragtriage.config import EmbeddingConfig
from ragtriage.search.dense import DenseIndex
from ragtriage.search.embedding import Embedder
from ragtriage.search.encoder import Encoder
from ragtriage.search.encoder_process import EncoderProcess
from ragtriage.search.lexical import LexicalIndex
from ragtriage.search.vectors_cache import VectorCache, key_of
from ragtriage.types import Progress, no_progress

if TYPE_CHECKING:
    from ragtriage.chunking.base import Chunks

__all__ = ["Indexes"]

_IDS_HELD = 200_000  # chunks whose ids are kept as a list; a million would weigh too much
_ASKED_HELD = 20_000  # question vectors kept in memory; 800 bytes each


class Indexes:
    """Everything that depends on chunks and embedding alone. Safe to use from several threads.

    What is indexed are the units of the chunks. `encoder` is the process that embeds and reranks; one that is given is its
    owner's to close. `embedder` is the one before it that has embedded sentences already, if any.
    """

    def __init__(
        self,
        chunks: Chunks,
        embedding: EmbeddingConfig,
        *,
        cache: Path,
        shipped_vectors: Path | None = None,
        encoder: Encoder | None = None,
        embedder: Embedder | None = None,
    ) -> None:
        self.chunks = chunks
        self.process = encoder if isinstance(encoder, EncoderProcess) else EncoderProcess(embedding, cache=cache)
        self.encoder: Encoder = encoder or self.process
        self.vectors = embedder.cache if embedder else VectorCache(cache / "vectors.sqlite", shipped=shipped_vectors)
        self.ids: Sequence[str] = list(chunks.ids) if len(chunks) <= _IDS_HELD else chunks.ids
        self._closers = (self.vectors,) if self.process is encoder else (self.process, self.vectors)
        self._cache = cache
        self._embedder = embedder or Embedder(self.encoder, self.vectors)
        self._lexical_lock = threading.Lock()
        self._dense_lock = threading.Lock()
        self._asked: dict[str, np.ndarray] = {}
        self._lexical: dict[str, LexicalIndex] = {}
        self._dense: DenseIndex | None = None

    @property
    def encoded(self) -> int:
        """Texts sent through the embedding model so far."""
        return self._embedder.encoded

    def missing(self) -> int:
        """How many texts would have to be embedded before a search by vectors: what an estimate is made from."""
        return 0 if self.built_dense() is not None else self._embedder.missing(self.chunks.units.indexed_texts())

    def lexical(self, language: str, progress: Progress = no_progress) -> LexicalIndex:
        """The BM25 index in a language's analysis. Raises StorageError, SystemFailed, and what `progress` raises."""
        with self._lexical_lock:
            if language not in self._lexical:
                self._lexical[language] = LexicalIndex.open_or_build(
                    self.chunks.units, language=language, cache=self._cache, progress=progress
                )
            return self._lexical[language]

    def built_dense(self) -> DenseIndex | None:
        """The vector index if all chunks are embedded, None otherwise. Runs no model and waits for none."""
        if self._dense is None and self._dense_lock.acquire(blocking=False):
            try:
                self._dense = DenseIndex.open(self.chunks.units, self._embedder.identity, cache=self._cache)
            finally:
                self._dense_lock.release()
        return self._dense

    def dense(self, progress: Progress = no_progress) -> DenseIndex:
        """The vector index; what is missing is embedded. Raises ConfigError, EncoderFailed, StorageError, SystemFailed."""
        with self._dense_lock:
            if self._dense is None:
                units = self.chunks.units

                def embed() -> np.ndarray:
                    return self._embedder.embed(units.indexed_texts(), progress)

                self._dense = DenseIndex.open_or_build(units, self._embedder.identity, embed, cache=self._cache)
            return self._dense

    def question_vectors(self, asked: Sequence[str], progress: Progress, *, wait: bool) -> dict[str, np.ndarray]:
        """The vector of each text, float16[d]; with `wait` False of those that are cached. Raises what `dense` does."""
        texts = list(dict.fromkeys(asked))
        known = {text: self._asked[text] for text in texts if text in self._asked}
        if len(known) < len(texts):
            known |= self._embedder.known([text for text in texts if text not in known])
        if wait and (new := [text for text in texts if text not in known]):
            known |= dict(zip(new, self._embedder.embed(new, progress), strict=True))
        if len(self._asked) > _ASKED_HELD:
            self._asked.clear()
        self._asked.update(known)
        return known

    def export_vectors(self, path: Path, questions: Sequence[str]) -> int:
        """Write the cached vectors of all chunks and these questions to a new file, to be shipped. Returns how many."""
        texts = dict.fromkeys([*self.chunks.units.indexed_texts(), *questions])
        return self.vectors.export(path, [key_of(self.encoder.fingerprint, text) for text in texts])

    def close(self) -> None:
        """End the encoder process, unless it was given, and close the caches. They may be used again."""
        for each in self._closers:
            each.close()
