"""The words of a text as numbers, in every process the same ones."""

from __future__ import annotations

import re
import zlib
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ragtriage.golden.typography import fold

__all__ = ["Words", "digits", "numbers", "pieces", "words_of"]

_UNSPACED = "\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"  # scripts that write no spaces: a character is a word
_WORD = re.compile(rf"[{_UNSPACED}]|[^\W_{_UNSPACED}]+")
_PIECE = re.compile(rf"[{_UNSPACED}]|[^\s{_UNSPACED}]+")
_NUMBERS = re.compile(r"\d+(?:[.,:/]\d+)*")


class Words(NamedTuple):
    """The words of `text`: `hashes` int64[n] of them folded, `starts` and `ends` int32[n] in the text."""

    text: str
    hashes: NDArray[np.int64]
    starts: NDArray[np.int32]
    ends: NDArray[np.int32]

    def cut(self, low: int, high: int) -> Words:
        """Words [low, high) of the same text."""
        return Words(self.text, self.hashes[low:high], self.starts[low:high], self.ends[low:high])

    def said(self, low: int, high: int) -> str:
        """What stands from word `low` to before word `high`, at least one of them."""
        return self.text[int(self.starts[low]) : int(self.ends[high - 1])]

    def between(self, before: int, after: int) -> str:
        """What stands between two words; before the first of the text and behind its last one, too."""
        start = int(self.ends[before]) if before >= 0 else 0
        return self.text[start : int(self.starts[after]) if after < len(self.starts) else len(self.text)]


def words_of(text: str) -> Words:
    """The words of a text, each a run of letters and digits; in scripts that write no spaces each character."""
    folded = [(_hash(match[0]), match.start(), match.end()) for match in _WORD.finditer(text)]
    flat = np.array(folded, dtype=np.int64).reshape(-1, 3)
    return Words(text, np.ascontiguousarray(flat[:, 0]), flat[:, 1].astype(np.int32), flat[:, 2].astype(np.int32))


def _hash(word: str) -> int:
    """The same in every process, as Python's own is not: which runs of a large corpus are kept depends on it."""
    return zlib.crc32(word.casefold().encode("utf-8", "replace"))


def pieces(text: str) -> int:
    """How many stretches without white space, that have a letter or digit in them, a text has."""
    return sum(any(map(str.isalnum, piece)) for piece in _PIECE.findall(text))


def digits(words: Words, first: int, stop: int) -> list[str]:
    """Those of these words that have a digit in them."""
    return [word for at in range(first, stop) if any(map(str.isdigit, word := words.said(at, at + 1)))]


def numbers(text: str) -> list[str]:
    """The numbers of a text with the signs inside them: 1.5 is not 1,5, nor 15."""
    return _NUMBERS.findall(fold(text)) if any(map(str.isdigit, text)) else []
