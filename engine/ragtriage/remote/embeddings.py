"""Embeddings of OpenAI and of whatever speaks like it: TEI, vLLM, Ollama. What comes back is not looked into here."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from ragtriage.errors import MissingExtra
from ragtriage.files import clean_text
from ragtriage.remote.endpoint import OWN, Endpoint
from ragtriage.remote.exchange import Exchange
from ragtriage.remote.fields import count_of, name_of
from ragtriage.remote.keys import read_key
from ragtriage.remote.wording import address_of

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
        try:
            import openai

            from ragtriage.remote.transport import Transport
        except ImportError:
            raise MissingExtra("openai is not installed; install it with: pip install 'ragtriage[openai]'") from None
        address = address_of(endpoint.base_url or f"{OWN['openai'].server}/v1")
        key = read_key(endpoint, address)
        self._parameters: dict[str, Any] = {"model": endpoint.model, "encoding_format": "float"}
        if dimensions:
            self._parameters["dimensions"] = dimensions
        self._client = openai.AsyncOpenAI(
            api_key=key.reveal(),
            base_url=address.url,
            max_retries=endpoint.retries,
            timeout=endpoint.timeout_s,
            http_client=Transport(
                {"authorization": f"Bearer {key.reveal()}"},
                timeout_s=endpoint.timeout_s,
                loopback=address.loopback,
                largest=_LARGEST,
            ),
        )
        self._exchange = Exchange(openai, endpoint, address, key)

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
    """The vector of each text by the `index` that the server gives; by order where it gives none and none is missing."""
    rows: list[Any] = [None] * count
    items = [item for item in data if isinstance(item, dict)]
    if not any("index" in item for item in items):
        return [item.get("embedding") for item in items] if len(items) == len(data) == count else rows
    seen: set[int] = set()
    for item in items:
        place = item.get("index")
        if type(place) is not int or not 0 <= place < count:
            continue
        rows[place] = None if place in seen else item.get("embedding")  # two for one: which is it?
        seen.add(place)
    return rows
