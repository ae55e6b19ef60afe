"""Reciprocal rank: how far down the first piece of evidence stands. Its mean over questions is the MRR."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["reciprocal_rank"]


def reciprocal_rank(ranks: Sequence[int | None], k: int | None = None) -> float:
    """1 / the smallest rank, 0.0 where nothing was found or where it stands below `k`.

    `ranks` holds one rank (from 1) an item of evidence, over the ranking cut to the pool; None where it was not found.
    Raises ValueError without items.

    Formula: Voorhees, The TREC-8 Question Answering Track Report, 1999 (trec_eval's `recip_rank`).
    """
    if not ranks:
        raise ValueError("the reciprocal rank needs at least one item of evidence")
    best = min((rank for rank in ranks if rank is not None), default=None)
    return 0.0 if best is None or (k is not None and best > k) else 1.0 / best
