"""Embeddings of OpenAI and of whatever speaks like it: TEI, vLLM, Ollama. What comes back is not looked into here."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from ragtriage.remote.endpoint import Endpoint
from ragtriage.remote.fields import count_of, name_of
from ragtriage.remote.openai_client import openai_client
from ragtriage.surrogates import clean_text

__all__ = ["Embeddings", "Rows"]

_LARGEST = 64  # MiB of a reply: 128 vectors of 4,096 values take a sixth of it


class Rows(NamedTuple):
    """One reply. `rows` has a place a text: its list of numbers as it was sent, None where the server gave none. `model` is as
    the server names it, `tokens` None where it does not say."""

    rows: list[Any]
    model: str
    tokens: int | None
    seconds: float


class Embeddings:
    """The embeddings of one server. Made inside the event loop that uses it."""

    def __init__(self, endpoint: Endpoint, dimensions: int) -> None:
        """`dimensions` 0 asks for the model's own. Raises MissingExtra, ConfigError (no key, no address)."""
        self._parameters: dict[str, Any] = {"model": endpoint.model, "encoding_format": "float"}
        if dimensions:
            self._parameters["dimensions"] = dimensions
        self._client, self._exchange = openai_client(endpoint, largest=_LARGEST)

    async def embed(self, texts: Sequence[str]) -> Rows:
        """One row a text, whatever the order in which the server sends them.

        Raises Refused where the server does not take these texts, ModelFailed.
        """
        sent = {**self._parameters, "input": [clean_text(text) for text in texts]}
        said = await self._exchange.ask(
            lambda: sent, self._client.embeddings.with_raw_response.create, lambda words, parameters: False
        )
        data = said.body.get("data")
        if not isinstance(data, list):
            raise self._exchange.failed("sent an answer without a list of vectors")
        usage = said.body.get("usage")
        tokens = count_of(usage, "prompt_tokens")
        return Rows(
            _placed(data, len(texts)),
            self._exchange.hide(name_of(said.body.get("model"))),
            count_of(usage, "total_tokens") if tokens is None else tokens,
            said.seconds,
        )

    async def close(self) -> None:
        """Give back connections."""
        await self._exchange.close(self._client)


def _placed(data: list[Any], count: int) -> list[Any]:
    """The vector of each text by the `index` that the server gives; by order where it gives none and none is missing.

    None at all where an index is not one of the texts': a server that counts from 1 would give each the vector of another.
    """
    rows: list[Any] = [None] * count
    items = [item for item in data if isinstance(item, dict)]
    if not any("index" in item for item in items):
        return [item.get("embedding") for item in items] if len(items) == len(data) == count else rows
    seen: set[int] = set()
    for item in items:
        place = item.get("index")
        if type(place) is not int or not 0 <= place < count:
            return [None] * count
        rows[place] = None if place in seen else item.get("embedding")  # two for one: which is it?
        seen.add(place)
    return rows
