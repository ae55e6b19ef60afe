"""A configuration beside the one in use, question by question."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from ragtriage.compare.comparison import Comparison, compare, paired_values
from ragtriage.compare.significance import difference_interval, sign_flip
from ragtriage.experiments.holm import holm
from ragtriage.measure.results import Run
from ragtriage.metrics.base import Metric

__all__ = ["Versus", "adjusted", "in_tokens", "is_loss", "versus"]

_SEEN_Z = 1.959963984540054 + 0.8416212335729143  # the normal distribution's 97.5 % and 80 % points
_MOST_NEEDED = 100_000
_HELD = 4096  # a table is made again with each row that comes


class Versus(NamedTuple):
    """`won` and `lost` are the questions that the configuration in use fails and this one does not, and the other way round.

    `change` is that of recall@k (in_tokens: of the recall inside a budget) over the `n` questions measured on both sides, `low`
    and `high` bound its 95 % interval (None: no change was seen), `p` is that of the sign-flip test and `p_holm` the same among
    all rows of the table. `more` is about how many further questions like these would show a change of this size with p below
    0.05 in four samples of five; 0 where it shows, None where none was seen. It knows of no other rows: `p`, not `p_holm`.
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
    return _versus(*_flipped(found), before, after)


def in_tokens(found: Versus, current: Run, other: Run, budget: int) -> Versus:
    """`found` with the evidence recall inside `budget` tokens of context in the place of recall@k; the flips stay those at k.

    Both must be trials with figures for that budget. `p_holm` is that of this comparison alone.
    """
    before, after = _inside(current, budget), _inside(other, budget)
    both = [qid for qid in after if qid in before]
    return _versus(found.won, found.lost, [before[qid] for qid in both], [after[qid] for qid in both])


def is_loss(found: Versus) -> bool:
    """Whether a comparison at k is a loss: less is found, or more questions are lost than won."""
    return (found.change or 0.0) < 0 or len(found.lost) > len(found.won)


def _inside(run: Run, budget: int) -> dict[str, float | None]:
    values = run.manifest["sweep"]["budget_values"][str(budget)]
    return {question.qid: value for question, value in zip(run.questions, values, strict=True)}


def _versus(
    won: tuple[str, ...], lost: tuple[str, ...], before: Sequence[float | None], after: Sequence[float | None]
) -> Versus:
    both = [(old, new) for old, new in zip(before, after, strict=True) if old is not None and new is not None]
    return Versus(won, lost, *_effect(tuple(old for old, _ in both), tuple(new for _, new in both)))


@lru_cache(_HELD)
def _effect(old: tuple[float, ...], new: tuple[float, ...]) -> tuple[Any, ...]:
    """What a Versus says of two columns: change, n, low, high, p, p_holm, more."""
    if not old:
        return None, 0, None, None, 1.0, 1.0, None
    differences = [after - before for before, after in zip(old, new, strict=True)]
    test = sign_flip(differences)
    interval = difference_interval(old, new)
    change = round(math.fsum(differences) / len(old), 6)
    seen = bool(test.changed)
    low, high = (interval.low, interval.high) if seen else (None, None)
    return change, len(old), low, high, test.p, test.p, _more(differences, test.p) if seen else None


def adjusted(rows: list[Versus]) -> list[Versus]:
    """The same with `p_holm` of all of them together."""
    return [row._replace(p_holm=p) for row, p in zip(rows, holm([row.p for row in rows]), strict=True)]


def _flipped(found: Comparison) -> tuple[tuple[str, ...], tuple[str, ...]]:
    return tuple(flip.qid for flip in found.of("fixed")), tuple(flip.qid for flip in found.of("broken"))


def _more(differences: list[float], p: float) -> int | None:
    """Questions beyond these until a change of this size and spread would be seen: n = ((z_0.975 + z_0.80) s / d)^2.

    None where the change is 0, so that no number of questions makes it stand out. Formula: that of a paired t-test with many
    questions, two-sided 0.05 and power 0.80; Cohen, Statistical Power Analysis for the Behavioral Sciences, 1988.
    """
    if p < 0.05:
        return 0
    n = len(differences)
    mean = math.fsum(differences) / n
    if abs(mean) < 1e-9:
        return None
    spread = math.sqrt(math.fsum((one - mean) ** 2 for one in differences) / max(1, n - 1))
    needed = math.ceil((_SEEN_Z * spread / mean) ** 2)
    return min(_MOST_NEEDED, max(1, needed - n))
