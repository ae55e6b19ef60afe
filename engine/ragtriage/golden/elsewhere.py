"""Where lost quotes may have gone: an index of their words over the whole corpus, so that no document is aligned in vain."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from math import log
from typing import NamedTuple

from ragtriage.corpus.base import Corpus
from ragtriage.golden.quotes import find_quote
from ragtriage.golden.rewording import closest, word_keys
from ragtriage.types import Progress, Span, no_progress

__all__ = ["Candidate", "elsewhere"]

LEAST_RATIO = 60.0
"""Smallest similarity (0-100) at which a stretch of text is shown as what may have become of a quote."""

_LEAST_SHARE = 0.6  # of a quote's words, rare ones counting more, that a document has to hold before it is aligned
_ALIGNED = 3  # documents beside its own that a quote is aligned with
_LOOKED_AT = 2_000  # documents that hold all words of a quote, which are searched for its text
_ENOUGH = 20  # places of one text: by then it is ambiguous


class Candidate(NamedTuple):
    """A place that may be a lost quote's new one. `score` 100: the same text but for white space, typography and case."""

    row: int
    span: Span
    score: float
    same_numbers: bool


def elsewhere(
    lost: Mapping[str, Iterable[int]],
    corpus: Corpus,
    progress: Progress = no_progress,
    *,
    reworded: Collection[str] = (),
) -> dict[str, list[Candidate]]:
    """For each lost quote its candidates, best first, in any document; a score of 100 goes before all others.

    `lost` maps a quote to the rows of the documents it is meant to stand in; these are looked through whatever words they
    hold, also where the quote stands in another one, and come first among equals. Of quotes in `reworded`, whose like was
    found already, only the same text is looked for.
    """
    words = {quote: word_keys(quote) for quote in lost}
    postings, size = _postings({key for keys in words.values() for key in keys}, corpus, progress)
    own = {quote: frozenset(rows) for quote, rows in lost.items()}
    found: dict[str, list[Candidate]] = {}
    for number, (quote, keys) in enumerate(words.items()):
        if number % 50 == 0:
            progress("looking for lost quotes", number, len(words))
        shares = _shares(keys, postings, size)
        found[quote] = _same_text(quote, keys, shares, own[quote], corpus)
    waiting: dict[int, list[str]] = defaultdict(list)
    for quote, keys in words.items():
        if quote not in reworded:
            others = [] if found[quote] else _best(_shares(keys, postings, size), _ALIGNED)
            for row in {*own[quote], *others}:
                waiting[row].append(quote)
    for number, row in enumerate(sorted(waiting)):  # a document at a time: its words are only split once
        if number % 50 == 0:
            progress("looking for reworded quotes", number, len(waiting))
        text = corpus.documents[row].text
        for quote in waiting[row]:
            like = closest(text, quote, least=LEAST_RATIO, most=2)
            there = {(one.row, one.span) for one in found[quote]}
            found[quote] += [
                Candidate(row, one.span, round(one.ratio, 1), one.same_numbers) for one in like if (row, one.span) not in there
            ]
    for quote, candidates in found.items():
        rows = own[quote]
        candidates.sort(key=lambda one: (-one.score, one.row not in rows, not one.same_numbers, one.row, one.span))
    return found


def _postings(vocabulary: set[str], corpus: Corpus, progress: Progress) -> tuple[dict[str, list[int]], int]:
    """The rows of the documents that hold each word of the vocabulary; of other words nothing is kept."""
    postings: dict[str, list[int]] = {key: [] for key in sorted(vocabulary)}
    for row, document in enumerate(corpus.documents if vocabulary else ()):
        if row % 500 == 0:
            progress("reading words", row, len(corpus.documents))
        for key in vocabulary.intersection(word_keys(document.text)):
            postings[key].append(row)
    return postings, len(corpus.documents)


def _shares(keys: Sequence[str], postings: Mapping[str, list[int]], size: int) -> dict[int, float]:
    """By row the share, by idf, of a quote's words that the document holds."""
    weights = {key: log(1 + (size + 1) / (len(postings[key]) + 0.5)) for key in set(keys)}
    total = sum(weights.values())
    shares: dict[int, float] = defaultdict(float)
    for key, weight in sorted(weights.items()):
        for row in postings[key]:
            shares[row] += weight / total
    return shares


def _best(shares: Mapping[int, float], most: int) -> list[int]:
    able = [(round(-share, 6), row) for row, share in shares.items() if share >= _LEAST_SHARE]
    return [row for _, row in sorted(able)[:most]]


def _same_text(
    quote: str, keys: Sequence[str], shares: Mapping[int, float], own: frozenset[int], corpus: Corpus
) -> list[Candidate]:
    """Where the text stands word for word, or but for white space and typography."""
    # the first and the last word may be parts of longer ones
    least = 0.999 if len(keys) > 2 else 0.0
    rows = [row for row, share in shares.items() if share >= least] if keys else []
    if not rows and len(keys) > 2:
        rows = _best(shares, _ALIGNED)
    out: list[Candidate] = []
    for row in sorted(rows, key=lambda row: (row not in own, row))[:_LOOKED_AT]:
        found = find_quote(corpus.documents[row].text, quote, fuzzily=False)
        out += [Candidate(row, span, 100.0, True) for span in found.spans]
        if len(out) >= _ENOUGH:
            break
    return out[:_ENOUGH]
