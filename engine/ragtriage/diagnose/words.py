"""A passage's words as 32 bits each, to compare many passages by: case and punctuation leave nothing, all numbers are one.

Numbers become one word so that passages which differ in nothing but them still count as the same; `diagnose.numbers` then
says where they differ.
"""

from __future__ import annotations

import re
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from ragtriage.answers.number_words import NUMBER_WORDS
from ragtriage.answers.words import UNSPACED

__all__ = ["NUMBER", "count_words", "hashed_words"]

NUMBER = 0
"""What every number becomes, in digits or spelled."""

_WORD = re.compile(rf"\d+(?:[.,:]\d+)*|[{UNSPACED}]|[^\W\d_{UNSPACED}]+")
_SPELLED = frozenset(NUMBER_WORDS)


def hashed_words(text: str) -> NDArray[np.uint32]:
    """uint32[n]: one hash a word, in order; NUMBER for a number. A character of a script without spaces is a word."""
    words = _WORD.findall(text.casefold())
    return np.fromiter(map(_hash, words), dtype=np.uint32, count=len(words))


def count_words(text: str, most: int) -> int:
    """How many words a text has, counted no further than `most`."""
    found = 0
    for found, _ in enumerate(_WORD.finditer(text), start=1):
        if found >= most:
            break
    return found


def _hash(word: str) -> int:
    if word[0].isdigit() or word in _SPELLED:
        return NUMBER
    return crc32(word.encode("utf-8", "surrogatepass")) or 1
