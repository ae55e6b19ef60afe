"""The reranking stage: pairs to scores through the cache, so that nothing is scored twice."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

import numpy as np

from ragtriage.search.ranking import order
from ragtriage.search.vectors_cache import VectorCache, key_of
from ragtriage.types import Failure, Progress, no_progress

__all__ = ["LEXICAL", "Asked", "Reranker", "Reranking", "best_first"]

LEXICAL = "lexical"
"""The value of `retrieval.rerank` that needs no model; a folder of that name is `./lexical`."""

_BLOCK = 512  # pairs sent at once


class Asked(NamedTuple):
    """A question and the passages that are scored for it."""

    question: str
    passages: tuple[str, ...]


class Reranker(Protocol):
    """Scores passages for questions. A score is a function of question and passage alone. `model` is as configured."""

    def rerank_fingerprint(self, model: str) -> str:
        """Everything a score depends on but the two texts."""
        ...

    def score(self, model: str, asked: Sequence[Asked], progress: Progress) -> list[np.ndarray | Failure]:
        """For each question float32[n], finite, one a passage, higher is more relevant; a Failure for one that has no scores.

        Raises what concerns all of them, such as EncoderFailed and Untrusted, and what `progress` raises.
        """
        ...


class Reranking:
    """One reranker and the cache before it."""

    def __init__(self, reranker: Reranker, model: str, cache: VectorCache) -> None:
        self._reranker = reranker
        self._model = model
        self._cache = cache

    def scores(
        self, questions: Sequence[str], passages: Sequence[Sequence[str]], progress: Progress
    ) -> list[np.ndarray | Failure]:
        """For each question the scores of its passages, float32, or why there are none.

        Raises what the reranker raises; finished blocks are kept.
        """
        fingerprint = self._reranker.rerank_fingerprint(self._model)
        keys = [
            [key_of(fingerprint, question, text) for text in texts] for question, texts in zip(questions, passages, strict=True)
        ]
        stored = self._cache.get(list(dict.fromkeys(key for some in keys for key in some)))
        known = {key: float(value.view("<f4")[0]) for key, value in stored.items() if len(value) == 2}
        todo: dict[str, dict[bytes, str]] = {}
        for question, texts, some in zip(questions, passages, keys, strict=True):
            missing = {key: text for key, text in zip(some, texts, strict=True) if key not in known}
            if missing:
                todo.setdefault(question, {}).update(missing)
        failed = self._score(todo, known, progress)
        return [
            failed[question] if question in failed else np.array([known[key] for key in some], dtype=np.float32)
            for question, some in zip(questions, keys, strict=True)
        ]

    def fresh(self, question: str, passages: Sequence[str]) -> np.ndarray | Failure:
        """The scores of one question, asked of the reranker whatever is known, and not kept: what its time is measured by."""
        return self._reranker.score(self._model, [Asked(question, tuple(passages))], no_progress)[0]

    def _score(self, todo: dict[str, dict[bytes, str]], known: dict[bytes, float], progress: Progress) -> dict[str, Failure]:
        """Put the scores of `todo` into `known` and the cache, block by block; the questions that have none."""
        failed: dict[str, Failure] = {}
        total = sum(map(len, todo.values()))
        done = 0
        block: list[str] = []
        pairs = 0
        for place, (question, texts) in enumerate(todo.items(), start=1):
            block.append(question)
            pairs += len(texts)
            if pairs < _BLOCK and place < len(todo):
                continue

            def within(stage: str, part: int, _: int, before: int = done) -> None:
                progress(stage, before + part, total)

            asked = [Asked(each, tuple(todo[each].values())) for each in block]
            fresh: dict[bytes, float] = {}
            for each, scores in zip(block, self._reranker.score(self._model, asked, within), strict=True):
                if isinstance(scores, Failure):
                    failed[each] = scores
                else:
                    fresh.update(zip(todo[each], scores.astype("<f4").tolist(), strict=True))
            # The cache holds pairs of bytes: a float32 travels as two float16 whose bits are its own.
            self._cache.put({key: np.array([score], "<f4").view("<f2") for key, score in fresh.items()})
            known |= fresh
            done += pairs
            block, pairs = [], 0
        return failed


def best_first(scores: np.ndarray) -> list[int]:
    """The places of the passages in the order of their scores; equal ones stay as they were."""
    names = [f"{place:06d}" for place in range(len(scores))]
    found: list[int] = order(np.arange(len(scores)), scores, names, len(scores)).rows.tolist()
    return found
