"""Which server is asked, and how it is reached."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from ragtriage.ids import spec_of

if TYPE_CHECKING:
    from ragtriage.config import RunConfig

__all__ = ["OWN", "Endpoint", "Own", "Provider", "bounds"]

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


def bounds(run: RunConfig) -> dict[str, Any]:
    """The fields of an Endpoint that the table `run` sets for all."""
    return {"timeout_s": run.timeout_s, "retries": run.retries, "concurrency": run.concurrency}


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
    pass_env: tuple[str, ...] = field(default=(), metadata=_APART)

    @property
    def spec(self) -> str:
        """`openai(model=gpt-x,base_url=…)`."""
        return spec_of(self.provider, self)

    @property
    def shown(self) -> str:
        """The spec as it is kept and shown: without what looks secret."""
        if not (self.command or self.base_url):
            return self.spec
        from ragtriage.secret_texts import hidden_address, hidden_command

        hidden = replace(self, command=tuple(hidden_command(self.command)), base_url=hidden_address(self.base_url))
        return hidden.spec

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
