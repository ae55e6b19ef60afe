"""p-values of several comparisons, so that trying many configurations makes none of them significant."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["holm"]


def holm(values: Sequence[float]) -> list[float]:
    """Adjusted p-values in the order of `values`: the smallest times their number, the next times one less, never falling.

    Formula: Holm, A Simple Sequentially Rejective Multiple Test Procedure, 1979.
    """
    out = [1.0] * len(values)
    highest = 0.0
    for rank, place in enumerate(sorted(range(len(values)), key=values.__getitem__)):
        highest = max(highest, min(1.0, (len(values) - rank) * values[place]))
        out[place] = highest
    return out
