"""Which passages the questions of a set reach: those that turn up everywhere, and those that never do.

N_k(x), the k-occurrence of a passage x, is the number of questions that have it among their first k (Radovanović, Nanopoulos
and Ivanović 2010, Hubs in space). Its skewness tells how unevenly places are shared out; a passage far out to the right is a
hub.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["Hub", "hubs", "occurrences", "skewness"]

LEAST_SHARE = 0.1
"""A hub is among the first k of at least this share of the questions."""
_LEAST_QUESTIONS = 5
_IMPROBABLE = 0.001  # of any passage of the corpus getting there by chance


class Hub(NamedTuple):
    """A passage among the first k of `questions` questions, of which `evidence` have evidence in it."""

    row: int
    questions: int
    evidence: int


def occurrences(rankings: Sequence[Sequence[int]], passages: int) -> NDArray[np.int64]:
    """int64[passages]: in how many of `rankings`, which are rows, each passage is."""
    rows = [row for ranking in rankings for row in set(ranking)]
    return np.bincount(np.array(rows, dtype=np.int64), minlength=passages)


def skewness(counts: NDArray[np.int64]) -> float | None:
    """E[(N - μ)³] / σ³ of the k-occurrences; None where all are equal."""
    if not len(counts) or counts.min() == counts.max():
        return None
    return round(float(((counts - counts.mean()) ** 3).mean() / counts.std() ** 3), 3)


def hubs(counts: NDArray[np.int64], evidence: NDArray[np.int64], *, questions: int, k: int) -> list[Hub]:
    """The passages that are in the first `k` of an improbable share of the questions and mostly without being their evidence.

    Improbable: with k of the passages drawn for each question, the chance that any passage came as often is below 0.001
    (binomial tail times the number of passages). `evidence` int64[passages] counts, of the questions that have the passage
    in their first k, those whose evidence lies in it. The most frequent first, ties in reading order.
    """
    passages = len(counts)
    least = max(_LEAST_QUESTIONS, math.ceil(LEAST_SHARE * questions))
    rows = np.flatnonzero((counts >= least) & (2 * evidence < counts))
    out = [
        Hub(int(row), int(counts[row]), int(evidence[row]))
        for row in rows
        if passages * _tail(int(counts[row]), questions, min(1.0, k / passages)) < _IMPROBABLE
    ]
    return sorted(out, key=lambda hub: (-hub.questions, hub.row))


def _tail(least: int, n: int, p: float) -> float:
    """P(X >= least) for X binomial (n, p)."""
    if p >= 1:
        return 1.0
    logs = [
        math.lgamma(n + 1) - math.lgamma(i + 1) - math.lgamma(n - i + 1) + i * math.log(p) + (n - i) * math.log1p(-p)
        for i in range(least, n + 1)
    ]
    return min(1.0, math.fsum(map(math.exp, logs)))
