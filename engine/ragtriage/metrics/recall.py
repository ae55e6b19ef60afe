"""recall@k: the fraction of the evidence that is inside the first k."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["recall_at"]


def recall_at(ranks: Sequence[int | None], k: int | None) -> float:
    """Items with a rank of at most `k`, divided by all items; `k` None counts every found item.

    `ranks` holds one rank (from 1) an item of evidence, None where it was not found. Items are counted, not entries of the
    ranking, so a chunk that is listed twice cannot push the value above 1. Raises ValueError without items.

    Formula: |relevant ∩ first k| / |relevant| (trec_eval's `recall`).
    """
    if not ranks:
        raise ValueError("recall needs at least one item of evidence")
    return sum(1 for rank in ranks if rank is not None and (k is None or rank <= k)) / len(ranks)
