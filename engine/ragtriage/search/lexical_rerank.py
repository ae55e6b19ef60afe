"""A reranker without a model, from the words alone: always the same scores, at once.

For the different terms q of the question (stemmed, stop words left out), with w = BM25's idf in the corpus, tf how often the
passage holds the term and n its number of terms:

    words     = Σ w · 2.2 tf / (tf + 1.2 (0.4 + 0.6 n / 100)) / Σ w      BM25's saturation; 100 terms are a usual passage
    heading   = Σ w over the terms that its first block holds / Σ w      title and headings, where those are indexed
    proximity = Σ min(w, w') / distance / Σ min(w, w')                   over neighbours in the question, in terms
    score     = words + 0.3 heading + 0.2 proximity

It knows nothing of meaning, so over a pool that vectors took part in it loses as a rule: it is there to see what the
accountant says of a reranker, on any machine, and to be beaten.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple, Protocol

import numpy as np

from ragtriage.search.reranking import Asked
from ragtriage.types import Failure, Progress

__all__ = ["LEXICAL_RERANK_VERSION", "LexicalReranker", "Terms"]

LEXICAL_RERANK_VERSION = 1
"""Counts up whenever the same texts would get other scores."""

_HEADING, _PROXIMITY = 0.3, 0.2
_USUAL_LENGTH = 100
_DECIMALS = 5
_HELD = 20_000  # passages whose terms are kept during one call


class Terms(Protocol):
    """What the corpus knows of words."""

    @property
    def statistics(self) -> str:
        """Identifies what the two others depend on."""
        ...

    def terms(self, text: str) -> list[str]:
        """The index terms of a text in order, stop words left out."""
        ...

    def idf(self, term: str) -> float:
        """The term's BM25 weight, above 0."""
        ...


class _Passage(NamedTuple):
    length: int
    places: Mapping[str, list[int]]
    heading: frozenset[str]


class LexicalReranker:
    """A `Reranker` over the statistics of one corpus."""

    def __init__(self, terms: Terms) -> None:
        self._terms = terms

    def rerank_fingerprint(self, model: str) -> str:
        return f"rerank-{model}-{LEXICAL_RERANK_VERSION}-{self._terms.statistics}"

    def score(self, model: str, asked: Sequence[Asked], progress: Progress) -> list[np.ndarray | Failure]:
        """See Reranker. Passages without a word of the question have 0."""
        read = lru_cache(_HELD)(self._read)
        total = sum(len(one.passages) for one in asked)
        done = 0
        found: list[np.ndarray | Failure] = []
        for one in asked:
            progress("rerank", done, total)
            wanted = list(dict.fromkeys(self._terms.terms(one.question)))
            weights = {term: self._terms.idf(term) for term in wanted}
            scores = [_score(wanted, weights, read(text)) for text in one.passages]
            found.append(np.round(np.array(scores, dtype=np.float64), _DECIMALS).astype(np.float32))
            done += len(one.passages)
        return found

    def _read(self, text: str) -> _Passage:
        terms = self._terms.terms(text)
        places: dict[str, list[int]] = {}
        for place, term in enumerate(terms):
            places.setdefault(term, []).append(place)
        first, blank, _ = text.partition("\n\n")
        return _Passage(len(terms), places, frozenset(self._terms.terms(first)) if blank else frozenset())


def _score(wanted: Sequence[str], weights: Mapping[str, float], passage: _Passage) -> float:
    whole = sum(weights.values())
    held = [term for term in wanted if term in passage.places]
    if not held or whole <= 0:
        return 0.0
    norm = 1.2 * (0.4 + 0.6 * passage.length / _USUAL_LENGTH)
    words = sum(weights[term] * 2.2 * (tf := len(passage.places[term])) / (tf + norm) for term in held)
    heading = sum(weights[term] for term in held if term in passage.heading)
    pairs = [(first, second, min(weights[first], weights[second])) for first, second in pairwise(wanted)]
    near = sum(
        weight / _distance(passage.places[first], passage.places[second])
        for first, second, weight in pairs
        if first in passage.places and second in passage.places
    )
    of_pairs = sum(weight for _, _, weight in pairs)
    return (words + _HEADING * heading) / whole + (_PROXIMITY * near / of_pairs if of_pairs else 0.0)


def _distance(first: Sequence[int], second: Sequence[int]) -> int:
    """The least distance between a place of the one, ascending, and one of the other."""
    least = abs(first[0] - second[0])
    i = j = 0
    while i < len(first) and j < len(second):
        least = min(least, abs(first[i] - second[j]))
        if first[i] < second[j]:
            i += 1
        else:
            j += 1
    return max(least, 1)
