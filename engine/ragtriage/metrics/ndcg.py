"""nDCG@k: recall that is weighted by grade and discounted by rank."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

__all__ = ["ndcg_at"]


def ndcg_at(ranks: Sequence[int | None], gains: Sequence[float], k: int | None) -> float:
    """Discounted gain of the first `k` as a fraction of the best that these judgements allow; `k` None: of all.

    `ranks` holds one rank (from 1) an item of evidence, None where it was not found; `gains` its grade, in the same order.
    A grade of 0 or less gains nothing. Raises ValueError without a positive grade, or when the lengths differ.

    Formula: Järvelin and Kekäläinen, Cumulated gain-based evaluation of IR techniques, 2002, with linear gains, discount
    log2(rank + 1), and the ideal from all judgements, found or not (trec_eval's `ndcg_cut`). The j-th item found counts at
    max(j, its rank): two items that stand in one chunk take two places, as they do in the ideal, so the value never exceeds 1.
    It never falls for a better rank where gains are equal, as those of quotes are, or no two items share a rank, as graded
    documents never do.
    """
    if len(ranks) != len(gains):
        raise ValueError(f"{len(ranks)} ranks but {len(gains)} gains")
    ideal = _discounted(enumerate(sorted((gain for gain in gains if gain > 0), reverse=True), start=1), k)
    if ideal == 0.0:
        raise ValueError("nDCG needs at least one item with a positive gain")
    # of two items at one rank the better takes the better place
    found = sorted((rank, -gain) for rank, gain in zip(ranks, gains, strict=True) if rank is not None and gain > 0)
    # the two sums run in different orders, and the last bit of a perfect ranking must not read as more than perfect
    return min(1.0, _discounted(((max(j, rank), -loss) for j, (rank, loss) in enumerate(found, start=1)), k) / ideal)


def _discounted(placed: Iterable[tuple[int, float]], k: int | None) -> float:
    """Sum of gain / log2(place + 1) over places, ascending, of at most `k`."""
    total = 0.0
    for place, gain in placed:
        if k is not None and place > k:
            break
        total += gain / math.log2(place + 1)
    return total
