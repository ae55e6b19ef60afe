"""Whether a change may be merged: one function decides, and text, JSON and exit code are made of what it returns.

Let d be the sum of head - base over the questions that are the same on both sides. *regressed* where more is lost than
n × tolerance, even if every question that was not measured counts as found now and as lost before; else *cannot tell* where
something is missing that could change this, or where the gate could not have fired; else *ok*. No p-value decides, but for
answers that a model wrote.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable, Sequence
from typing import Any

from ragtriage.compare.significance import UNIT, difference_interval, sign_flip
from ragtriage.gate import words
from ragtriage.gate.inputs import Floor, Gated, GateInputs
from ragtriage.gate.results import FloorResult, Gate, MetricResult, Outcome

__all__ = ["FEWEST", "gate", "tolerance_for"]

FEWEST = 10
"""Questions; on fewer no gate is *ok*."""

_RESOLVED = 2.5  # questions that a tolerance has to be worth, so that a net loss of three fires and chance alone rarely does
_LEAST = 0.05
_LOOK_FROM, _LOOK_P = (
    100,
    0.05,
)  # from so many questions, a loss that chance alone makes more rarely than that is to be looked at
_MODEL_P, _MODEL_REPEATS = 0.2, 2  # what a model wrote regresses only with such a one-sided p, or where repeats lose as much


def tolerance_for(n: int) -> float:
    """How much a mean over `n` questions may fall where nobody says: max(0.05, 2.5 / n)."""
    return max(_LEAST, _RESOLVED / n) if n else 1.0


def gate(inputs: GateInputs) -> Gate:
    """Decide. Pure: the same inputs give the same Gate."""
    metrics = tuple(_metric(gated, inputs, first=not number) for number, gated in enumerate(inputs.gated))
    floors = tuple(map(_floor, inputs.floors))
    results: tuple[MetricResult | FloorResult, ...] = (*metrics, *floors)
    general = _general(inputs)
    warnings = (*inputs.notes, *_warnings(metrics, floors))
    if lost := [result.says for result in results if result.outcome == "regressed"]:
        return Gate("regressed", tuple(lost), (*general, *warnings), metrics, floors, inputs.stale)
    unknown = [*general, *(result.says for result in results if result.outcome == "cannot-tell")]
    if unknown:
        return Gate("cannot-tell", tuple(dict.fromkeys(unknown)), warnings, metrics, floors, inputs.stale)
    fine = (*(result.says for result in metrics), *(result.says for result in floors))
    return Gate("ok", fine, warnings, metrics, floors, inputs.stale)


def _general(inputs: GateInputs) -> list[str]:
    """Why nothing can be said, whatever the metrics are."""
    reasons = [*inputs.unusable]
    if not inputs.gated:
        reasons.append(words.nothing_gated())
    if inputs.k_base != inputs.k_head:
        reasons.append(words.other_k(inputs.k_base, inputs.k_head))
    if 2 * inputs.common < inputs.base_questions:
        reasons.append(words.other_set(inputs.common, inputs.base_questions))
    return reasons


def _metric(gated: Gated, inputs: GateInputs, *, first: bool) -> MetricResult:
    pairs = [(_measured(pair.base), _measured(pair.head)) for pair in gated.pairs]
    n = len(pairs)
    tolerance = tolerance_for(n) if inputs.tolerance is None else inputs.tolerance
    both = [(base, head) for base, head in pairs if base is not None and head is not None]
    bases, heads = [base for base, _ in both], [head for _, head in both]
    changes = [_rounded_unit(head - base) for base, head in both]
    best, worst = _bounds(pairs)
    result = MetricResult(
        metric=gated.metric,
        outcome="ok",
        says="",
        look=False,
        n=n,
        unmeasured_base=sum(base is None for base, _ in pairs),
        unmeasured_head=sum(head is None for _, head in pairs),
        unmeasured=n - len(both),
        base=_mean(bases),
        head=_mean(heads),
        lost=sum(change < 0 for change in changes),
        won=sum(change > 0 for change in changes),
        counts=all(value in (None, 0.0, 1.0) for pair in pairs for value in pair),
        best=best,
        worst=worst,
        tolerance=tolerance,
        allowed=n * tolerance,
        test=sign_flip(changes),
        interval=difference_interval(bases, heads),
    )
    outcome, says, look = _decide(result, gated, pairs, first=first)
    return dataclasses.replace(result, outcome=outcome, says=says, look=look)


def _decide(
    result: MetricResult, gated: Gated, pairs: Sequence[tuple[float | None, float | None]], *, first: bool
) -> tuple[Outcome, str, bool]:
    too_much = _exceeds(result.best, result.allowed)
    if too_much and (not gated.by_model or result.test.p_loss < _MODEL_P or _repeated(gated, result)):
        return "regressed", words.regressed(result, by_model=gated.by_model), False
    if too_much:
        return "cannot-tell", words.may_be_chance(result, len(gated.repeats)), False
    why = _unknown(result, gated, pairs, first=first)
    if why:
        return "cannot-tell", why, False
    look = result.n >= _LOOK_FROM and result.test.p_loss < _LOOK_P
    return "ok", words.ok(result, look=look, name=not first), look


def _unknown(result: MetricResult, gated: Gated, pairs: Sequence[tuple[float | None, float | None]], *, first: bool) -> str:
    """Why a metric that has not regressed is not ok either; "" where it is."""
    n = result.n
    if not n:
        return words.empty(result.metric)
    for side, unmeasured in (("base", result.unmeasured_base), ("head", result.unmeasured_head)):
        if unmeasured == n:
            return words.never_ran(result.metric, side)
    if result.unmeasured and _exceeds(result.worst, result.allowed):
        return words.not_measured(result, name=not first)
    if n < FEWEST:
        return words.too_few(result.metric, n, FEWEST)
    floor = math.fsum(base or 0.0 for base, _ in pairs) / n
    if floor <= result.tolerance + UNIT:
        return words.cannot_fire(result.metric, floor, result.tolerance)
    if gated.uncalibrated:
        return words.uncalibrated(result.metric, gated.uncalibrated)
    return ""


def _repeated(gated: Gated, result: MetricResult) -> bool:
    """Whether the head was measured again at least twice, and lost too much each time."""
    if len(gated.repeats) < _MODEL_REPEATS:
        return False
    again = [
        _bounds([(_measured(pair.base), _measured(values.get(pair.qid))) for pair in gated.pairs])[0]
        for values in gated.repeats
    ]
    return all(_exceeds(best, result.allowed) for best in again)


def _floor(floor: Floor) -> FloorResult:
    values = [_measured(value) for value in floor.values]
    there = [value for value in values if value is not None]
    n, lacking = len(values), len(values) - len(there)
    value = _mean(there)
    if not n or value is None:
        return FloorResult(floor, "cannot-tell", words.no_floor(floor, n), None, n, lacking)
    total = math.fsum(there)
    if (total + lacking) / n < floor.least - UNIT:
        return FloorResult(floor, "regressed", words.below_floor(floor, value, n, lacking), value, n, lacking)
    if total / n < floor.least - UNIT:
        return FloorResult(floor, "cannot-tell", words.floor_not_measured(floor, value, n, lacking), value, n, lacking)
    return FloorResult(floor, "ok", words.above_floor(floor, value, n), value, n, lacking)


def _warnings(metrics: Iterable[MetricResult], floors: Iterable[FloorResult]) -> list[str]:
    found = []
    for result in metrics:
        if result.n >= FEWEST and result.tolerance * result.n < _RESOLVED - UNIT:
            found.append(words.unresolved(result.metric, result.tolerance, result.n, _needed(result.tolerance)))
    found += [words.small_floor(result.floor, result.n) for result in floors if 0 < result.n < FEWEST]
    return list(dict.fromkeys(found))


def _needed(tolerance: float) -> int | None:
    """How many questions resolve a tolerance, None where no number does."""
    return math.ceil(_RESOLVED / tolerance - UNIT) if tolerance > UNIT else None


def _measured(value: Any) -> float | None:
    """A value from 0 to 1; None for what a damaged run or file may hold instead."""
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value <= 1:  # NaN compares with nothing
        return None
    return float(value)


def _bounds(pairs: Sequence[tuple[float | None, float | None]]) -> tuple[float, float]:
    """The sum of head - base when what was not measured counts in favour of the head, and against it."""
    best = math.fsum((1.0 if head is None else head) - (base or 0.0) for base, head in pairs)
    worst = math.fsum((head or 0.0) - (1.0 if base is None else base) for base, head in pairs)
    return _rounded_unit(best), _rounded_unit(worst)


def _exceeds(change: float, allowed: float) -> bool:
    return -change > allowed + UNIT


def _mean(values: Sequence[float]) -> float | None:
    return math.fsum(values) / len(values) if values else None


def _rounded_unit(value: float) -> float:
    return round(value, 9) + 0.0  # no -0.0
