"""The sentences of a gate, each made of its numbers. No sentence decides anything."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ragtriage.gate.inputs import Floor
    from ragtriage.gate.results import MetricResult

__all__ = [
    "LOOK", "OUTCOMES", "above_floor", "bad_lines", "below_floor", "cannot_fire", "empty", "floor_not_measured", "labels_gone",
    "may_be_chance", "never_ran", "no_floor", "not_measured", "nothing_gated", "ok", "other_k", "other_set", "regressed",
    "small_floor", "too_few", "uncalibrated", "unresolved",
]  # fmt: skip

OUTCOMES = {"ok": "ok", "regressed": "regressed", "cannot-tell": "cannot tell"}
LOOK = "ok, but look"
_SETTLED = 0.05
_NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
_SIDES = {"base": "the base", "head": "the head"}


def regressed(result: MetricResult, *, by_model: bool) -> str:
    """`recall@5 0.82 -> 0.74, 5 lost, 1 won of 50 (4 net, 2 allowed). These five did break; …`"""
    least = "at least " if result.unmeasured else ""
    net, allowed = _amounts(-result.best, result)
    head = f"{result.metric} {_means(result)}{_counted(result)} ({least}{net} net, {allowed} allowed)."
    return f"{head} {_settled(result, by_model=by_model)}" if result.lost else head


def _settled(result: MetricResult, *, by_model: bool) -> str:
    verb = "break" if result.counts else "get worse"
    one = result.lost == 1
    these = "This one" if one else f"These {_spelled(result.lost)}"
    if result.test.p < _SETTLED:
        return f"{these} did {verb}, and that is unlikely to be chance ({_p(result.test.p)})."
    questions = "question" if result.n == 1 else "questions"
    by = ", which a model answered" if by_model else ""
    return (
        f"{these} did {verb}; that the change is worse in general is not settled by {result.n} {questions}{by} "
        f"({_p(result.test.p)})."
    )


def ok(result: MetricResult, *, look: bool, name: bool) -> str:
    """`3 lost, 2 won of 50, within 2 net.` or, to look at, `7 lost, 0 won of 200; unlikely to be chance (p 0.008).`

    Where questions are lost in part, their count says nothing of the net: `3 lost, 0 won of 31 (2.5 net, 2.5 allowed).`
    """
    counted = f"{result.metric} {_counted(result)}" if name else _counted(result)
    if look:
        return f"{counted}; unlikely to be chance ({_p(result.test.p_loss)})."
    net, allowed = _amounts(-result.worst, result)
    if result.counts or result.worst >= 0:
        return f"{counted}, within {allowed} net."
    return f"{counted} ({'at most ' if result.unmeasured else ''}{net} net, {allowed} allowed)."


def not_measured(result: MetricResult, *, name: bool) -> str:
    """`2 of 50 not measured; between 1 and 3 net lost, 2 allowed.`"""
    least, most = -result.best, -result.worst
    low, allowed = _amounts(least, result)
    high = _amounts(most, result)[0]
    lacking = f"{result.unmeasured} of {result.n} not measured"
    if least < 0:
        between = f"between {_amounts(result.best, result)[0]} net won and {high} net lost"
    else:
        between = f"between {low} and {high} net lost"
    return f"{result.metric + ' ' if name else ''}{lacking}; {between}, {allowed} allowed."


def may_be_chance(result: MetricResult, repeats: int) -> str:
    net, allowed = _amounts(-result.best, result)
    least = "at least " if result.unmeasured else ""
    again = (
        f"in {_spelled(repeats)} repeats it was not so each time"
        if repeats >= 2
        else "two repeats in which it comes out again would settle it"
    )
    return (
        f"{result.metric} {_means(result)}{_counted(result)} ({least}{net} net, {allowed} allowed), but a model wrote these "
        f"answers and chance does as much ({_p(result.test.p_loss)}); {again}."
    )


def bad_lines(name: str, lines: int) -> str:
    what = "1 line cannot be used" if lines == 1 else f"{lines} lines cannot be used"
    return f"{name}: {what}; ragtriage golden check says which."


def labels_gone(gone: int, lost: int) -> str:
    """`3 of the 5 questions whose evidence is lower have a label whose text is gone from the documents; …`"""
    of = "the question whose evidence is" if lost == 1 else f"the {lost} questions whose evidence is"
    have = "has a label whose text is" if gone == 1 else "have labels whose text is"
    return f"{gone} of {of} lower {have} gone from the documents; ragtriage golden anchor looks for it."


def nothing_gated() -> str:
    return "no metric is gated."


def empty(metric: str) -> str:
    return f"no question that {metric} is measured on is the same on both sides."


def never_ran(metric: str, side: str) -> str:
    return f"nothing of {_SIDES[side]} was measured for {metric}."


def too_few(metric: str, n: int, fewest: int) -> str:
    return f"{metric} rests on {_questions(n)}; at least {fewest} are needed."


def cannot_fire(metric: str, base: float, tolerance: float) -> str:
    return f"{metric} was {_share(base)} before and may fall by {_share(tolerance)}, so this gate could never fire."


def uncalibrated(metric: str, axis: str) -> str:
    return f"{metric} rests on a judge that is uncalibrated on {axis}; ragtriage judge calibrate compares it with people."


def other_k(base: int, head: int) -> str:
    return f"k was {base} and is {head} now; both are looked at with k = {head}, which is not what the base put in its prompt."


def other_set(common: int, questions: int) -> str:
    return f"the base belongs to another golden set: {common} of its {_questions(questions)} are still there as they were."


def unresolved(metric: str, tolerance: float, n: int, needed: int | None) -> str:
    if needed is None:
        return f"{metric}: a tolerance of 0 lets any loss at all fail, however many questions there are."
    return (
        f"{metric}: a tolerance of {_share(tolerance)} is finer than {n} questions can tell from chance; it needs {needed}, "
        f"{needed - n} more."
    )


def no_floor(floor: Floor, n: int) -> str:
    why = "no question of it is the same on both sides" if not n else f"none of its {_questions(n)} was measured"
    return f"{_named(floor)} has a floor of {_share(floor.least)}, and {why}."


def below_floor(floor: Floor, value: float, n: int, lacking: int) -> str:
    return f"{_named(floor)} is {_below(value, floor)}, under its floor of {_share(floor.least)}{_of(n, lacking)}."


def floor_not_measured(floor: Floor, value: float, n: int, lacking: int) -> str:
    return f"{_named(floor)} is {_share(value)} with a floor of {_share(floor.least)}{_of(n, lacking)}, which could change it."


def above_floor(floor: Floor, value: float, n: int) -> str:
    return f"{_named(floor)} {_share(value)}, at or over its floor of {_share(floor.least)} ({_questions(n)})."


def small_floor(floor: Floor, n: int) -> str:
    return f"the floor of {_named(floor)} rests on {_questions(n)}."


def _named(floor: Floor) -> str:
    return f"{floor.metric} of {floor.on} {floor.name}" if floor.on else floor.metric


def _below(value: float, floor: Floor) -> str:
    """A value under the floor, with as many digits as it takes to see that."""
    text = _share(value)
    return text if text != _share(floor.least) else f"{value:.4f}"


def _of(n: int, lacking: int) -> str:
    return f" ({lacking} of {_questions(n)} not measured)" if lacking else f" ({_questions(n)})"


def _questions(n: int) -> str:
    return f"{n} question" if n == 1 else f"{n} questions"


def _counted(result: MetricResult) -> str:
    lacking = f", {result.unmeasured} not measured" if result.unmeasured else ""
    return f"{result.lost} lost, {result.won} won of {result.n}{lacking}"


def _means(result: MetricResult) -> str:
    """`0.82 -> 0.74, `, with a third decimal where two show no change; nothing where nothing was measured."""
    if result.base is None or result.head is None:
        return ""
    digits = 2 if f"{result.base:.2f}" != f"{result.head:.2f}" else 3
    return f"{result.base:.{digits}f} -> {result.head:.{digits}f}, "


def _amounts(net: float, result: MetricResult) -> tuple[str, str]:
    """A net loss and what is allowed: whole questions where all count whole, else with the digits that tell them apart."""
    if result.counts:
        return str(round(net)), str(math.floor(result.allowed + 1e-9))
    for digits in range(2, 10):
        told = _trimmed(net, digits), _trimmed(result.allowed, digits)
        if told[0] != told[1] or math.isclose(net, result.allowed, abs_tol=1e-9):
            break
    return told


def _trimmed(value: float, digits: int) -> str:
    return f"{value:.{digits}f}".rstrip("0").rstrip(".")


def _share(value: float) -> str:
    """Two decimals, three where the third says something."""
    return f"{value:.2f}" if abs(round(value, 2) - value) < 5e-4 else f"{value:.3f}"


def _p(p: float) -> str:
    """`p 0.22`, `p 0.008`, `p < 0.001`: one digit that says something, two from 0.01, three where two would be the limit."""
    if p < 0.001:
        return "p < 0.001"
    if f"{p:.2f}" == f"{_SETTLED:.2f}" and p != _SETTLED:
        return f"p {p:.3f}"
    return f"p {p:.2f}" if p >= 0.0095 else f"p {p:.3f}"


def _spelled(number: int) -> str:
    return _NUMBERS[number] if number < len(_NUMBERS) else str(number)
