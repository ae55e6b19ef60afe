"""From what a judge wrote to its verdicts: JSON of exactly the shape that was asked for, or one sentence on what is wrong.

A language model wrote it, about text from anywhere, so it may be anything. The JSON may stand in a code fence or between
other words.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from ragtriage.answers.judge_prompt import VERDICTS
from ragtriage.surrogates import clean_text
from ragtriage.types import AXES, Axis

__all__ = ["BadReply", "Reading", "read_reply"]

_MOST_CLAIMS = 20
_LONGEST_TEXT = 300  # characters of a claim
_LONGEST_REPLY = 4 << 20  # characters
_BEGINS = re.compile(rf'\{{\s*"(?:{"|".join(AXES)})"')


class BadReply(ValueError):
    """A reply that cannot be used; its text goes back to the model, and to a person."""


class Reading(NamedTuple):
    """The verdicts in the order of AXES; None is "cannot tell". `claims` are statements without support."""

    verdicts: tuple[bool | None, ...]
    claims: tuple[str, ...]

    def on(self, axis: Axis) -> bool | None:
        """The verdict on one axis."""
        return self.verdicts[AXES.index(axis)]


def read_reply(text: str, *, cut: bool = False) -> Reading:
    """The verdicts in a reply; claims are cut to a length that can be kept. Raises BadReply.

    `cut`: the reply ran into its limit of tokens.
    """
    try:
        found = _find(text)
        _keys(found, set(AXES), "the object")
        verdicts = [_verdict(axis, found[axis]) for axis in AXES]
        claims = _claims(found["grounded"]["unsupported_claims"])
    except BadReply as error:
        raise (BadReply("it was cut off before its end; shorter reasons are needed") if cut else error) from None
    if claims and verdicts[AXES.index("grounded")]:
        raise BadReply('grounded is "yes", but unsupported_claims is not empty')
    return Reading(tuple(verdicts), claims)


def _find(text: str) -> dict[str, Any]:
    """The last object that begins like a reply: what a model thinks aloud comes before what it settles on."""
    if len(text) > _LONGEST_REPLY:
        raise BadReply(f"it is {len(text):,} characters long")
    place = max((match.start() for match in _BEGINS.finditer(text)), default=text.find("{"))
    if place < 0:
        raise BadReply("it holds no JSON object" if text.strip() else "it is empty")
    decoder = json.JSONDecoder(object_pairs_hook=_once, parse_constant=_no_constant)
    try:
        found: dict[str, Any] = decoder.raw_decode(text, place)[0]
    except BadReply:
        raise
    except json.JSONDecodeError as error:
        raise BadReply(f"it is not JSON: {error.msg} at character {error.pos - place + 1} of the object") from None
    except (ValueError, RecursionError):  # a number of 5,000 digits, a list in a list in a list
        raise BadReply("it is not JSON of the shape that was asked for") from None
    return found


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise BadReply("a key occurs twice in one object")
    return found


def _no_constant(name: str) -> None:
    raise BadReply(f"{name} is not JSON")


def _keys(value: Any, names: set[str], where: str) -> None:
    if not isinstance(value, dict):
        raise BadReply(f"{where} must be a JSON object")
    if missing := sorted(names - value.keys()):
        raise BadReply(f"{where} lacks {', '.join(missing)}")
    if extra := sorted(value.keys() - names):
        raise BadReply(f"{where} has the unknown key {_clip(extra[0], 40)!r}")


def _verdict(axis: Axis, value: Mapping[str, Any]) -> bool | None:
    _keys(value, {"verdict", "reason"} | ({"unsupported_claims"} if axis == "grounded" else set()), axis)
    if not isinstance(value["reason"], str):
        raise BadReply(f"{axis}.reason must be a string")
    verdict = value["verdict"]
    if not isinstance(verdict, str) or verdict.strip().lower() not in VERDICTS:
        raise BadReply(f'{axis}.verdict must be "yes", "no" or "cannot tell"')
    return VERDICTS[verdict.strip().lower()]


def _claims(value: Any) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(claim, str) for claim in value):
        raise BadReply("grounded.unsupported_claims must be a list of strings")
    kept = [_clip(claim) for claim in value[: 10 * _MOST_CLAIMS] if claim.strip()]
    return tuple(dict.fromkeys(kept))[:_MOST_CLAIMS]


def _clip(text: str, most: int = _LONGEST_TEXT) -> str:
    text = clean_text(text[: 10 * most]).strip()
    return text if len(text) <= most else text[: most - 1] + "…"
