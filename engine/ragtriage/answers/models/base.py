"""The border of a language model: a request in, a reply out. Who asks, how often and how many at once is not its business."""

from __future__ import annotations

from typing import NamedTuple, Protocol

from ragtriage.ids import canonical_json, sha256_hex
from ragtriage.types import Passage

__all__ = ["Model", "Reply", "Request"]


class Request(NamedTuple):
    """One thing to ask. `schema` is a JSON Schema as text where the reply must be JSON, else "".

    `question` and `passages` are what the prompt was made of, for a program that makes its own. `repeat` tells a second asking
    of the same thing (1) from the first (0), and so on: each has a reply of its own.
    """

    system: str
    user: str
    question: str = ""
    passages: tuple[Passage, ...] = ()
    schema: str = ""
    repeat: int = 0

    def key(self, spec: str) -> str:
        """64 hex digits: the same model asked the same thing. Where a passage came from is no part of it."""
        texts = [[one.number, one.title, list(one.heading), one.text] for one in self.passages]
        again = [self.repeat] if self.repeat else []
        return sha256_hex(canonical_json([spec, self.system, self.user, self.question, texts, self.schema, *again]))


class Reply(NamedTuple):
    """What came back. `model` is as the server names it; tokens are None where it does not say. `seconds` is the time from
    the request to the whole answer, waits between attempts left out. `cut`: it ran into `max_tokens`."""

    text: str
    model: str = ""
    input_tokens: int | None = None
    output_tokens: int | None = None
    seconds: float = 0.0
    cut: bool = False


class Model(Protocol):
    """A model behind one Endpoint. Its methods are called in one event loop, `complete` up to `concurrency` times at once."""

    async def complete(self, request: Request) -> Reply:
        """The reply, after as many tries as the endpoint allows. Raises ModelFailed with a reason without secrets."""
        ...

    async def close(self) -> None:
        """Give back connections and end processes; called once, also after a failure or a cancel."""
        ...
