"""The border of a language model: a request in, a reply out. Who asks, how often and how many at once is not its business."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, NamedTuple, Protocol

from ragtriage.ids import canonical_json, sha256_hex, spec_of
from ragtriage.types import Passage

__all__ = ["OWN", "Endpoint", "Model", "Own", "Provider", "Reply", "Request"]

Provider = Literal["openai", "anthropic", "command"]


class Own(NamedTuple):
    """A provider's own server, and the environment variable that holds the key where none is named."""

    server: str
    key_variable: str


OWN: Mapping[str, Own] = {
    "openai": Own("https://api.openai.com", "OPENAI_API_KEY"),
    "anthropic": Own("https://api.anthropic.com", "ANTHROPIC_API_KEY"),
}
"""By Provider; a command has neither. What is asked, checked and agreed to all goes by this."""

_APART = {"spec": False}


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


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Which model is asked, and how it is reached. Its spec holds only what changes what it says.

    `folder` is where a command runs, the project's root; `program` stands for what it is now, "" where the command names no
    file in there. `retries` are tries after the first. Prices are for a million tokens,
    0 where they are not known.
    """

    provider: Provider = field(metadata=_APART)
    model: str = ""
    base_url: str = ""
    command: tuple[str, ...] = ()
    program: str = ""
    temperature: float = 0.0
    max_tokens: int = 500
    api_key_env: str = field(default="", metadata=_APART)
    timeout_s: float = field(default=30.0, metadata=_APART)
    retries: int = field(default=4, metadata=_APART)
    concurrency: int = field(default=4, metadata=_APART)
    input_price: float = field(default=0.0, metadata=_APART)
    output_price: float = field(default=0.0, metadata=_APART)
    folder: str = field(default="", metadata=_APART)

    @property
    def spec(self) -> str:
        """`openai(model=gpt-x,base_url=…)`."""
        return spec_of(self.provider, self)

    @property
    def where(self) -> str:
        """Where what is asked goes: a URL, or a program."""
        if self.provider == "command":
            return self.command[0] if self.command else ""
        return self.base_url or OWN[self.provider].server

    def cost(self, input_tokens: int | None, output_tokens: int | None) -> float | None:
        """The price of that many tokens, in the currency of the prices; None where either is not known."""
        if input_tokens is None or output_tokens is None or not (self.input_price or self.output_price):
            return None
        return (input_tokens * self.input_price + output_tokens * self.output_price) / 1_000_000


class Model(Protocol):
    """A model behind one Endpoint. Its methods are called in one event loop, `complete` up to `concurrency` times at once."""

    async def complete(self, request: Request) -> Reply:
        """The reply, after as many tries as the endpoint allows. Raises ModelFailed with a reason without secrets."""
        ...

    async def close(self) -> None:
        """Give back connections and end processes; called once, also after a failure or a cancel."""
        ...
