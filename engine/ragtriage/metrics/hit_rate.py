"""hit@k: whether any of the evidence is inside the first k."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["hit_at"]


def hit_at(ranks: Sequence[int | None], k: int | None) -> float:
    """1.0 if any item has a rank of at most `k`, else 0.0; `k` None asks whether anything was found at all.

    `ranks` holds one rank (from 1) an item of evidence, None where it was not found. Raises ValueError without items.

    Formula: trec_eval's `success`.
    """
    if not ranks:
        raise ValueError("hit needs at least one item of evidence")
    return 1.0 if any(rank is not None and (k is None or rank <= k) for rank in ranks) else 0.0
