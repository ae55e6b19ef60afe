"""What is told of a server: its name, and what it said."""

from __future__ import annotations

import ipaddress
import re
from typing import NamedTuple
from urllib.parse import urlsplit

from ragtriage.errors import ConfigError
from ragtriage.programs.words import clipped, json_of, message_of
from ragtriage.remote.endpoint import Endpoint

__all__ = ["Address", "address_of", "is_free", "is_loopback", "refusal_words", "server_words"]

_TAG = re.compile(r"<(script|style)\b.*?</\1>|<[^<>]*>", re.DOTALL | re.IGNORECASE)


class Address(NamedTuple):
    """`host` as it is shown, with its port; `loopback`: it is this machine."""

    url: str
    host: str
    loopback: bool


def address_of(url: str) -> Address:
    """Where `url` leads. Raises ConfigError where it is no address, or holds a password."""
    try:
        parts = urlsplit(url)
        name, port = parts.hostname or "", parts.port
    except ValueError:
        name, port = "", None
    if not name or parts.scheme not in ("http", "https") or not url.isprintable():
        raise ConfigError(f"base_url: {clipped(url)!r} is no address; it looks like http://127.0.0.1:8080/v1")
    if parts.username is not None or parts.password is not None:
        raise ConfigError(f"base_url: no name or password belongs into the address of {name}; api_key_env names a variable")
    return Address(url, f"{name}:{port}" if port else name, is_loopback(name))


def is_free(endpoint: Endpoint) -> bool:
    """Whether nothing is paid for asking: a server on this machine, without prices. A program may send it anywhere.
    Raises ConfigError."""
    if endpoint.provider == "command" or not endpoint.base_url:
        return False
    return address_of(endpoint.base_url).loopback and not (endpoint.input_price or endpoint.output_price)


def is_loopback(name: str) -> bool:
    """Whether a host's name is this machine's. 127.0.0.1.example.com is not."""
    try:
        return ipaddress.ip_address(name).is_loopback
    except ValueError:
        return name.lower().rstrip(".") == "localhost"


def server_words(content: bytes) -> str:
    """What a body says, unclipped: the message in it where it is JSON, else its text without tags."""
    return message_of(json_of(content)) or _TAG.sub(" ", content[:20_000].decode("utf-8", "replace"))


def refusal_words(content: bytes) -> str:
    """What tells which part of a request a server does not take, in lower case: codes, names of parameters, the message."""
    body = json_of(content)
    error = body.get("error") if isinstance(body, dict) else None
    told = [error[name] for name in ("code", "type", "param") if error.get(name)] if isinstance(error, dict) else []
    detail = body.get("detail") if isinstance(body, dict) else None
    told += [item.get("loc") for item in detail[:9] if isinstance(item, dict)] if isinstance(detail, list) else []
    return f"{' '.join(map(str, told))} {server_words(content)}"[:4000].lower()
