"""One answer of a question, with its grade and what a judge says of it, and its form in `questions.jsonl`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from ragtriage.types import AXES, Axis, Grade, Judged

__all__ = ["ARMS", "AnswerResult", "Arm"]

Arm = Literal["live", "oracle", "padded", "forced"]
ARMS: tuple[Arm, ...] = ("live", "oracle", "padded", "forced")
"""What an answer was given: ranks 1..k; the evidence; the evidence, padded with what live holds besides; what live holds, with
the evidence forced in."""


@dataclass(frozen=True, slots=True)
class AnswerResult:
    """An answer with its grade; `passages` are the chunk ids that were sent, `[1]` first. `judged` None: no judge saw it."""

    text: str
    passages: tuple[str, ...]
    grade: Grade
    judged: Judged | None = None

    @property
    def correct(self) -> bool | None:
        """What the grade decides, and only where it decides nothing the judge. None: could not be judged."""
        if self.grade.correct is not None or self.judged is None:
            return self.grade.correct
        return self.judged.correct

    def on(self, axis: Axis) -> bool | None:
        """The verdict on one axis; the judge's, but for `correct`, where the grade comes first."""
        if axis == "correct":
            return self.correct
        return self.judged.on(axis) if self.judged is not None else None

    @property
    def blocked(self) -> bool:
        """Whether production should hold it back: it cites what it was not given."""
        return bool(self.grade.invalid)

    def to_dict(self) -> dict[str, Any]:
        grade = self.grade
        return {
            "text": self.text,
            "passages": list(self.passages),
            "correct": self.correct,
            "graded": grade.correct,
            "refused": grade.refused,
            "missing": list(grade.missing),
            "said_wrong": list(grade.said_wrong),
            "cited": list(grade.cited),
            "invalid": list(grade.invalid),
            "unsupported": list(grade.unsupported),
            "blocked": self.blocked,
            "judged": _judged_dict(self.judged) if self.judged else None,
        }

    @classmethod
    def from_dict(cls, value: Mapping[str, Any]) -> AnswerResult:
        grade = Grade(
            correct=value.get("graded", value["correct"]),
            refused=value["refused"],
            missing=tuple(value["missing"]),
            said_wrong=tuple(value["said_wrong"]),
            cited=tuple(value["cited"]),
            invalid=tuple(value["invalid"]),
            unsupported=tuple(value["unsupported"]),
        )
        judged = value.get("judged")
        return cls(value["text"], tuple(value["passages"]), grade, _judged_of(judged) if judged else None)


def _judged_dict(judged: Judged) -> dict[str, Any]:
    found: dict[str, Any] = {axis: judged.on(axis) for axis in AXES}
    return {**found, "claims": list(judged.claims), "unstable": list(judged.unstable), "reason": judged.reason or None}


def _judged_of(value: Mapping[str, Any]) -> Judged:
    axes = {axis: value[axis] for axis in AXES}
    return Judged(**axes, claims=tuple(value["claims"]), unstable=tuple(value["unstable"]), reason=value["reason"] or "")
