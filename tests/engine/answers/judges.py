"""A judge that needs no model, and a model that says what a test wants."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ragtriage.answers.judge import Judging
from ragtriage.answers.models.base import Endpoint, Reply, Request
from ragtriage.answers.models.estimate import Agree
from ragtriage.errors import ModelFailed
from ragtriage.types import AXES, Judged, Progress, no_progress

__all__ = ["FakeJudge", "FakeModel", "reply"]


class FakeJudge:
    """Deterministic: correct where the answer holds what is expected, grounded where a passage holds the answer."""

    def __init__(self, identity: str = "fake") -> None:
        self.identity = identity

    def manifest(self) -> dict[str, Any]:
        return {"identity": self.identity}

    def judge(
        self,
        judgings: Sequence[Judging],
        *,
        agree: Agree | None = None,
        stability: bool = False,
        progress: Progress = no_progress,
    ) -> list[Judged | None]:
        return [self._one(one) for one in judgings]

    def _one(self, one: Judging) -> Judged:
        expected = one.question.expected_answer
        grounded = any(one.answer in passage.text for passage in one.passages)
        correct = expected in one.answer if expected else None
        return Judged(correct, grounded, None, True, True, claims=() if grounded else (one.answer,))


class FakeModel:
    """Says what `says` makes of a request; an exception is raised instead. `requests` are those that reached it."""

    def __init__(self, says: Callable[[Request], str | Reply | Exception]) -> None:
        self._says = says
        self.requests: list[Request] = []

    def opens(self, endpoint: Endpoint) -> FakeModel:
        return self

    async def complete(self, request: Request) -> Reply:
        self.requests.append(request)
        said = self._says(request)
        if isinstance(said, str):
            return Reply(said, "fake-1", 10, 5, 0.5)
        if isinstance(said, Exception):
            raise said if isinstance(said, ModelFailed) else ModelFailed(str(said))
        return said

    async def close(self) -> None:
        pass


def reply(verdicts: str = "yes yes yes yes yes", claims: Sequence[str] = (), **more: Mapping[str, Any]) -> str:
    """A reply of the right shape; `?` is "cannot tell". `more` replaces whole axes."""
    words = [word.replace("?", "cannot tell") for word in verdicts.split()]
    said: dict[str, Any] = {
        axis: {"reason": f"so it is {axis}", "verdict": word} for axis, word in zip(AXES, words, strict=True)
    }
    said["grounded"]["unsupported_claims"] = list(claims)
    return json.dumps({**said, **more})
