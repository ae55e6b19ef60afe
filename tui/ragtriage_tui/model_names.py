"""What answers and what judges, as a person calls it, from the configuration of a run. No Textual, no engine.

Of an address only the host is shown, of a program's arguments none: the rest may hold what nobody should see.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ragtriage_tui.text import clip, one_line

if TYPE_CHECKING:
    from ragtriage.remote.endpoint import Endpoint

__all__ = ["STAND_IN", "endpoint_name", "generator_name", "host_of", "is_stand_in", "judge_name", "model_name"]

STAND_IN = "stand-in"
"""What the extractive generator is called: it stands in for a model that nobody has named yet."""

_LONGEST = 60  # cells of a name, which is whatever a configuration says


def is_stand_in(config: Mapping[str, Mapping[str, Any]]) -> bool:
    """Whether answers were picked from the passages, so that they say nothing of anybody's prompt or model."""
    return bool(config.get("answers", {}).get("generator") == "extractive")


def generator_name(config: Mapping[str, Mapping[str, Any]]) -> str:
    """The model that answered; "" where none did."""
    table = config.get("answers", {})
    return model_name(table, str(table.get("generator", "")))


def judge_name(config: Mapping[str, Mapping[str, Any]]) -> str:
    """The model that judges, likewise."""
    table = config.get("judge", {})
    return model_name(table, str(table.get("provider", "")))


def model_name(table: Mapping[str, Any], chosen: str) -> str:
    """The model that a table of the configuration names: `gpt-x`, `gpt-x at localhost:8080`, a program; "" without a model."""
    if chosen == "command":
        return _program(table.get("command") or ())
    if chosen == "system":
        return "the system itself"
    if chosen not in ("openai", "anthropic"):
        return ""
    address = str(table.get("base_url") or "")
    return _short(str(table.get("model") or chosen)) + (f" at {_short(host_of(address))}" if address else "")


def endpoint_name(endpoint: Endpoint) -> str:
    """Who is about to be asked, and where in any case: `gpt-x at api.openai.com`, or a program."""
    if endpoint.provider == "command":
        return _program(endpoint.command)
    return f"{_short(endpoint.model)} at {_short(host_of(endpoint.where))}"


def host_of(address: str) -> str:
    """`localhost:8080` of `http://localhost:8080/v1`, and `api.openai.com` as it stands."""
    authority = re.split(r"[/?#\\]", address.partition("://")[2] or address, maxsplit=1)[0]
    return authority.rpartition("@")[2]


def _program(words: Sequence[str]) -> str:
    """`the program python3 answer.py`."""
    named = [str(word) for word in words[:2]]
    return f"the program {_short(' '.join(named[:1] if named[1:] and named[1].startswith('-') else named))}"


def _short(text: str) -> str:
    return clip(one_line(text), _LONGEST)
