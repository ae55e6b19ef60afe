"""Messages between ragtriage and its encoder process: a small JSON object and raw bytes, each behind its length.

No pickle: what comes over a pipe is data. Texts travel as UTF-8 with their lengths in the header, arrays as their bytes.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Sequence
from typing import Any, NamedTuple

import orjson

from ragtriage.search.analysis import scrub

__all__ = ["Inbox", "Message", "pack_texts", "send", "unpack_texts"]

_PREFIX = struct.Struct("<IQ")  # bytes of header, bytes of body


class Message(NamedTuple):
    header: dict[str, Any]
    body: bytes


def send(descriptor: int, header: dict[str, Any], body: bytes = b"") -> None:
    """Write one whole message. Raises OSError (BrokenPipeError where nobody reads any more)."""
    head = orjson.dumps(header)
    view = memoryview(_PREFIX.pack(len(head), len(body)) + head + body)
    while view:
        view = view[os.write(descriptor, view) :]


class Inbox:
    """Collects what arrives at a descriptor and gives whole messages; half a message stays here until the rest has come."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._held = bytearray()

    def fill(self) -> bool:
        """Read what is there, waiting for at least a byte. False at the end of the stream."""
        data = os.read(self._descriptor, 1 << 20)
        self._held += data
        return bool(data)

    def take(self) -> Message | None:
        """The next whole message, None while it has not come."""
        if len(self._held) < _PREFIX.size:
            return None
        head, body = _PREFIX.unpack_from(self._held)
        end = _PREFIX.size + head + body
        if len(self._held) < end:
            return None
        header = orjson.loads(self._held[_PREFIX.size : _PREFIX.size + head])
        message = Message(header, bytes(self._held[_PREFIX.size + head : end]))
        del self._held[:end]
        return message


def pack_texts(texts: Sequence[str]) -> tuple[list[int], bytes]:
    """Lengths in bytes, and the UTF-8 of all texts one after the other; lone surrogates become U+FFFD."""
    parts = [scrub(text).encode() for text in texts]
    return [len(part) for part in parts], b"".join(parts)


def unpack_texts(lengths: Sequence[int], body: bytes) -> list[str]:
    texts, start = [], 0
    for length in lengths:
        texts.append(body[start : start + length].decode("utf-8"))
        start += length
    return texts
