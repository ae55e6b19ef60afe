"""A configuration beside the one in use, question by question."""

from __future__ import annotations

import math
from typing import NamedTuple

from ragtriage.compare.comparison import Comparison, compare, paired_values
from ragtriage.compare.significance import difference_interval, sign_flip
from ragtriage.experiments.holm import holm
from ragtriage.measure.results import Run
from ragtriage.metrics.base import Metric

__all__ = ["Versus", "adjusted", "versus"]

_SIGNIFICANT_Z = 1.959963984540054
_MOST_NEEDED = 100_000


class Versus(NamedTuple):
    """`won` and `lost` are the questions that the configuration in use fails and this one does not, and the other way round.

    `change` is that of recall@k over the `n` questions measured on both sides, `low` and `high` bound its 95 % interval (None:
    no change was seen), `p` is that of the sign-flip test and `p_holm` the same among all rows of the table. `more` is about
    how many further questions like these would settle the change; 0 where it is settled, None where none was seen.
    """

    won: tuple[str, ...]
    lost: tuple[str, ...]
    change: float | None
    n: int
    low: float | None
    high: float | None
    p: float
    p_holm: float
    more: int | None


def versus(current: Run, other: Run) -> Versus:
    """Compare two trials of the same questions; `p_holm` is still that of this comparison alone."""
    found = compare(current, other)
    k = int(current.manifest["k"]), int(other.manifest["k"])
    before = paired_values(found.pairs, Metric("recall", k[0])).base
    after = paired_values(found.pairs, Metric("recall", k[1])).head
    both = [(old, new) for old, new in zip(before, after, strict=True) if old is not None and new is not None]
    won, lost = _flipped(found)
    if not both:
        return Versus(won, lost, None, 0, None, None, 1.0, 1.0, None)
    old, new = [pair[0] for pair in both], [pair[1] for pair in both]
    differences = [b - a for a, b in both]
    test = sign_flip(differences)
    interval = difference_interval(old, new)
    change = round(math.fsum(differences) / len(both), 6)
    seen = bool(test.changed)
    low, high = (interval.low, interval.high) if seen else (None, None)
    return Versus(won, lost, change, len(both), low, high, test.p, test.p, _more(differences, test.p) if seen else None)


def adjusted(rows: list[Versus]) -> list[Versus]:
    """The same with `p_holm` of all of them together."""
    return [row._replace(p_holm=p) for row, p in zip(rows, holm([row.p for row in rows]), strict=True)]


def _flipped(found: Comparison) -> tuple[tuple[str, ...], tuple[str, ...]]:
    return tuple(flip.qid for flip in found.of("fixed")), tuple(flip.qid for flip in found.of("broken"))


def _more(differences: list[float], p: float) -> int | None:
    """Questions beyond these until a change of this size and spread would stand out of chance: n = (z s / d)^2.

    None where the change is 0, so that no number of questions makes it stand out.
    """
    if p < 0.05:
        return 0
    n = len(differences)
    mean = math.fsum(differences) / n
    if abs(mean) < 1e-9:
        return None
    spread = math.sqrt(math.fsum((one - mean) ** 2 for one in differences) / max(1, n - 1))
    needed = math.ceil((_SIGNIFICANT_Z * spread / mean) ** 2)
    return min(_MOST_NEEDED, max(1, needed - n))
