"""The one way out to a provider, beneath its library, which keeps its own ways of repeating what failed.

The libraries read a dozen environment variables, send what they know of the machine, follow redirects, and have a time limit
for each read but none for a whole answer. Here only what was configured goes out, to where it was configured, and what comes
back is bounded in time and size. An attempt that takes too long is a timeout to the library, which may try again.
"""

from __future__ import annotations

import asyncio
import time
import zlib
from collections.abc import Mapping
from datetime import timedelta
from email.utils import parsedate_to_datetime
from typing import Any

import httpx2

__all__ = ["Transport"]

_LARGEST = 8  # MiB of a reply
_LONGEST_WAIT = 120.0  # seconds that a server may ask us to wait
_KEPT = {
    "host", "accept", "connection", "content-length", "content-type", "transfer-encoding", "user-agent", "idempotency-key",
    "anthropic-version",
}  # fmt: skip


class Transport(httpx2.AsyncClient):
    """A client for one server. `headers` are those that carry the key; `largest` is the MiB that an answer may have.

    A proxy that the environment names is used as every program does, but never for a server on this machine.
    """

    def __init__(self, headers: Mapping[str, str], *, timeout_s: float, loopback: bool, largest: int = _LARGEST) -> None:
        super().__init__(timeout=timeout_s, follow_redirects=False, trust_env=not loopback)
        self._own = dict(headers)
        self._timeout_s = timeout_s
        self._largest = largest

    async def send(self, request: httpx2.Request, **_: Any) -> httpx2.Response:
        """One attempt, read to its end. `elapsed` is the time it took. Raises httpx2.ReadTimeout, httpx2.RequestError."""
        kept = {name: value for name, value in request.headers.items() if name.lower() in _KEPT}
        headers = kept | self._own | {"accept-encoding": "identity"}
        sent = httpx2.Request(
            request.method, request.url, headers=headers, stream=request.stream, extensions=request.extensions
        )
        began = time.monotonic()
        try:
            async with asyncio.timeout(self._timeout_s):
                response = await super().send(sent, stream=True)
                try:
                    content = await _bounded(response, self._largest)
                finally:
                    await response.aclose()
        except TimeoutError:
            raise httpx2.ReadTimeout(f"no whole answer within {self._timeout_s:g} s", request=request) from None
        whole = httpx2.Response(response.status_code, headers=_told(response), content=content, request=request)
        whole.elapsed = timedelta(seconds=time.monotonic() - began)
        return whole


async def _bounded(response: httpx2.Response, largest: int) -> bytes:
    """The body. What a server packs unasked is unpacked here: the library would do so without a limit, and a small reply can
    hold a very large one. Raises httpx2.DecodingError for what is packed otherwise than by gzip, or badly."""
    packed = response.headers.get("content-encoding", "identity").strip().lower()
    if packed not in ("", "identity", "gzip", "x-gzip"):
        raise httpx2.DecodingError("it packed its answer, unasked", request=response.request)
    unpacker = zlib.decompressobj(16 + zlib.MAX_WBITS) if "gzip" in packed else None
    most = largest << 20
    parts = []
    size = 0
    try:
        async for part in response.aiter_raw(65_536):
            plain = unpacker.decompress(part, most + 1 - size) if unpacker else part
            parts.append(plain)
            size += len(plain)
            if size > most:  # as an answer, so that nobody asks for it again
                return b'{"error": {"message": "it sent more than %d MB"}}' % largest
    except zlib.error as error:
        raise httpx2.DecodingError(str(error), request=response.request) from None
    return b"".join(parts)


def _told(response: httpx2.Response) -> dict[str, str]:
    """The headers that matter: what the body is, and when to try again."""
    kept = {
        name: response.headers[name]
        for name in ("content-type", "retry-after", "x-should-retry", "location")
        if name in response.headers
    }
    if _seconds(kept.get("retry-after", "")) > _LONGEST_WAIT:
        kept |= {"x-should-retry": "false"}
    return kept


def _seconds(text: str) -> float:
    """The seconds of a Retry-After header, which may be a date; 0 where it is neither."""
    try:
        return float(text)
    except ValueError:
        pass
    try:
        return parsedate_to_datetime(text).timestamp() - time.time()
    except (ValueError, OverflowError):
        return 0.0
