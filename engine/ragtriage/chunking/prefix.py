"""What is indexed before a chunk's text: the document's title and the headings it stands under."""

from __future__ import annotations

from ragtriage.chunking.base import TokenOffsets
from ragtriage.corpus.sections import heading_at
from ragtriage.types import Document

__all__ = ["MAX_PREFIX", "cut_prefix", "full_prefix"]

MAX_PREFIX = 48
"""Tokens; with 200 of text and two special ones it fits a window of 256."""


def full_prefix(document: Document, position: int) -> str:
    """`title > heading > sub-heading` for a chunk that starts at `position`; of a ready-made chunk the title."""
    path = [part for part in heading_at(document, position) if part]
    if document.title and path[:1] != [document.title]:
        path.insert(0, document.title)
    return " > ".join(path)


def cut_prefix(prefix: str, tokens: TokenOffsets) -> tuple[str, int]:
    """The last MAX_PREFIX tokens of `prefix`, and how many it has then: the innermost heading says most."""
    if len(tokens) <= MAX_PREFIX:
        return prefix, len(tokens)
    first = len(tokens) - MAX_PREFIX
    while first < len(tokens) - 1 and tokens[first, 0] <= tokens[first - 1, 1]:
        first += 1
    return prefix[tokens[first, 0] :].lstrip("> "), len(tokens) - first
