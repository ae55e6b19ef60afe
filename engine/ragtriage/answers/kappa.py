"""How far two raters agree beyond what chance would bring: Cohen's kappa with its interval."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

__all__ = ["Kappa", "cohens_kappa"]

_Z95 = 1.959963984540054  # the normal distribution's 97.5 % point


class Kappa(NamedTuple):
    """`n` items, the share on which both agree, kappa and its 95 % interval.

    What cannot be computed is None, and `why` says so in words. The interval is not cut at 1 or -1: with few items it may reach
    beyond.
    """

    n: int
    agreement: float | None
    kappa: float | None = None
    low: float | None = None
    high: float | None = None
    why: str = ""


def cohens_kappa(table: Sequence[Sequence[int]]) -> Kappa:
    """Of a square table of counts: rows are what one rater said, columns what the other one said.

    Cohen (1960), "A coefficient of agreement for nominal scales". The interval is kappa +- 1.96 standard errors, with the large
    sample variance of Fleiss, Cohen and Everitt (1969), "Large sample standard errors of kappa and weighted kappa", formula
    13. Raises ValueError where the table is not square or holds a negative count.
    """
    size = len(table)
    if any(len(row) != size for row in table) or any(count < 0 for row in table for count in row):
        raise ValueError("a square table of counts is needed")
    rows = [sum(row) for row in table]
    columns = [sum(row[at] for row in table) for at in range(size)]
    n = sum(rows)
    if not n:
        return Kappa(0, None, why="nothing was rated by both")
    same = sum(table[at][at] for at in range(size))
    by_chance = sum(row * column for row, column in zip(rows, columns, strict=True))  # times n², so that it is exact
    if by_chance == n * n:
        return Kappa(n, same / n, why="both always say the same one thing, so chance alone explains their agreement")
    kappa = (n * same - by_chance) / (n * n - by_chance)
    expected = by_chance / (n * n)
    on = sum(table[at][at] / n * (1 - (rows[at] + columns[at]) / n * (1 - kappa)) ** 2 for at in range(size))
    off = sum(
        table[row][column] / n * ((columns[row] + rows[column]) / n) ** 2
        for row in range(size)
        for column in range(size)
        if row != column
    )
    variance = (on + (1 - kappa) ** 2 * off - (kappa - expected * (1 - kappa)) ** 2) / (1 - expected) ** 2 / n
    half = _Z95 * math.sqrt(max(variance, 0.0))  # of perfect agreement it is 0, and rounding may go below
    return Kappa(n, same / n, kappa, kappa - half, kappa + half)
