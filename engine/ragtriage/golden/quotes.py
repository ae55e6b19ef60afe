"""Find a quote in a document as it stands today: exactly, with typography folded, or fuzzily with the same numbers.

A changed number is the one edit that matters, so no way of finding bridges it: "30 days" is neither in "130 days" nor in
"14 days".
"""

from __future__ import annotations

import re
from typing import Literal, NamedTuple

from ragtriage.golden.typography import DASHES, fold
from ragtriage.types import Span

__all__ = ["FoundQuote", "cuts_number", "cuts_word", "find_quote", "stands_around"]

_SIGNS = "-−"
_TENS = re.compile(
    rf"(?<![^\W_])(?:twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)[{re.escape(DASHES)}]?\Z", re.IGNORECASE
)
_ONES = re.compile(
    rf"[{re.escape(DASHES)}]?(?:one|two|three|four|five|six|seven|eight|nine|first|second|third|fourth|fifth|sixth|seventh|eighth"
    r"|ninth)(?![^\W_])", re.IGNORECASE
)  # fmt: skip
_MOST = 1_000  # places of one quote that are told apart; a quote of one letter has a million


class FoundQuote(NamedTuple):
    """Where a quote stands: `spans` ascend and are those that count, `occurrences` how often it occurs in all."""

    spans: tuple[Span, ...]
    how: Literal["exact", "folded", "fuzzy", "missing-quote"]
    occurrences: int


def find_quote(
    text: str, quote: str, *, prefix: str = "", suffix: str = "", at: int | None = None, fuzzily: bool = True
) -> FoundQuote:
    """All places of `quote` in `text`; where there are several, `prefix`, `suffix` and `at` may settle which counts.

    Without `fuzzily` reworded text is not looked for, which is what takes time.
    """
    how: Literal["exact", "folded", "fuzzy"] = "exact"
    spans = _exact(text, quote, at)
    if not spans:
        from ragtriage.golden.rewording import folded, fuzzy

        how, spans = "folded", folded(text, quote)
        if not spans and fuzzily:
            how, spans = "fuzzy", fuzzy(text, quote)
    if not spans:
        return FoundQuote((), "missing-quote", 0)
    return FoundQuote(_settled(text, spans, prefix, suffix, at), how, len(spans))


def _exact(text: str, quote: str, at: int | None) -> list[Span]:
    spans: list[Span] = []
    size = len(quote)
    start = text.find(quote)
    while start >= 0 and len(spans) < _MOST:
        # cut off inside a number only where a person marked it so
        if start == at or not cuts_number(text, start, start + size):
            spans.append(Span(start, start + size))
        start = text.find(quote, start + 1)
    if start >= 0 and at is not None and text.startswith(quote, at) and Span(at, at + size) not in spans:
        spans.append(Span(at, at + size))
    return spans


def stands_around(text: str, span: Span, prefix: str, suffix: str) -> bool:
    """Whether the text before and after a span is what `prefix` and `suffix` say, but for white space and typography."""
    before, after = fold(prefix), fold(suffix)
    reach = 2 * max(len(prefix), len(suffix)) + 16  # white space may have grown since
    return fold(text[max(0, span.start - reach) : span.start]).endswith(before) and fold(
        text[span.end : span.end + reach]
    ).startswith(after)


def cuts_word(text: str, span: Span) -> bool:
    """Whether a span begins or ends inside a word: "legal" in "illegal"."""
    start, end = span
    return (0 < start < end and text[start - 1].isalnum() and text[start].isalnum() and not _unspaced(text[start])) or (
        start < end < len(text) and text[end - 1].isalnum() and text[end].isalnum() and not _unspaced(text[end])
    )


def _unspaced(letter: str) -> bool:
    """Whether a letter is of a script that puts no spaces between words: Thai, Japanese, Chinese, Korean."""
    return letter >= "\u0e00" and (letter <= "\u0e7f" or "\u3040" <= letter <= "\ud7af")


def cuts_number(text: str, start: int, end: int) -> bool:
    """Whether a span begins or ends inside a number, so that it quotes another number than the text holds."""
    return _inside_number(text, start) or _inside_number(text, end)


def _inside_number(text: str, at: int) -> bool:
    if not 0 < at < len(text):
        return False
    left, right = text[at - 1], text[at]
    if (left in DASHES or right in DASHES) and _TENS.search(text, max(0, at - 9), at) and _ONES.match(text, at):
        return True  # twenty-five
    if left in _SIGNS and right.isdigit():  # "20 degrees" is not in "-20 degrees"; "10-20" is a range
        return at == 1 or not (text[at - 2].isalnum() or text[at - 2] in ")]_-")
    if left.isdigit():
        return right.isdigit() or (right in ".," and text[at + 1 : at + 2].isdigit())
    return right.isdigit() and left in ".," and text[at - 2 : at - 1].isdigit() and at > 1


def _settled(text: str, spans: list[Span], prefix: str, suffix: str, at: int | None) -> tuple[Span, ...]:
    if len(spans) > 1 and (prefix.strip() or suffix.strip()):
        spans = [span for span in spans if stands_around(text, span, prefix, suffix)] or spans
    if len(spans) > 1 and at is not None:
        spans = [span for span in spans if span.start == at] or spans
    return tuple(spans)
