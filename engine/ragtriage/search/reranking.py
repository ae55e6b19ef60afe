"""The reranking stage: pairs to scores through the cache, so that nothing is scored twice."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np

from ragtriage.search.vectors_cache import VectorCache, key_of
from ragtriage.types import Progress

__all__ = ["Reranker", "Reranking"]

_BLOCK = 512  # pairs sent at once


class Reranker(Protocol):
    """Scores (question, passage) pairs. `model` is the configured name or path."""

    def rerank_fingerprint(self, model: str) -> str:
        """Everything a score depends on but the two texts."""
        ...

    def score(self, model: str, questions: Sequence[str], passages: Sequence[str], progress: Progress) -> np.ndarray:
        """float32[n], one a pair; higher is more relevant. Raises EncoderFailed."""
        ...


class Reranking:
    """One reranker and the cache before it."""

    def __init__(self, reranker: Reranker, model: str, cache: VectorCache) -> None:
        self._reranker = reranker
        self._model = model
        self._cache = cache

    def scores(self, questions: Sequence[str], passages: Sequence[Sequence[str]], progress: Progress) -> list[np.ndarray]:
        """For each question the scores of its passages, float32. Raises what the reranker raises; finished blocks are kept."""
        pairs = [(question, text) for question, texts in zip(questions, passages, strict=True) for text in texts]
        fingerprint = self._reranker.rerank_fingerprint(self._model)
        keys = [key_of(fingerprint, *pair) for pair in pairs]
        known = {key: float(value.view("<f4")[0]) for key, value in self._cache.get(keys).items() if len(value) == 2}
        todo = list({key: pair for key, pair in zip(keys, pairs, strict=True) if key not in known}.items())
        for start in range(0, len(todo), _BLOCK):
            block = todo[start : start + _BLOCK]

            def within(stage: str, done: int, total: int, before: int = start) -> None:
                progress(stage, before + done, len(todo))

            asked, read = zip(*(pair for _, pair in block), strict=True)
            scores = self._reranker.score(self._model, asked, read, within).astype("<f4")
            fresh = {key: score for (key, _), score in zip(block, scores, strict=True)}
            # The cache holds pairs of bytes: a float32 travels as two float16 whose bits are its own.
            self._cache.put({key: np.array([score]).view("<f2") for key, score in fresh.items()})
            known |= {key: float(score) for key, score in fresh.items()}
        flat = np.array([known[key] for key in keys], dtype=np.float32)
        return np.split(flat, np.cumsum([len(texts) for texts in passages])[:-1]) if passages else []
