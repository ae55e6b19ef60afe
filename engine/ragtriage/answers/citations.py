"""Citations: `[2]` in an answer points to the second passage that was sent, or to nothing."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

__all__ = ["Citation", "cited_numbers", "find_citations", "invalid_citations", "without_citations"]

_WIDEST = 50  # of a range

_CODE = re.compile(r"```.*?(?:```|\Z)|`[^`\n]+`", re.DOTALL)
_NUMBERS = r"\^?\d{1,3}(?:\s*[-–—]\s*\d{1,3})?"
_WORD = r"(?:(?:passages?|sources?|documents?|docs?|refs?|references?|context|chunks?)[\s.:#]*)?"
_CITATION = re.compile(
    rf"[\[【]\s*{_WORD}({_NUMBERS}(?:\s*(?:[,;&]|and)\s*{_WORD}{_NUMBERS})*)\s*(?:†[^\]】\n]*)?[\]】]", re.IGNORECASE
)
_RANGE = re.compile(r"(\d{1,3})(?:\s*[-–—]\s*(\d{1,3}))?")


class Citation(NamedTuple):
    """One bracket of an answer: its place in the text (half-open, code points) and the passage numbers it names, in order."""

    start: int
    end: int
    numbers: tuple[int, ...]


def find_citations(text: str) -> list[Citation]:
    """Every citation in order: `[1]`, `[1, 3]`, `[2-4]`, `[^1]`, `【1】`, `[Source 2]`. Brackets in code are code."""
    if "[" not in text and "【" not in text:
        return []
    # code is blanked at the same length, so that positions stay
    read = _CODE.sub(lambda match: " " * len(match[0]), text) if "`" in text else text
    return [Citation(*match.span(), tuple(_numbers(match[1]))) for match in _CITATION.finditer(read)]


def _numbers(inside: str) -> Iterator[int]:
    for match in _RANGE.finditer(inside):
        first = int(match[1])
        last = int(match[2]) if match[2] else first
        # a range that runs backwards or very far is two numbers, and most likely invalid
        yield from range(first, last + 1) if first <= last <= first + _WIDEST else (first, last)


def cited_numbers(text: str) -> tuple[int, ...]:
    """The passage numbers that an answer cites, each once, in order of appearance; empty for an answer without citations."""
    return tuple(dict.fromkeys(number for citation in find_citations(text) for number in citation.numbers))


def invalid_citations(cited: tuple[int, ...], passages: int) -> tuple[int, ...]:
    """Those that point to none of the `passages` sent, which are numbered from 1."""
    return tuple(number for number in cited if not 1 <= number <= passages)


def without_citations(text: str) -> str:
    """The text with each citation replaced by a blank, for checks that read its words and numbers."""
    kept, start = [], 0
    for citation in find_citations(text):
        kept.append(text[start : citation.start])
        start = citation.end
    return " ".join((*kept, text[start:]))
