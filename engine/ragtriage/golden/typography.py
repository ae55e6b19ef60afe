"""Typographic variants of the same sign, which editors and converters exchange at will."""

from __future__ import annotations

__all__ = ["DASHES", "DOUBLE_QUOTES", "FOLDS", "SINGLE_QUOTES", "fold"]

SINGLE_QUOTES = "'‘’‚‛′´`"
DOUBLE_QUOTES = '"“”„‟«»″'
DASHES = "-‐‑‒–—―−"
FOLDS = str.maketrans(SINGLE_QUOTES[1:] + DOUBLE_QUOTES[1:] + DASHES[1:], "'" * 7 + '"' * 7 + "-" * 7)


def fold(text: str) -> str:
    """White space as one space, typographic quotes and dashes as the plain ones."""
    return " ".join(text.translate(FOLDS).split())
