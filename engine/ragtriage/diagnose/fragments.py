"""Passages too short to mean something: a heading alone, a rule, the tail of a cut."""

from __future__ import annotations

import re
from typing import NamedTuple

from ragtriage.chunking.base import Chunks
from ragtriage.diagnose.words import count_words

__all__ = ["LEAST_WORDS", "Fragment", "fragments"]

LEAST_WORDS = 5
"""A passage with fewer words beside its headings is a fragment: no sentence that answers something is shorter as a rule."""

_HEADING = re.compile(r"^[ \t]*#{1,6}[ \t][^\n]*$", re.MULTILINE)


class Fragment(NamedTuple):
    """`words` counts those beside headings; `heading` tells that headings are all there is."""

    row: int
    words: int
    heading: bool


def fragments(chunks: Chunks) -> list[Fragment]:
    """The fragments among the chunks, in reading order. An empty text is one, too."""
    out = []
    for row in range(len(chunks)):
        text = chunks.text(row)
        words = count_words(_HEADING.sub("", text) if "#" in text else text, LEAST_WORDS)
        if words < LEAST_WORDS:
            out.append(Fragment(row, words, heading=words == 0 and _HEADING.search(text) is not None))
    return out
