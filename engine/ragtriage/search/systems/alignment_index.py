"""In which documents of a corpus most of a passage's runs of words stand."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ragtriage.corpus.base import Corpus
from ragtriage.search.systems.alignment_words import words_of

__all__ = ["RUN", "RunIndex", "Votes"]

RUN = 4  # words
_SAMPLED = 4_000_000  # words of a corpus from which on only some runs are kept
_MOST_PLACES = 200  # of one run; what stands everywhere tells nothing


class Votes(NamedTuple):
    """How many of a passage's `wanted` runs each document has, by row."""

    wanted: int
    of: Mapping[int, int]


class RunIndex:
    """Runs of words of a corpus, or every so many of them: `runs` int64[n] ascending, `rows` int32[n] their documents."""

    def __init__(self, corpus: Corpus) -> None:
        size = sum(len(document.text) for document in corpus.documents) // 6
        self._every = 1
        while size > _SAMPLED * self._every:
            self._every *= 2
        runs, rows = [], []
        for row, document in enumerate(corpus.documents):
            found = self._sampled(words_of(document.text).hashes)
            runs.append(found)
            rows.append(np.full(len(found), row, dtype=np.int32))
        every = np.concatenate([np.empty(0, np.int64), *runs])
        order = np.argsort(every, kind="stable")
        self.runs, self.rows = every[order], np.concatenate([np.empty(0, np.int32), *rows])[order]

    def votes(self, hashes: NDArray[np.int64]) -> Votes:
        """How many runs each document shares with a passage."""
        wanted = np.unique(self._sampled(hashes))
        low, high = np.searchsorted(self.runs, wanted, "left"), np.searchsorted(self.runs, wanted, "right")
        out: dict[int, int] = {}
        for first, stop in zip(low.tolist(), high.tolist(), strict=True):
            for row in np.unique(self.rows[first : min(stop, first + _MOST_PLACES)]).tolist():
                out[row] = out.get(row, 0) + 1
        return Votes(len(wanted), out)

    def _sampled(self, hashes: NDArray[np.int64]) -> NDArray[np.int64]:
        if len(hashes) < RUN:
            return np.empty(0, np.int64)
        total = np.zeros(len(hashes) - RUN + 1, dtype=np.int64)
        for at in range(RUN):
            total = total * np.int64(1_000_003) + hashes[at : len(hashes) - RUN + 1 + at]
        return total if self._every == 1 else total[(total >> 7) % self._every == 0]
