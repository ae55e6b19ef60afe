"""How far two raters agree beyond what chance would bring: Cohen's kappa with its interval."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal, NamedTuple

__all__ = ["Kappa", "OneSided", "cohens_kappa"]

_Z95 = 1.959963984540054  # the normal distribution's 97.5 % point


class OneSided(NamedTuple):
    """Who only ever said one thing, and which category, by its number, that is."""

    rater: Literal["rows", "columns"]
    category: int


class Kappa(NamedTuple):
    """`n` items, the share on which both agree, kappa and its 95 % interval.

    What cannot be computed is None, and `why` says so in words. It also says where one of both has only ever said one thing
    (`one_sided`: the rater of the rows, or of the columns, and what): the figures are then 0 whatever the other one says, with
    an interval of no width. The interval is not cut at 1 or -1: with few items it may reach beyond.
    """

    n: int
    agreement: float | None
    kappa: float | None = None
    low: float | None = None
    high: float | None = None
    why: str = ""
    one_sided: OneSided | None = None


def cohens_kappa(table: Sequence[Sequence[int]]) -> Kappa:
    """Of a square table of counts: rows are what one rater said, columns what the other one said.

    Cohen (1960), "A coefficient of agreement for nominal scales". The interval is kappa +- 1.96 standard errors, with the large
    sample variance of Fleiss, Cohen and Everitt (1969), "Large sample standard errors of kappa and weighted kappa", formula
    13. Raises ValueError where the table is not square or holds a negative count.
    """
    size = len(table)
    if any(len(row) != size for row in table) or any(count < 0 for row in table for count in row):
        raise ValueError("a square table of counts is needed")
    n = sum(map(sum, table))
    if not n:
        return Kappa(0, None, why="nothing was rated by both")
    from fractions import Fraction  # exact: of perfect agreement the variance is 0, and not a rounding error below it

    p = [[Fraction(count, n) for count in row] for row in table]
    rows, columns = [sum(row) for row in p], [sum(row[at] for row in p) for at in range(size)]
    observed = sum(p[at][at] for at in range(size))
    expected = sum(rows[at] * columns[at] for at in range(size))
    if expected == 1:
        return Kappa(n, float(observed), why="both always say the same one thing, so chance alone explains their agreement")
    kappa = (observed - expected) / (1 - expected)
    on = sum(p[at][at] * (1 - (rows[at] + columns[at]) * (1 - kappa)) ** 2 for at in range(size))
    off = sum(p[i][j] * (columns[i] + rows[j]) ** 2 for i in range(size) for j in range(size) if i != j)
    variance = (on + (1 - kappa) ** 2 * off - (kappa - expected * (1 - kappa)) ** 2) / (1 - expected) ** 2 / n
    half = _Z95 * math.sqrt(variance)
    figures = (float(kappa), float(kappa) - half, float(kappa) + half)
    one_sided = next((OneSided("rows", at) for at in range(size) if rows[at] == 1), None)
    one_sided = one_sided or next((OneSided("columns", at) for at in range(size) if columns[at] == 1), None)
    if one_sided is not None:
        return Kappa(
            n, float(observed), *figures, f"the rater of the {one_sided.rater} always says the same one thing", one_sided
        )
    return Kappa(n, float(observed), *figures)
