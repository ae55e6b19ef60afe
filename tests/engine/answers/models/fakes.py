"""A model that answers from a function, and counts: deterministic, and as slow or as broken as a test wants."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

from ragtriage.answers.models.asking import Asker
from ragtriage.answers.models.base import Reply, Request
from ragtriage.answers.models.replies import ReplyCache
from ragtriage.errors import ModelFailed
from ragtriage.remote.endpoint import Endpoint

ENDPOINT = Endpoint("command", command=("fake",), concurrency=2)


Says = Callable[[Request], str | Reply | ModelFailed]


class FakeModel:
    """`says` gets the request and returns the text, a whole reply, or the failure to raise. `requests` reached it."""

    def __init__(self, says: Says, *, delay_s: float = 0.0) -> None:
        self.says = says
        self.delay_s = delay_s
        self.requests: list[Request] = []
        self.at_once = 0
        self.most_at_once = 0
        self.closed = 0

    async def complete(self, request: Request) -> Reply:
        self.requests.append(request)
        self.at_once += 1
        self.most_at_once = max(self.most_at_once, self.at_once)
        try:
            await asyncio.sleep(self.delay_s)
            said = self.says(request)
            if isinstance(said, ModelFailed):
                raise said
            return said if isinstance(said, Reply) else Reply(said, "fake-1", 100, 10, 0.5)
        finally:
            self.at_once -= 1

    async def close(self) -> None:
        self.closed += 1


def asker(folder: Path, model: FakeModel, endpoint: Endpoint = ENDPOINT, permit: Callable[[], None] = lambda: None) -> Asker:
    """An Asker whose model is `model`, with its replies below `folder`."""
    return Asker(endpoint, ReplyCache(folder / "replies"), permit=permit, opens=lambda _: model)


def failing(reason: str, *, hopeless: bool = False) -> Says:
    return lambda _: ModelFailed(reason, hopeless=hopeless)
