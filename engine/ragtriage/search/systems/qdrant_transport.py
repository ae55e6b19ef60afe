"""The way to a Qdrant node, beneath its library: what comes back is bounded in time and size, and nobody is followed elsewhere.

The library's limits are for each read; a node that sends a byte now and then would hold a question for ever.
"""

from __future__ import annotations

import time
import urllib.request
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

if TYPE_CHECKING:
    import httpx

__all__ = ["bounded_transport"]

_LARGEST = 32 << 20  # bytes of a reply


def bounded_transport(url: str, *, timeout_s: float, loopback: bool, connections: int) -> httpx.BaseTransport:
    """Sends requests to `url`'s host, through the proxy that the environment names for it; none for this machine."""
    import httpx  # which loads a terminal's library, where that is installed

    limits = httpx.Limits(max_connections=connections, max_keepalive_connections=connections)
    proxy = "" if loopback else _proxy(url)
    inner = httpx.HTTPTransport(trust_env=False, limits=limits, proxy=httpx.Proxy(proxy) if proxy else None)

    class Bounded(httpx.BaseTransport):
        def handle_request(self, request: httpx.Request) -> httpx.Response:
            """The whole reply. Raises httpx.ReadTimeout where it is not there in time, httpx.ReadError where it is too long."""
            request.headers["accept-encoding"] = "identity"  # else a small reply could unpack to a large one
            end = time.monotonic() + timeout_s
            response = inner.handle_request(request)
            parts: list[bytes] = []
            size = 0
            try:
                for part in response.iter_raw():
                    parts.append(part)
                    size += len(part)
                    if size > _LARGEST:
                        raise httpx.ReadError(f"it sent more than {_LARGEST >> 20} MB", request=request)
                    if time.monotonic() > end:
                        raise httpx.ReadTimeout(f"no whole answer within {timeout_s:g} s", request=request)
            finally:
                response.close()
            kept = {name: response.headers[name] for name in ("content-type", "retry-after") if name in response.headers}
            return httpx.Response(response.status_code, headers=kept, content=b"".join(parts), request=request)

        def close(self) -> None:
            inner.close()

    return Bounded()


def _proxy(url: str) -> str:
    """The proxy for `url`, "" where there is none."""
    parts = urlsplit(url)
    proxies = urllib.request.getproxies()
    found = proxies.get(parts.scheme) or proxies.get("all") or ""
    if not found or urllib.request.proxy_bypass(parts.hostname or ""):
        return ""
    return found if "://" in found else f"http://{found}"
