"""A golden line as it is spelled: its members as text, so that they can be put in order without being written anew.

Numbers keep their digits (1e400, 1.0, whole numbers of any length), strings their escapes, unknown values every character.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable
from functools import cached_property
from typing import Any, NamedTuple

__all__ = ["Member", "Spelled", "repeated_keys", "respaced", "spell"]

_SPACE = re.compile(r"[ \t\n\r]*")
_PART = re.compile(r'"(?:[^"\\]|\\.)*+"|[ \t\n\r]+|[,:]', re.DOTALL)
_SPACED = {",": ", ", ":": ": "}


class Member(NamedTuple):
    """One key and value of an object: `key` as it reads, `name` and `value` as they are spelled."""

    key: str
    name: str
    value: str


class Spelled:
    """One object with its members in the file's order."""

    def __init__(self, members: Iterable[Member]) -> None:
        self.members = tuple(members)

    @cached_property
    def value(self) -> dict[str, Any]:
        """What the object reads as; lone surrogates stay as they are."""
        return {member.key: json.loads(member.value) for member in self.members}

    @cached_property
    def identity(self) -> frozenset[tuple[str, str]]:
        """Equal for two lines that say the same, in whatever order and spacing: numbers and escapes are compared as spelled."""
        return frozenset((member.key, respaced(member.value)) for member in self.members)

    def __str__(self) -> str:
        return "{" + ", ".join(f"{member.name}: {member.value}" for member in self.members) + "}"


def spell(text: str) -> Spelled:
    """The members of one JSON object. Raises ValueError for anything else, and for a key that stands twice in it."""
    repeated: list[str] = []
    try:
        members = _members(text, _decoder(repeated))
    except RecursionError:
        raise ValueError("nested too deeply") from None
    if repeated:
        raise ValueError(f"{repeated[0]!r} stands twice in one object")
    return Spelled(members)


def repeated_keys(text: str) -> list[str]:
    """The keys that stand twice in one object of a JSON text, at any depth, each once. Nothing where it is no JSON."""
    found: list[str] = []
    try:
        _decoder(found).decode(text)
    except (ValueError, RecursionError):
        return []
    return list(dict.fromkeys(found))


def respaced(text: str) -> str:
    """JSON with one space after each comma and colon and none elsewhere; strings and numbers stay as they are spelled."""
    return _PART.sub(lambda found: found[0] if found[0][0] == '"' else _SPACED.get(found[0], ""), text)


def _decoder(repeated: list[str]) -> json.JSONDecoder:
    def pairs(found: list[tuple[str, Any]]) -> dict[str, Any]:
        out = dict(found)
        if len(out) < len(found):
            counts = Counter(key for key, _ in found)
            repeated.extend(key for key, count in counts.items() if count > 1)
        return out

    # numbers are only passed over: Python refuses to read whole numbers of more than 4,300 digits
    return json.JSONDecoder(object_pairs_hook=pairs, parse_int=str, parse_float=str)


def _members(text: str, decoder: json.JSONDecoder) -> list[Member]:
    at = _skip(text, 0)
    if text[at : at + 1] != "{":
        raise ValueError("a JSON object is needed")
    at = _skip(text, at + 1)
    members: list[Member] = []
    seen: set[str] = set()
    while text[at : at + 1] != "}":
        if members:
            at = _expect(text, at, ",")
        start = at
        if text[at : at + 1] != '"':
            raise ValueError(f"a key is needed at column {at + 1}")
        key, at = decoder.raw_decode(text, at)
        name = text[start:at]
        at = _expect(text, _skip(text, at), ":")
        start = at
        _, at = decoder.raw_decode(text, at)
        members.append(Member(key, name, text[start:at]))
        if key in seen:
            raise ValueError(f"{key!r} stands twice in one object")
        seen.add(key)
        at = _skip(text, at)
    if text[at + 1 :].strip(" \t\r\n"):
        raise ValueError(f"more than one value, at column {at + 2}")
    return members


def _skip(text: str, at: int) -> int:
    match = _SPACE.match(text, at)
    return match.end() if match else at


def _expect(text: str, at: int, sign: str) -> int:
    if text[at : at + 1] != sign:
        raise ValueError(f"{sign!r} is needed at column {at + 1}")
    return _skip(text, at + 1)
