"""What retrieves, what answers and what judges, as a person calls it, from the tables of a configuration.

Of an address only the host is named, of a program's arguments none: the rest may hold what nobody should see.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from itertools import accumulate
from typing import TYPE_CHECKING, Any
from unicodedata import east_asian_width

from ragtriage.programs.naming import program_name

if TYPE_CHECKING:
    from ragtriage.remote.endpoint import Endpoint

__all__ = ["endpoint_name", "host_of", "model_name", "one_line", "system_name"]

_LONGEST = 60  # columns of a name, which is whatever a configuration says
_LONGEST_SYSTEM = 80  # characters


def one_line(text: str) -> str:
    """`text` with line ends and runs of blanks as single blanks."""
    return " ".join(text.split())


def system_name(config: Mapping[str, Mapping[str, Any]]) -> str:
    """The retriever of a run as its configuration names it: `python myapp.rag:retrieve`; "" where it is ours."""
    table = config["retrieval"]
    name = table.get("system", "embedded")
    if name == "embedded":
        return ""
    said = {
        "python": table.get("callable"),
        "command": program_name([str(word) for word in table.get("command") or ()]),
        "http": str(table.get("url", "")).partition("://")[2].partition("/")[0].rpartition("@")[2],
        "recorded": table.get("recorded"),
        "qdrant": table.get("collection"),
    }.get(name)
    flat = one_line(f"{name} {said}" if said else str(name))
    return flat if len(flat) <= _LONGEST_SYSTEM else flat[: _LONGEST_SYSTEM - 1].rstrip() + "…"


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
    from ragtriage.secret_texts import hidden_command

    named = hidden_command([str(word) for word in words[:2]])
    return f"the program {_short(' '.join(named[:1] if named[1:] and named[1].startswith('-') else named))}"


def _short(text: str) -> str:
    """The text on one line, in at most `_LONGEST` columns: letters of East Asia take two."""
    # nearly what the terminal's `clip` does, which counts cells with Rich: there is none in here
    flat = one_line(text)
    columns = list(accumulate(2 if east_asian_width(letter) in "WF" else 1 for letter in flat[: _LONGEST + 1]))
    if not columns or columns[-1] <= _LONGEST:
        return flat
    return flat[: bisect_right(columns, _LONGEST - 1)].rstrip() + "…"
