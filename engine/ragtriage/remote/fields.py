"""Fields of a server's JSON, taken only where they are what they should be."""

from __future__ import annotations

from typing import Any

from ragtriage.programs.words import clipped

__all__ = ["count_of", "name_of", "text_of"]

_MOST = 1 << 53  # beyond it no number of tokens


def text_of(content: Any) -> str | None:
    """The text of a message: a string, or the texts of a list of parts; None where there is neither."""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        texts = [part["text"] for part in content if isinstance(part, dict) and isinstance(part.get("text"), str)]
        return "".join(texts) if texts else None
    return None


def count_of(usage: Any, name: str) -> int | None:
    """A number of tokens, None where it is none."""
    value = usage.get(name) if isinstance(usage, dict) else None
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < _MOST else None


def name_of(value: Any) -> str:
    """The name of a model as the server tells it, "" where it tells none."""
    return clipped(value) if isinstance(value, str) else ""
