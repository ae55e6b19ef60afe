"""Two ranked lists into one. Each function takes the retrievers' lists and gives every row of their union a score.

The result is not sorted: `ranking.order` does that, for fusion as for everything else.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ragtriage.search.ranking import Retrieved

__all__ = ["reciprocal_rank_fusion", "standard_score_fusion"]


def reciprocal_rank_fusion(lists: Sequence[Retrieved], *, constant: int = 60) -> Retrieved:
    """score(d) = sum over the lists that hold d of 1 / (constant + rank of d), ranks from 1.

    Cormack, Clarke and Buettcher, "Reciprocal rank fusion outperforms Condorcet and individual rank learning methods",
    SIGIR 2009. Scores that retrievers gave are not looked at.
    """
    rows, places = _union(lists)
    scores = np.zeros(len(rows))
    for each, place in zip(lists, places, strict=True):
        scores[place] += 1.0 / (constant + np.arange(1, len(each.rows) + 1))
    return Retrieved(rows, scores)


def standard_score_fusion(lists: Sequence[Retrieved], *, floors: Sequence[float | None]) -> Retrieved:
    """score(d) = sum over the lists of (s(d) - mean) / deviation, both taken over the union of the lists.

    What a list lacks gets that list's lowest score, or its floor where it has one: `floors[i]` is 0 for a BM25 list that was
    exhausted (what it does not hold scores 0), None otherwise. A list whose scores are all equal adds nothing.
    """
    rows, places = _union(lists)
    total = np.zeros(len(rows))
    for each, place, floor in zip(lists, places, floors, strict=True):
        if len(each.rows) == 0:
            continue
        scores = np.full(len(rows), float(each.scores.min()) if floor is None else floor)
        scores[place] = each.scores
        deviation = scores.std()
        if deviation > 1e-9:  # equal scores leave a rounding error here, not a zero
            total += (scores - scores.mean()) / deviation
    return Retrieved(rows, total)


def _union(lists: Sequence[Retrieved]) -> tuple[np.ndarray, list[np.ndarray]]:
    """The union's rows, ascending, and for each list where its rows stand in it."""
    if not lists:
        return np.empty(0, np.int32), []
    rows, where = np.unique(np.concatenate([each.rows for each in lists]), return_inverse=True)
    return rows, np.split(where, np.cumsum([len(each.rows) for each in lists])[:-1])
