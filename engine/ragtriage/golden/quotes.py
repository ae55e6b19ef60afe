"""Find a quote in a document as it stands today: exactly, with typography folded, or fuzzily with the same numbers.

A changed number is the one edit that matters, so no way of finding bridges it: "30 days" is neither in "130 days" nor in
"14 days".
"""

from __future__ import annotations

from typing import Literal, NamedTuple

from ragtriage.golden.typography import fold
from ragtriage.types import Span

__all__ = ["FoundQuote", "cuts_number", "find_quote"]

_MOST = 1_000  # places of one quote that are told apart; a quote of one letter has a million


class FoundQuote(NamedTuple):
    """Where a quote stands: `spans` ascend and are those that count, `occurrences` how often it occurs in all."""

    spans: tuple[Span, ...]
    how: Literal["exact", "folded", "fuzzy", "missing-quote"]
    occurrences: int


def find_quote(text: str, quote: str, *, prefix: str = "", suffix: str = "", at: int | None = None) -> FoundQuote:
    """All places of `quote` in `text`; where there are several, `prefix`, `suffix` and `at` may settle which counts."""
    how: Literal["exact", "folded", "fuzzy"] = "exact"
    spans = _exact(text, quote, at)
    if not spans:
        from ragtriage.golden.rewording import folded, fuzzy

        how, spans = "folded", folded(text, quote)
        if not spans:
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


def cuts_number(text: str, start: int, end: int) -> bool:
    """Whether a span begins or ends inside a number, so that it quotes another number than the text holds."""
    return _inside_number(text, start) or _inside_number(text, end)


def _inside_number(text: str, at: int) -> bool:
    if not 0 < at < len(text):
        return False
    left, right = text[at - 1], text[at]
    if left.isdigit():
        return right.isdigit() or (right in ".," and text[at + 1 : at + 2].isdigit())
    return right.isdigit() and left in ".," and text[at - 2 : at - 1].isdigit() and at > 1


def _settled(text: str, spans: list[Span], prefix: str, suffix: str, at: int | None) -> tuple[Span, ...]:
    if len(spans) > 1 and (prefix.strip() or suffix.strip()):
        before, after = fold(prefix), fold(suffix)
        reach = 2 * max(len(prefix), len(suffix)) + 16  # white space may have grown since
        spans = [
            span
            for span in spans
            if fold(text[max(0, span.start - reach) : span.start]).endswith(before)
            and fold(text[span.end : span.end + reach]).startswith(after)
        ] or spans
    if len(spans) > 1 and at is not None:
        spans = [span for span in spans if span.start == at] or spans
    return tuple(spans)
