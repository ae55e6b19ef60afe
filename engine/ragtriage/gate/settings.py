"""What is gated, from `[gate]` and from the command line: metrics, a tolerance, floors."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import get_args

from ragtriage.config import GateConfig
from ragtriage.errors import ConfigError, UsageError
from ragtriage.gate.inputs import On
from ragtriage.metrics.base import parse_metric
from ragtriage.types import AXES, Axis

__all__ = ["FloorSetting", "GateSettings", "gate_settings"]

_FORM = "a floor is METRIC NUMBER, METRIC kind:NAME NUMBER or METRIC tag:NAME NUMBER"


@dataclass(frozen=True, slots=True)
class FloorSetting:
    """`recall@k kind:exact 0.8`: the least mean of a metric over some questions."""

    metric: str
    on: On
    name: str
    least: float


@dataclass(frozen=True, slots=True)
class GateSettings:
    """`metrics` are as written, `recall@k` with its k open, because each side may have its own; or axes of an answer.

    `tolerance` None: max(0.05, 2.5 / n).
    """

    metrics: tuple[str, ...]
    answers: bool = False
    tolerance: float | None = None
    floors: tuple[FloorSetting, ...] = ()

    @property
    def axes(self) -> tuple[Axis, ...]:
        """What is gated of answers; nothing without `answers`."""
        return tuple(axis for axis in AXES if axis in self.metrics) if self.answers else ()


def gate_settings(
    config: GateConfig, *, answers: bool = False, metrics: str | None = None, tolerance: str | None = None
) -> GateSettings:
    """The settings of one gate. `metrics` (separated by commas) and `tolerance` stand for the keys of the same name.

    With `answers` only what is said of answers is gated, without it only retrieval. Raises UsageError or ConfigError that names
    the key and the known forms.
    """
    floors = [_floor(text) for text in config.floors]
    named = [name.strip() for name in metrics.split(",") if name.strip()] if metrics is not None else None
    source = "--metrics" if named is not None else "gate.answers" if answers else "gate.metrics"
    chosen = named if named is not None else list(config.answers if answers else config.metrics)
    error = UsageError if named is not None else ConfigError
    if not chosen:
        raise error(f"{source}: name at least one metric")
    for name in chosen:
        if why := _unknown(name, answers=answers):
            raise error(f"{source}: {why}")
    return GateSettings(
        metrics=tuple(dict.fromkeys(chosen)),
        answers=answers,
        tolerance=_tolerance(tolerance) if tolerance is not None else None if config.tolerance == "auto" else config.tolerance,
        floors=tuple(floor for floor in floors if (floor.metric in AXES) == answers),
    )


def _unknown(name: str, *, answers: bool) -> str:
    """What is wrong with the name of a metric; "" where nothing is."""
    if answers:
        return "" if name in AXES else f"{name}: of answers {', '.join(AXES)} can be gated"
    if name in AXES:
        return f"{name}: is said of answers, which --answers gates"
    try:
        parse_metric(name, k=1)
    except UsageError as error:
        return str(error)
    return ""


def _tolerance(text: str) -> float | None:
    if text == "auto":
        return None
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0 <= value <= 1:
        raise UsageError(f"--tolerance: a number from 0 to 1 is needed, or auto, not {text[:40]!r}")
    return value


def _floor(text: str) -> FloorSetting:
    words: Sequence[str] = text.split()
    try:
        least = float(words[-1]) if len(words) > 1 else math.nan
    except ValueError:
        least = math.nan
    on, colon, name = " ".join(words[1:-1]).partition(":")
    known: tuple[On, ...] = get_args(On)
    group = next((one for one in known if one == on), None)
    if not 0 <= least <= 1 or group is None or bool(group) != bool(colon) or bool(group) != bool(name):
        raise ConfigError(f"gate.floors: {text[:80]!r}: {_FORM}, with a number from 0 to 1")
    if why := _unknown(words[0], answers=words[0] in AXES):
        raise ConfigError(f"gate.floors: {text[:80]!r}: {why}")
    return FloorSetting(words[0], group, name, least)
