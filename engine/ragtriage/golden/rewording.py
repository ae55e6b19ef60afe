"""A quote that no longer stands in its document word for word: the same text with other typography, or reworded text that is
like it and has the same numbers.
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import islice
from math import log
from typing import NamedTuple

from ragtriage.golden.quote_numbers import numbers_of, same_numbers
from ragtriage.golden.quotes import cuts_number
from ragtriage.golden.typography import DASHES, DOUBLE_QUOTES, FOLDS, SINGLE_QUOTES, fold
from ragtriage.types import Span

__all__ = ["MIN_RATIO", "Likeness", "closest", "folded", "fuzzy", "same_words", "word_keys"]

MIN_RATIO = 85.0
"""Smallest similarity (normalised indel, 0-100) at which reworded text is still the quote."""

_PIECE = re.compile(rf"\s+|[{SINGLE_QUOTES}]{{2}}|[{DOUBLE_QUOTES}]|[{SINGLE_QUOTES}]|[{DASHES}]+|…|\.\.\.|.", re.DOTALL)
_CASED = re.compile(r"(?<=\d)\s?[^\w\s]?[^\W\d_]+|(?<!\w)[^\W\d_]*[a-z][A-Z][^\W\d_]*")  # 5 mg, mW, kHz
_UNSPACED = "\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"  # scripts that write no spaces: a character is a word
_WORD = re.compile(rf"[{_UNSPACED}]|[^\W{_UNSPACED}]+")
_CANDIDATES = 5
_STEP = 25  # words that an edge of an alignment may move at a time
_LONGEST = 10_000  # characters of a quote that is looked for other than exactly: more is a document, and alignment is cubic
_EDGE = 300  # characters of a long quote's beginning and end, which are aligned instead of the whole
_MARGIN = 40
_MOST = 1_000


def folded(text: str, quote: str) -> list[Span]:
    """Every place where the quote stands but for white space, typographic quotes and dashes, in order."""
    if len(quote) > _LONGEST:
        return []
    pattern = "".join(_pattern(piece) for piece in _PIECE.findall(quote.strip()))
    found = (Span(*match.span()) for match in islice(re.finditer(pattern, text), _MOST))
    return [span for span in found if not cuts_number(text, *span)]


def _pattern(piece: str) -> str:
    if piece.isspace():
        return r"\s+"
    if piece[0] in DOUBLE_QUOTES or (len(piece) == 2 and piece[0] in SINGLE_QUOTES):
        return f"(?:[{DOUBLE_QUOTES}]|[{SINGLE_QUOTES}]{{2}})"
    if piece[0] in SINGLE_QUOTES:
        return f"[{SINGLE_QUOTES}]"
    if piece[0] in DASHES:
        return f"[{DASHES}]{{1,3}}"
    return r"(?:…|\.\.\.)" if piece in ("…", "...") else re.escape(piece)


class _Words(NamedTuple):
    """The words of a text: offsets, and the first four letters in lower case, which survive most inflections."""

    starts: list[int]
    ends: list[int]
    keys: list[str]


@lru_cache(maxsize=4)
def _words(text: str) -> _Words:
    starts, ends, keys = [], [], []
    for match in _WORD.finditer(text):
        starts.append(match.start())
        ends.append(match.end())
        keys.append(match[0][:4].lower())
    return _Words(starts, ends, keys)


class Likeness(NamedTuple):
    """A stretch of a text that is like a quote: `ratio` from 0 to 100, and whether its numbers are the quote's, in order."""

    span: Span
    ratio: float
    same_numbers: bool


def fuzzy(text: str, quote: str) -> list[Span]:
    """The best alignment of at least MIN_RATIO whose numbers are the quote's; several where they are equally good."""
    found = [one for one in _alignments(text, quote, _CANDIDATES) if one.same_numbers]
    top = max((one.ratio for one in found), default=0.0)
    return sorted(one.span for one in found if one.ratio == top) if top >= MIN_RATIO else []


def closest(text: str, quote: str, *, least: float, most: int = 1) -> list[Likeness]:
    """The stretches most like the quote, whatever their numbers: for a person to look at. Best first, then by place."""
    found = [one for one in _alignments(text, quote, most) if one.ratio >= least]
    return sorted(found, key=lambda one: (-one.ratio, not one.same_numbers, one.span))


def word_keys(text: str) -> list[str]:
    """What the words of a text are compared by, in order."""
    return [match[0][:4].lower() for match in _WORD.finditer(text)]


def same_words(one: str, other: str) -> bool:
    """Whether two texts are the same but for white space, typography and case. 10 mW is not 10 MW, however: the case of what
    a number counts, and of a word with a capital inside, counts.
    """
    one, other = fold(one), fold(other)
    return one == other or (one.lower() == other.lower() and _CASED.findall(one) == _CASED.findall(other))


def _alignments(text: str, quote: str, most: int) -> list[Likeness]:
    """The best alignment in each of the `most` likeliest regions."""
    if len(quote) > _LONGEST:
        return []
    words = _words(text)
    wanted = word_keys(quote)
    if not wanted or not words.keys:
        return []
    target, numbers = fold(quote).lower(), numbers_of(quote)
    found: dict[Span, Likeness] = {}
    for first, last in _regions(words, wanted)[:most]:
        span = _aligned(text, words, first, last, quote)
        if span is not None and span not in found:
            same = same_numbers(numbers_of(text[span.start : span.end]), numbers) and not cuts_number(text, *span)
            found[span] = Likeness(span, _ratio(target, text[span.start : span.end]), same)
    return list(found.values())


def _regions(words: _Words, wanted: list[str]) -> list[tuple[int, int]]:
    """The stretches of words, as [first, last], that share most with the quote, rare words counting more; best first."""
    frequency = dict.fromkeys(wanted, 0)
    for key in words.keys:
        if key in frequency:
            frequency[key] += 1
    weights = {key: log(1 + len(words.keys) / count) for key, count in frequency.items() if count}
    hits = [(at, weight) for at, key in enumerate(words.keys) if (weight := weights.get(key))]
    size = len(wanted) + len(wanted) // 4 + 2
    scored = []
    total, low = 0.0, 0
    for high, (at, weight) in enumerate(hits):
        total += weight
        while hits[low][0] <= at - size:
            total -= hits[low][1]
            low += 1
        if 2 * (high - low + 1) >= len(wanted):
            scored.append((-round(total, 6), hits[low][0], at))
    scored.sort()
    chosen: list[tuple[int, int]] = []
    for _, first, last in scored:
        if all(last < other or first > end for other, end in chosen):
            chosen.append((first, last))
            if len(chosen) == _CANDIDATES:
                break
    margin = 3 + min(len(wanted) // 2, _MARGIN)  # a region may have been cut short by words that the quote repeats
    return [(max(0, first - margin), min(len(words.keys) - 1, last + margin)) for first, last in chosen]


def _aligned(text: str, words: _Words, first: int, last: int, quote: str) -> Span | None:
    """The run of whole words between `first` and `last` that is most like the quote."""
    if len(quote) <= 3 * _EDGE:
        low, high = _run(text, words, first, last, quote)
    else:  # the time grows with the cube of the length
        reach = 2 * _MARGIN + _EDGE
        low, _ = _run(text, words, first, min(last, first + reach), quote[:_EDGE])
        _, high = _run(text, words, max(low, last - reach), last, quote[-_EDGE:])
    return _with_punctuation(text, Span(words.starts[low], words.ends[high]), quote) if low <= high else None


def _run(text: str, words: _Words, first: int, last: int, quote: str) -> tuple[int, int]:
    """The words, as (low, high), between `first` and `last` whose text is most like the quote."""
    from rapidfuzz import fuzz

    low, high = first, last
    offset, end = words.starts[first], words.ends[last]
    rough = fuzz.partial_ratio_alignment(quote.translate(FOLDS), text[offset:end].translate(FOLDS))
    if rough is not None and len(quote) <= end - offset:
        low = next((at for at in range(first, last + 1) if words.ends[at] > offset + rough.dest_start), first)
        high = next((at for at in range(last, low, -1) if words.starts[at] < offset + rough.dest_end), low)
    target = fold(quote).lower()

    def like(start: int, stop: int) -> float:
        return _ratio(target, text[words.starts[start] : words.ends[stop]])

    before = None
    while before != (low, high):  # the ratio rises with each step, so this ends
        before = (low, high)
        reach = range(max(first, low - _STEP), min(high, low + _STEP) + 1)
        low = max(reach, key=lambda at: (like(at, high), -abs(at - before[0])))
        reach = range(max(low, high - _STEP), min(last, high + _STEP) + 1)
        high = max(reach, key=lambda at: (like(low, at), -abs(at - before[1])))
    return low, high


def _with_punctuation(text: str, span: Span, quote: str) -> Span:
    """The span with the signs around it that the quote has too."""
    start, end = span
    quote = quote.strip()
    opening = quote[: len(quote) - len(quote.lstrip("\"'“‘«([{*_`$€£#"))]
    closing = quote[len(quote.rstrip("\"'”’»)]}*_`.,;:!?%…")) :]
    while start > 0 and opening and text[start - 1] == opening[-1]:
        start, opening = start - 1, opening[:-1]
    while end < len(text) and closing and text[end] == closing[0]:
        end, closing = end + 1, closing[1:]
    return Span(start, end)


def _ratio(target: str, piece: str) -> float:
    from rapidfuzz import fuzz

    return float(fuzz.ratio(target, fold(piece).lower()))
