"""What a gate decides on: columns of values, floors, and what is known of the two sides besides."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, NamedTuple

__all__ = ["Floor", "GateInputs", "Gated", "On", "Pair"]

On = Literal["", "kind", "tag"]
"""Which questions a floor is about: all, those of a kind, those with a tag."""


class Pair(NamedTuple):
    """The value of one question on both sides, from 0 to 1; None, or anything else, where it was not measured."""

    qid: str
    base: float | None
    head: float | None


@dataclass(frozen=True, slots=True)
class Gated:
    """One gated metric over the questions that are the same on both sides.

    `by_model`: a language model wrote the answers, which come out otherwise each time. `uncalibrated` names what a judge is
    not calibrated on. `repeats` are the head's values by qid when it was measured again.
    """

    metric: str
    pairs: tuple[Pair, ...]
    by_model: bool = False
    uncalibrated: str = ""
    repeats: tuple[Mapping[str, float | None], ...] = ()


@dataclass(frozen=True, slots=True)
class Floor:
    """The least mean that a metric of the head may have, over all questions, those of a kind, or those with a tag."""

    metric: str
    least: float
    on: On = ""
    name: str = ""
    values: tuple[float | None, ...] = ()

    def __str__(self) -> str:
        return f"{self.metric} {self.on}:{self.name}" if self.on else self.metric


@dataclass(frozen=True, slots=True)
class GateInputs:
    """All that the decision rests on.

    `tolerance` None: max(0.05, 2.5 / n). `base_questions` are the base's, of which `common` are still there with the same text
    and evidence. `stale` questions are scored by document on both sides. `notes` are warnings of whoever measured.
    """

    gated: tuple[Gated, ...]
    base_questions: int
    common: int
    k_base: int
    k_head: int
    tolerance: float | None = None
    floors: tuple[Floor, ...] = ()
    stale: tuple[str, ...] = ()
    unusable: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
