"""How long a reranker takes for one question, warm: it has been asked before, and nothing is taken from the cache."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ragtriage.search.pipeline import Retriever
from ragtriage.types import Failure, Progress

__all__ = ["Latency", "latencies"]

_TIMED = 50  # questions; a cross-encoder takes seconds for each at a pool of 100


class Latency(NamedTuple):
    """Milliseconds of `n` questions, percentiles by linear interpolation. `passages` is the mean number that was scored: the
    pool, or what retrieval had."""

    p50_ms: float
    p95_ms: float
    n: int
    passages: float


def latencies(
    retriever: Retriever,
    asked: Sequence[tuple[str, Sequence[str]]],
    pools: Sequence[int],
    progress: Progress,
    *,
    most: int = _TIMED,
) -> dict[int, Latency]:
    """The times at each of `pools`, of `asked`: questions with the ids of their candidates, best first.

    Where there are many, `most` of them, spread evenly. Those at which the reranker fails are left out, and a pool without
    any. Raises what the reranker raises.
    """
    reranking = retriever.reranking
    some = [one for one in asked if one[1]]
    step = max(1.0, len(some) / most)
    some = [some[int(place * step)] for place in range(min(most, len(some)))]
    if reranking is None or not some:
        return {}
    texts = [_texts(retriever, ids) for _, ids in some]
    reranking.fresh(some[0][0], texts[0][: max(pools)])  # the model is loaded, the program started
    taken: dict[int, list[tuple[float, int]]] = {pool: [] for pool in pools}
    for number, ((question, _), passages) in enumerate(zip(some, texts, strict=True)):
        progress("timing", number, len(some))
        for pool in pools:
            cut = passages[:pool]
            began = time.perf_counter()
            scores = reranking.fresh(question, cut)
            if not isinstance(scores, Failure):
                taken[pool].append(((time.perf_counter() - began) * 1000, len(cut)))
    return {pool: _latency(each) for pool, each in taken.items() if each}


def _texts(retriever: Retriever, ids: Sequence[str]) -> list[str]:
    rows = (retriever.chunks.row(name) for name in ids)
    return [retriever.chunks.indexed_text(row) for row in rows if row is not None]


def _latency(taken: Sequence[tuple[float, int]]) -> Latency:
    times = np.array([ms for ms, _ in taken])
    p50, p95 = np.percentile(times, (50, 95)).tolist()
    return Latency(p50, p95, len(taken), sum(count for _, count in taken) / len(taken))
