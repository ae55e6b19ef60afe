"""Canonical JSON, content hashes, and specs: a configured object is its own identity.

The same text is the repr, the column header, the command-line argument and what is hashed: `recursive(size=200,overlap=32)`.
"""

from __future__ import annotations

import dataclasses
import hashlib
import os
from collections.abc import Iterable
from typing import Any

import orjson

__all__ = ["canonical_json", "fingerprint", "fresh_id", "question_id", "sha256_hex", "spec_of", "text_sha"]

_LETTERS = "23456789abcdefghjkmnpqrstuvwxyz"  # no 0/o, 1/i/l: ids are read aloud and typed


def canonical_json(value: Any) -> bytes:
    """`value` as JSON with sorted keys and no white space. Takes dicts, lists, tuples, str, bool, None, int, finite float."""
    return orjson.dumps(value, option=orjson.OPT_SORT_KEYS | orjson.OPT_PASSTHROUGH_DATACLASS)


def sha256_hex(data: bytes) -> str:
    """SHA-256 as 64 hex digits."""
    return hashlib.sha256(data).hexdigest()


def text_sha(text: str) -> str:
    """SHA-256 of a text's UTF-8; lone surrogates are hashed as they stand."""
    return sha256_hex(text.encode("utf-8", "surrogatepass"))


def fingerprint(parts: Iterable[Any]) -> str:
    """Sixteen hex digits that identify a sequence of JSON values."""
    return sha256_hex(canonical_json(list(parts)))[:16]


def question_id(text: str) -> str:
    """`q-` and six characters of the text's hash: two branches that add the same question agree, others do not collide."""
    number = int.from_bytes(hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()[:8], "big")
    return "q-" + _letters(number)


def fresh_id(prefix: str) -> str:
    """A new event id such as `v-k3f9a2`; random, so that two branches never take the same."""
    return f"{prefix}-{_letters(int.from_bytes(os.urandom(8), 'big'))}"


def _letters(number: int, length: int = 6) -> str:
    out = []
    for _ in range(length):
        number, digit = divmod(number, len(_LETTERS))
        out.append(_LETTERS[digit])
    return "".join(out)


def spec_of(name: str, configured: Any) -> str:
    """`name(key=value,…)` of a frozen dataclass, without the fields that hold their default or are marked `spec: False`."""
    shown = []
    for item in dataclasses.fields(configured):
        if not item.metadata.get("spec", True):
            continue
        value = getattr(configured, item.name)
        if item.default is not dataclasses.MISSING and value == item.default:
            continue
        shown.append(f"{item.name}={_plain(value)}")
    return f"{name}({','.join(shown)})" if shown else name


def _plain(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return f"{value:g}" if isinstance(value, float) else str(value)
