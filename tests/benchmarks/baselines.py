"""A plain BM25 to compare with: bm25s `lucene`, k1 1.2, b 0.75, English stop words, Snowball stemmer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ragtriage.search.pipeline import Query
from ragtriage.types import Hit, Progress, Ranking, no_progress

__all__ = ["PlainBm25", "measured_with"]


class PlainBm25:
    """A `System` of bm25s over the texts that ragtriage indexes, so that evidence and metrics are the same for both."""

    encoded = 0
    window = 256
    spec = "bm25s"

    def __init__(self, project: Any, depth: int = 50) -> None:
        import bm25s
        import Stemmer

        self.retriever = project.system.retriever
        self._tokenize = bm25s.tokenize
        self._stemmer = Stemmer.Stemmer("english")
        self._ids = list(project.chunks.ids)
        self._depth = min(depth, len(self._ids))
        self._index = bm25s.BM25(method="lucene", k1=1.2, b=0.75)
        self._index.index(self._tokens(project.chunks.indexed_texts()), show_progress=False)

    def search(self, queries: Sequence[Query], *, progress: Progress = no_progress) -> list[Ranking]:
        tokens = self._tokens([query.text for query in queries])
        rows, scores = self._index.retrieve(tokens, k=self._depth, show_progress=False)
        return [self._ranking(each, some) for each, some in zip(rows, scores, strict=True)]

    def close(self) -> None: ...

    def _tokens(self, texts: Sequence[str]) -> Any:
        return self._tokenize(list(texts), stopwords="en", stemmer=self._stemmer, show_progress=False)

    def _ranking(self, rows: np.ndarray, scores: np.ndarray) -> Ranking:
        found = [(self._ids[row], float(score)) for row, score in zip(rows.tolist(), scores.tolist(), strict=True) if score > 0]
        hits = tuple(Hit(chunk_id, score, rank) for rank, (chunk_id, score) in enumerate(found, start=1))
        return Ranking(hits, {"bm25": tuple(chunk_id for chunk_id, _ in found)})


def measured_with(project: Any, metric: str = "ndcg@10") -> float:
    """The mean of a metric over a whole evaluation that stores nothing."""
    from ragtriage.measure.evaluate import evaluate

    run = evaluate(project, answers="none", store=False)
    return float(run.manifest["metrics"][metric]["value"])
