"""The one place where order is decided: scores rounded, ties broken by chunk id, duplicates dropped, cut.

Every retriever, fusion and reranker goes through `order`, so that the same scores give the same ranking wherever they come
from and in whatever order they arrive.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

__all__ = ["DECIMALS", "Retrieved", "order"]

DECIMALS = 6


class Retrieved(NamedTuple):
    """Rows of the chunk table, best first: `rows` int32[n], `scores` float64[n] at `DECIMALS` places."""

    rows: np.ndarray
    scores: np.ndarray


def order(rows: np.ndarray, scores: np.ndarray, ids: Sequence[str], depth: int) -> Retrieved:
    """Sort by descending score at `DECIMALS` places, then by chunk id; keep a row's best entry; cut to `depth`.

    `rows` int[n] index `ids`; `scores` float[n]. Scores that are not numbers raise ValueError: they have no place in an order.
    """
    if len(rows) == 0 or depth <= 0:
        return Retrieved(np.empty(0, np.int32), np.empty(0))
    rounded = np.round(scores.astype(np.float64), DECIMALS)
    if not np.isfinite(rounded).all():
        raise ValueError("a retrieval score is not a finite number")
    by_score = np.argsort(-rounded, kind="stable")
    rows, rounded = rows[by_score], rounded[by_score]
    if len(set(rows.tolist())) < len(rows):
        first = np.sort(np.unique(rows, return_index=True)[1])
        rows, rounded = rows[first], rounded[first]
    same = rounded[1:] == rounded[:-1]
    if same[:depth].any():
        rows = _by_id(rows, same, ids, depth)
    return Retrieved(rows[:depth].astype(np.int32), rounded[:depth])


def _by_id(rows: np.ndarray, same: np.ndarray, ids: Sequence[str], depth: int) -> np.ndarray:
    """Sort each run of equal scores that begins inside `depth` by chunk id. `same[i]`: entry i + 1 has the score of entry i."""
    listed: list[int] = rows.tolist()
    edges = np.flatnonzero(np.diff(np.concatenate(([False], same, [False])).astype(np.int8)))
    for start, stop in zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True):
        listed[start : stop + 1] = sorted(listed[start : stop + 1], key=ids.__getitem__)
        if stop >= depth:
            break
    return np.array(listed, dtype=rows.dtype)
