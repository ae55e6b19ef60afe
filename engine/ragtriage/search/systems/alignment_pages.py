"""The documents of a corpus as passages are looked for in them: their words, and which of them a passage may be from."""

from __future__ import annotations

from collections import OrderedDict

from ragtriage.corpus.base import Corpus
from ragtriage.search.access import visible
from ragtriage.search.systems.alignment_index import RunIndex, Votes
from ragtriage.search.systems.alignment_words import Words, words_of
from ragtriage.types import Groups

__all__ = ["Pages"]

_CANDIDATES = 4  # documents that are looked at
_HOLDERS = 16  # documents that may hold all of a passage
_KEPT = 64  # documents whose words are kept


class Pages:
    """One corpus, read through when it is first asked where a passage may be from. Not for several threads at once."""

    def __init__(self, corpus: Corpus) -> None:
        self.documents = corpus.documents
        self._corpus = corpus
        self._words: OrderedDict[int, Words] = OrderedDict()
        self._index: RunIndex | None = None

    def words(self, row: int) -> Words:
        """Those of a document."""
        found = self._words.get(row)
        if found is None:
            found = self._words[row] = words_of(self.documents[row].text)
            if len(self._words) > _KEPT:
                self._words.popitem(last=False)
        else:
            self._words.move_to_end(row)
        return found

    def candidates(self, words: Words, groups: Groups, *, seen_alone: bool = False) -> list[int]:
        """The documents that share most runs of words with a passage, of equal ones first those that `groups` may see; with
        `seen_alone` no others."""
        votes = self._votes(words)
        rows = [row for row in votes.of if not seen_alone or self.seen(row, groups)]
        return sorted(rows, key=lambda row: (-votes.of[row], not self.seen(row, groups), row))[:_CANDIDATES]

    def holders(self, words: Words, groups: Groups) -> list[int]:
        """The documents that have all of a passage's runs of words, in the same order."""
        votes = self._votes(words)
        every = [row for row, count in votes.of.items() if count == votes.wanted]
        return sorted(every, key=lambda row: (not self.seen(row, groups), row))[:_HOLDERS]

    def seen(self, row: int, groups: Groups) -> bool:
        """Whether a document may be seen."""
        return visible(self.documents[row].access, groups)

    def _votes(self, words: Words) -> Votes:
        if self._index is None:
            self._index = RunIndex(self._corpus)
        return self._index.votes(words.hashes)
