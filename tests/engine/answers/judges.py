"""A judge that needs no model, and replies as a model writes them that judges."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from ragtriage.answers.judge import JudgeResult, Judging
from ragtriage.remote.estimate import Agree
from ragtriage.types import AXES, Judged, Progress, no_progress

__all__ = ["FakeJudge", "reply"]


class FakeJudge:
    """Deterministic: correct where the answer holds what is expected, grounded where a passage holds the answer."""

    def __init__(self, identity: str = "fake") -> None:
        self.identity = identity

        self.endpoint = None

    def manifest(self) -> dict[str, Any]:
        return {"identity": self.identity}

    def judge(
        self,
        judgings: Sequence[Judging],
        *,
        agree: Agree | None = None,
        stability: bool = False,
        progress: Progress = no_progress,
    ) -> list[JudgeResult]:
        return [JudgeResult(self._one(one)) for one in judgings]

    def _one(self, one: Judging) -> Judged:
        expected = one.question.expected_answer
        grounded = any(one.answer in passage.text for passage in one.passages)
        correct = expected in one.answer if expected else None
        return Judged(correct, grounded, None, True, True, claims=() if grounded else (one.answer,))


def reply(verdicts: str = "yes yes yes yes yes", claims: Sequence[str] = (), **more: Mapping[str, Any]) -> str:
    """A reply of the right shape; `?` is "cannot tell". `more` replaces whole axes."""
    words = [word.replace("?", "cannot tell") for word in verdicts.split()]
    said: dict[str, Any] = {
        axis: {"reason": f"so it is {axis}", "verdict": word} for axis, word in zip(AXES, words, strict=True)
    }
    said["grounded"]["unsupported_claims"] = list(claims)
    return json.dumps({**said, **more})
