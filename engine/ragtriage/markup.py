"""Text of others in Markdown: shown as it is, never formatted, linked, or calling anybody."""

from __future__ import annotations

import re

__all__ = ["code", "escape"]

_MARKED = re.compile(r"([\\`*_\[\]>|~$])")
_CALLED = re.compile(r"(@(?=\w)|#(?=\d)|\bgh-(?=\d)|:(?=//)|\bwww(?=\.)|:(?=[\w+-]+:))", re.IGNORECASE)
_JOINER = "\u2060"


def escape(text: str, most: int) -> str:
    """`text` on one line of at most so many characters, so that Markdown shows it as it is."""
    flat = " ".join(text.split())
    flat = flat if len(flat) <= most else flat[: most - 1] + "…"
    flat = "".join(character if character.isprintable() else "�" for character in flat)
    joined = _CALLED.sub(lambda found: found[1] + _JOINER, flat)  # no mention, no reference, no address, no picture
    return _MARKED.sub(r"\\\1", joined.replace("&", "&amp;").replace("<", "&lt;"))


def code(text: str) -> str:
    """`text` as code, whatever backticks it holds."""
    flat = " ".join(text.split())[:2_000]
    flat = "".join(character if character.isprintable() else "�" for character in flat)
    fence = "`" * (max((len(run) for run in re.findall("`+", flat)), default=0) + 1)
    space = " " if flat.startswith("`") or flat.endswith("`") else ""
    return f"{fence}{space}{flat}{space}{fence}"
