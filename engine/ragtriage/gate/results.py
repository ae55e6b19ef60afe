"""What a gate decided, for text, JSON and exit code alike."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from ragtriage.compare.significance import Interval, SignFlip
from ragtriage.gate import words
from ragtriage.gate.inputs import Floor

__all__ = ["EXIT_CODES", "FloorResult", "Gate", "MetricResult", "Outcome"]

Outcome = Literal["ok", "regressed", "cannot-tell"]
EXIT_CODES: Mapping[Outcome, int] = {"ok": 0, "regressed": 1, "cannot-tell": 3}


@dataclass(frozen=True, slots=True)
class MetricResult:
    """One gated metric. `base`, `head`, `change`, `test` and `interval` are of the questions that both sides measured.

    `n` counts all that are the same on both sides, `unmeasured` those without a value on one of them. `best` and `worst` are
    the sum of head - base when every unmeasured question counts in favour of the head, and against it. `lost` and `won` count
    questions; `counts` is whether all values are 0 or 1. `allowed` is n × tolerance.
    """

    metric: str
    outcome: Outcome
    says: str
    look: bool
    n: int
    unmeasured_base: int
    unmeasured_head: int
    unmeasured: int
    base: float | None
    head: float | None
    lost: int
    won: int
    counts: bool
    best: float
    worst: float
    tolerance: float
    allowed: float
    test: SignFlip
    interval: Interval

    @property
    def change(self) -> float | None:
        return None if self.base is None or self.head is None else self.head - self.base

    def to_dict(self) -> dict[str, Any]:
        interval = None if self.interval.low is None else [_rounded(self.interval.low), _rounded(self.interval.high)]
        return {
            "outcome": self.outcome,
            "base": _rounded(self.base),
            "head": _rounded(self.head),
            "change": _rounded(self.change),
            "tolerance": _rounded(self.tolerance),
            "allowed": _rounded(self.allowed),
            "n": self.n,
            "unmeasured": {"questions": self.unmeasured, "base": self.unmeasured_base, "head": self.unmeasured_head},
            "lost": self.lost,
            "won": self.won,
            "net": [_rounded(self.worst), _rounded(self.best)],
            "p": _rounded(self.test.p),
            "p_loss": _rounded(self.test.p_loss),
            "interval": interval,
            "method": self.interval.method,
            "says": self.says,
        }


@dataclass(frozen=True, slots=True)
class FloorResult:
    """One floor: the mean of the head over its `n` questions, `unmeasured` of which have no value."""

    floor: Floor
    outcome: Outcome
    says: str
    value: float | None
    n: int
    unmeasured: int

    def to_dict(self) -> dict[str, Any]:
        return {
            "metric": self.floor.metric,
            "on": self.floor.on or None,
            "name": self.floor.name or None,
            "least": _rounded(self.floor.least),
            "outcome": self.outcome,
            "value": _rounded(self.value),
            "n": self.n,
            "unmeasured": self.unmeasured,
            "says": self.says,
        }


@dataclass(frozen=True, slots=True)
class Gate:
    """The decision. `reasons` are sentences, each of which alone makes the outcome what it is; for *ok* one a metric."""

    outcome: Outcome
    reasons: tuple[str, ...]
    warnings: tuple[str, ...]
    metrics: tuple[MetricResult, ...]
    floors: tuple[FloorResult, ...]
    stale: tuple[str, ...]

    @property
    def exit_code(self) -> int:
        return EXIT_CODES[self.outcome]

    @property
    def sentences(self) -> tuple[str, ...]:
        """The reasons, each with the outcome in front: `regressed: …`, `ok: …`, `ok, but look: …`, `cannot tell: …`."""
        heads = [words.OUTCOMES[self.outcome]] * len(self.reasons)
        if self.outcome == "ok":
            looks = {result.says for result in self.metrics if result.look}
            heads = [words.LOOK if reason in looks else head for reason, head in zip(self.reasons, heads, strict=True)]
        return tuple(f"{head}: {reason}" for head, reason in zip(heads, self.reasons, strict=True))

    def to_dict(self) -> dict[str, Any]:
        """JSON values only; the same inputs give the same bytes."""
        return {
            "outcome": self.outcome,
            "exit_code": self.exit_code,
            "sentences": list(self.sentences),
            "reasons": list(self.reasons),
            "warnings": list(self.warnings),
            "metrics": {result.metric: result.to_dict() for result in self.metrics},
            "floors": [result.to_dict() for result in self.floors],
            "stale": list(self.stale),
        }


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 6) + 0.0
