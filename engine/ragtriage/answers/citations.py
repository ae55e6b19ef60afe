"""Citations: `[2]` in an answer points to the second passage that was sent, or to nothing."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple

__all__ = [
    "Citation",
    "CitationState",
    "citation_state",
    "cited_numbers",
    "find_citations",
    "invalid_citations",
    "without_citations",
]

CitationState = Literal["valid", "invalid", "none"]

_WIDEST = 50  # of a range

_CODE = re.compile(r"```.*?(?:```|\Z)|~~~.*?(?:~~~|\Z)|`[^`\n]+`", re.DOTALL)
_NUMBERS = r"\^?\d{1,3}\^?(?:\s*[-–—]\s*\d{1,3})?"
_NOUN = (
    r"(?:passages?|sources?|documents?|docs?|excerpts?|snippets?|refs?|references?|context|chunks?|citations?|cite)[\s.:#_-]*"
)
_ASIDE = r"(?:passages?|sources?|documents?|docs?|excerpts?|snippets?|chunks?)[\s.:#_-]*"
_WORD = rf"(?:{_NOUN}|#)?"
_MORE = r"\s*(?:[,;&]\s*(?:and\s+)?|and\s+)"
_CITATION = re.compile(
    rf"[\[【［〔]\s*(?:(?P<list>{_WORD}{_NUMBERS}(?:{_MORE}{_WORD}{_NUMBERS})*)\s*(?:(?::\d+)?†[^\]】\n]*)?"
    rf"|(?P<named>{_NOUN}\d{{1,3}})\s*[:,][^\]】\n]{{1,200}})\\?[\]】］〕]"  # [Source 2: Refund policy]
    rf"|\((?P<aside>(?:see\s+)?{_ASIDE}{_NUMBERS}(?:{_MORE}(?:{_ASIDE})?{_NUMBERS})*)\)",
    re.IGNORECASE,
)
_RANGE = re.compile(r"(\d{1,3})(?:\^?\s*[-–—]\s*(\d{1,3}))?")
_INTERVAL = re.compile(r"(?:\b(?:ranges?|intervals?|between|from|within)(?:\s+(?:of|is|in))?|\bin)\s*$", re.IGNORECASE)
_ASSIGNED = re.compile(r"\s*(?:[-+*/]?=(?!=)|\.[a-z_]\w*)")
_INDEXED = re.compile(r"(?<!\w)(?:[a-z]|\w*_\w*)$")
_NEAR = 24  # characters before a bracket that say what it is


class Citation(NamedTuple):
    """One bracket of an answer: its place in the text (half-open, code points) and the passage numbers it names, in order."""

    start: int
    end: int
    numbers: tuple[int, ...]


def find_citations(text: str) -> list[Citation]:
    """Every citation in order: `[1]`, `[1, 3]`, `[2-4]`, `[^1]`, `【1】`, `[Source 2]`, `(passage 2)`.

    Brackets in code are code, and so are `x[1]`, `row_ids[2] = 5`, `[0-9]` and `ids = [1, 2]` in the middle of a sentence.
    `(1)`, `[2024]` and `[ ]` cite nothing.
    """
    if "[" not in text and "(" not in text and (text.isascii() or not any(mark in text for mark in "【［〔")):
        return []
    # code is blanked at the same length, so that positions stay
    read = _CODE.sub(lambda match: " " * len(match[0]), text) if "`" in text or "~~~" in text else text
    found = (Citation(*match.span(), tuple(_numbers(match))) for match in _CITATION.finditer(read))
    return [citation for citation in found if not _is_code(read, citation)]


def _is_code(text: str, citation: Citation) -> bool:
    start, end, numbers = citation
    before = text[max(0, start - _NEAR) : start]
    if before.endswith("!") and text.startswith("(", end):  # an image
        return True
    if len(numbers) > 1 and numbers[0] == 0 and re.search(r"[-–—]", text[start:end]):  # [0-9]
        return True
    if len(numbers) > 1 and "," in text[start:end]:
        if before.rstrip().endswith(("=", '":')):  # ids = [1, 2]
            return True
        if numbers[0] == 0 and _INTERVAL.search(before):  # in the range [0, 1]
            return True
    if not (before[-1:].isalnum() or before.endswith("_")):
        return False
    return numbers[0] == 0 or bool(_ASSIGNED.match(text, end) or _INDEXED.search(before))


def _numbers(citation: re.Match[str]) -> Iterator[int]:
    for match in _RANGE.finditer(citation["list"] or citation["named"] or citation["aside"]):
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


def citation_state(cited: Sequence[int], invalid: Sequence[int]) -> CitationState:
    """An answer whose citations all point to passages that were sent is "valid"; one without any is "none", not "valid"."""
    if not cited:
        return "none"
    return "invalid" if invalid else "valid"


def without_citations(text: str) -> str:
    """The text with each citation replaced by a blank, for checks that read its words and numbers."""
    kept, start = [], 0
    for citation in find_citations(text):
        kept.append(text[start : citation.start])
        start = citation.end
    return " ".join((*kept, text[start:]))
