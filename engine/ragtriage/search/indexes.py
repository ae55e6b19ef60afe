"""The BM25 index and the vectors of one set of chunks: opened, built and embedded when first needed, and shared.

Retrievers that differ in nothing but their retrieval settings search the same `Indexes`.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ragtriage.config import EmbeddingConfig
from ragtriage.errors import EncoderFailed
from ragtriage.ids import text_sha
from ragtriage.search.dense import DenseIndex
from ragtriage.search.embedding import Embedder
from ragtriage.search.encoder import Encoder, TextsFailed
from ragtriage.search.encoder_process import EncoderProcess
from ragtriage.search.lexical import LexicalIndex
from ragtriage.search.vectors_cache import VectorCache, key_of
from ragtriage.types import Failure, Progress, no_progress

if TYPE_CHECKING:
    from ragtriage.chunking.base import Chunks

__all__ = ["Asked", "Indexes"]

_IDS_HELD = 200_000  # chunks whose ids are kept as a list; a million would weigh too much
_ASKED_HELD = 20_000  # question vectors kept in memory; 800 bytes each
_NAMED = 3  # passages without a vector that a message names


class Asked(NamedTuple):
    """The vector of each question, float16[d], and why others have none. One that is not known yet is in neither."""

    vectors: dict[str, np.ndarray]
    failed: Mapping[str, Failure]


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
        self._query_prefix = embedding.query_prefix
        self._document_prefix = embedding.document_prefix
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
        return len(self.lacking())

    def lacking(self) -> list[str]:
        """The texts, as they are embedded, that have no vector yet."""
        return [] if self.built_dense() is not None else self._embedder.lacking(self._passages())

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
                self._dense = DenseIndex.open(self.chunks.units, self._identity, cache=self._cache)
            finally:
                self._dense_lock.release()
        return self._dense

    def dense(self, progress: Progress = no_progress) -> DenseIndex:
        """The vector index; what is missing is embedded. Raises ConfigError, EncoderFailed, StorageError, SystemFailed."""
        with self._dense_lock:
            if self._dense is None:
                units = self.chunks.units

                def embed() -> np.ndarray:
                    texts = self._passages()
                    try:
                        return self._embedder.embed(texts, progress, "passages")
                    except TextsFailed as failed:
                        raise self._without_vectors(texts, failed) from None

                self._dense = DenseIndex.open_or_build(units, self._identity, embed, cache=self._cache)
            return self._dense

    def question_vectors(self, asked: Sequence[str], progress: Progress, *, wait: bool) -> dict[str, np.ndarray]:
        """The vector of each text, float16[d]; with `wait` False of those that are cached. Raises what `dense` does."""
        found = self.asked(asked, progress, wait=wait)
        if found.failed:
            raise TextsFailed(found.failed, len(dict.fromkeys(asked)))
        return found.vectors

    def asked(self, asked: Sequence[str], progress: Progress, *, wait: bool) -> Asked:
        """`question_vectors`, where one that cannot be embedded does not keep the others from having theirs."""
        texts = {text: self._query_prefix + text for text in asked}
        known = {text: self._asked[text] for text in texts if text in self._asked}
        failed: Mapping[str, Failure] = {}
        if len(known) < len(texts):
            sent = {whole: text for text, whole in texts.items() if text not in known}
            known |= {sent[whole]: vector for whole, vector in self._embedder.known(list(sent)).items()}
        if wait and (new := [text for text in texts if text not in known]):
            without = self._embedder.each([texts[text] for text in new], progress, "questions")
            failed = {text: without[texts[text]] for text in new if texts[text] in without}
            came = [text for text in new if text not in failed]
            known |= dict(zip(came, self._embedder.read([texts[text] for text in came], progress), strict=True))
        if len(self._asked) > _ASKED_HELD:
            self._asked.clear()
        self._asked.update(known)
        return Asked(known, failed)

    def export_vectors(self, path: Path, questions: Sequence[str]) -> int:
        """Write the cached vectors of all chunks and these questions to a new file, to be shipped. Returns how many."""
        texts = dict.fromkeys([*self._passages(), *(self._query_prefix + question for question in questions)])
        return self.vectors.export(path, [key_of(self.encoder.fingerprint, text) for text in texts])

    def close(self) -> None:
        """End the encoder process, unless it was given, and close the caches. They may be used again."""
        for each in self._closers:
            each.close()

    @property
    def _identity(self) -> str:
        """What the vectors of the chunks depend on but their texts."""
        prefix = f"+{text_sha(self._document_prefix)[:16]}" if self._document_prefix else ""
        return self._embedder.identity + prefix

    def _passages(self) -> Sequence[str]:
        """What is embedded of each unit, in their order."""
        texts = self.chunks.units.indexed_texts()
        return [self._document_prefix + text for text in texts] if self._document_prefix else texts

    def _without_vectors(self, texts: Sequence[str], error: TextsFailed) -> EncoderFailed:
        """The error that names the passages which have no vector, and says what is kept."""
        ids = self.chunks.units.ids
        named: dict[str, str] = {}
        for row, text in enumerate(texts):
            if text in error.failed:
                named.setdefault(text, ids[row])
                if len(named) == _NAMED:
                    break
        reasons = list(dict.fromkeys(error.failed[text].reason for text in named))
        more = f" and {len(error.failed) - len(named):,} more" if len(error.failed) > len(named) else ""
        kept = error.total - len(error.failed)
        return EncoderFailed(
            f"{len(error.failed):,} of {error.total:,} passages have no vector ({', '.join(named.values())}{more}): "
            f"{'; '.join(reasons)}. {f'The other {kept:,} are kept' if kept else 'Nothing came'}; the same command asks for "
            f"{'what is missing' if kept else 'them again'}"
        )
