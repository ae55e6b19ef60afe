"""What a program or a server said, short and harmless enough for a line of a report."""

from __future__ import annotations

import json
import re
from typing import Any

__all__ = ["clipped", "json_of", "message_of"]

_LONGEST = 240  # characters of what a server or a program said
_MAY_HIDE = re.compile(r"[=:@]|\S{16}")  # what has none of these holds no secret


def clipped(text: str) -> str:
    """`text` on one line, without what looks secret or a terminal would obey, and not longer than a reader wants."""
    start = text[: 20 * _LONGEST]
    if _MAY_HIDE.search(start):
        from ragtriage.secret_texts import hidden_text  # its patterns take longer than all else here

        start = hidden_text(start)
    line = " ".join("".join(letter if letter.isprintable() else " " for letter in start).split())
    return line if len(line) <= _LONGEST else line[: _LONGEST - 1].rstrip() + "…"


def json_of(content: bytes) -> Any:
    """The JSON of a body or a line, None where it is none. Lone surrogates in it stay: see files.clean_text."""
    try:
        return json.loads(content.decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return None


def message_of(body: Any) -> str:
    """The message in an error's JSON, in the shapes that servers use; "" where there is none."""
    if isinstance(body, list):
        return "; ".join(filter(None, map(message_of, body[:3])))
    if isinstance(body, str):
        return body
    if isinstance(body, dict):
        found = next((body[name] for name in ("error", "message", "detail", "msg") if body.get(name)), "")
        return message_of(found)
    return ""
