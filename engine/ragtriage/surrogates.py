"""Lone surrogates, which Python's texts may hold and no UTF-8 file can."""

from __future__ import annotations

import re

__all__ = ["clean_text", "escaped_surrogates"]

_SURROGATE = re.compile("[\ud800-\udfff]")


def clean_text(text: str) -> str:
    """The text with lone surrogates as U+FFFD."""
    return text if text.isascii() else _SURROGATE.sub("\ufffd", text)


def escaped_surrogates(text: str) -> str:
    """The text with lone surrogates as JSON escapes them."""
    return _SURROGATE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)
