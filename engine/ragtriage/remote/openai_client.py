"""OpenAI's library, opened on the server that was configured, whoever runs that."""

from __future__ import annotations

from typing import Any, NamedTuple

from ragtriage.errors import MissingExtra
from ragtriage.remote.endpoint import OWN, Endpoint
from ragtriage.remote.exchange import Exchange
from ragtriage.remote.keys import read_key
from ragtriage.remote.wording import address_of

__all__ = ["Opened", "openai_client"]


class Opened(NamedTuple):
    """The library's client, and what asks with it."""

    client: Any
    exchange: Exchange


def openai_client(endpoint: Endpoint, **bounds: int) -> Opened:
    """Call it inside the event loop that uses it; `bounds` are those of Transport. Raises MissingExtra, ConfigError (no key, no
    address)."""
    try:
        import openai

        from ragtriage.remote.transport import Transport
    except ImportError:
        raise MissingExtra("openai is not installed; install it with: pip install 'ragtriage[openai]'") from None
    address = address_of(endpoint.base_url or f"{OWN['openai'].server}/v1")
    key = read_key(endpoint, address)
    headers = {"authorization": f"Bearer {key.reveal()}"}
    transport = Transport(headers, timeout_s=endpoint.timeout_s, loopback=address.loopback, **bounds)
    client = openai.AsyncOpenAI(
        api_key=key.reveal(),
        base_url=address.url,
        max_retries=endpoint.retries,
        timeout=endpoint.timeout_s,
        http_client=transport,
    )
    return Opened(client, Exchange(openai, endpoint, address, key))
