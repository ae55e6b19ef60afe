"""Where the judged documents of one question stand in a run: the only thing that measures need of it.

trec_eval sorts a question's documents by score, as 32-bit floats, equal scores by document id in descending order, and never
looks at the rank column. Ours sorts as search.ranking does: scores at six decimals, equal ones by id in ascending order.
"""

from __future__ import annotations

import math
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping, Sequence
from typing import AnyStr, Literal

__all__ = ["TIES", "Ties", "comparable", "places"]

Ties = Literal["trec_eval", "ours"]
TIES: tuple[Ties, ...] = ("trec_eval", "ours")

_DECIMALS = 1e6  # search.ranking.DECIMALS, which is not imported here: it would bring numpy


def comparable(scores: Sequence[float], ties: Ties) -> list[float]:
    """The scores as they are compared."""
    if ties == "trec_eval":
        return array("f", scores).tolist()
    return [round(score * _DECIMALS) / _DECIMALS if math.isfinite(score * _DECIMALS) else score for score in scores]


def places(scores: Mapping[AnyStr, float], wanted: Iterable[AnyStr], ties: Ties) -> dict[AnyStr, int]:
    """The rank (from 1) of each document of `wanted` that is there. `scores` are `comparable` ones by document.

    Only the scores are sorted: a rank is one more than how many score higher, and than how many of the equal ones stand before.
    """
    found = [doc for doc in wanted if doc in scores]
    ordered = sorted(scores.values()) if found else []
    equals: dict[float, list[AnyStr]] = {}
    out = {}
    for doc in found:
        score = scores[doc]
        above = bisect_right(ordered, score)
        rank = len(ordered) - above + 1
        if above - bisect_left(ordered, score) > 1:
            if score not in equals:
                equals[score] = sorted(other for other, value in scores.items() if value == score)
            alike = equals[score]
            before = bisect_left(alike, doc)
            rank += len(alike) - before - 1 if ties == "trec_eval" else before
        out[doc] = rank
    return out
