"""Where a passage of somebody else's stands in our corpus: exactly, but for typography, white space and case, or reworded.

Words of every document are looked at in runs of four, each run as a number. The runs of a passage tell in which document most
of it stands; there its words are compared one by one. What comes out is the stretch of the document that the passage really
holds: a title before it, or a foreign beginning, is left out. Where a number differs, or where the passage lacks more than a
few words of the document, the stretch ends: what was not returned is not found.
"""

from __future__ import annotations

import re
import unicodedata
import zlib
from collections import OrderedDict
from collections.abc import Sequence
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ragtriage.corpus.base import Corpus
from ragtriage.golden.typography import fold
from ragtriage.search.access import visible
from ragtriage.types import Groups, Span

__all__ = ["Aligned", "Aligner"]

_UNSPACED = "\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"  # scripts that write no spaces: a character is a word
_WORD = re.compile(rf"[{_UNSPACED}]|[^\W_{_UNSPACED}]+")
_PIECE = re.compile(rf"[{_UNSPACED}]|[^\s{_UNSPACED}]+")
_RUN = 4  # words
_ENOUGH = 0.5  # of a passage's words that must stand there, in order
_LEAST = 5  # words that are no coincidence
_CANDIDATES = 4  # documents that are looked at
_LONGEST = 3_000  # words of a passage that is compared where words were put in or left out; longer ones only as they stand
_MOST_CHARACTERS = 250_000  # of a passage that does not stand there as it is; what comes after them counts for nothing
_LONGEST_HEAD = 400  # characters
_SAMPLED = 4_000_000  # words of a corpus from which on only some runs are kept
_LEFT_OUT = 3  # pieces of a document between white space, that a passage may lack at one place; an address is one of them
_CHANCE = 2  # words that both have and that prove nothing: a title before a passage has an "of the", too
_SCANNED = 20_000_000  # characters that are looked through for all the passages too short for a run
_KEPT = 64  # documents whose words are kept


class Aligned(NamedTuple):
    """`share` of the passage's words stand in `span` of the document, from 0 to 1."""

    doc_row: int
    span: Span
    how: Literal["exact", "folded", "fuzzy"]
    share: float


class _Words(NamedTuple):
    """The words of a text: `hashes` int64[n] of them folded, `starts` and `ends` int32[n] in the text."""

    hashes: NDArray[np.int64]
    starts: NDArray[np.int32]
    ends: NDArray[np.int32]


class _Stretch(NamedTuple):
    """Words [first, last] of a document, of which `matched` stand in the passage in their order."""

    first: int
    last: int
    matched: int


class Aligner:
    """Finds passages in one corpus, which is read through when the first one without a document is looked for. Not for several
    threads at once."""

    def __init__(self, corpus: Corpus) -> None:
        self._corpus = corpus
        self._words: OrderedDict[int, _Words] = OrderedDict()
        self._index: _Index | None = None
        self._left = _SCANNED

    def find(self, text: str, doc_row: int | None, groups: Groups) -> Aligned | None:
        """The place of a passage: in the document of `doc_row` where it is there, else wherever most of it stands; of several
        equal places the first that `groups` may see. None: nowhere."""
        text = unicodedata.normalize("NFC", text.strip())
        found = self._find(text, doc_row, groups) if text else None
        for mark in ("\n\n", "\n"):  # a title or headings before it, which may be longer than the passage itself
            head, _, rest = text.partition(mark)
            if found is None and rest.strip() and len(head) <= _LONGEST_HEAD:
                found = self._find(rest.strip(), doc_row, groups)
                found = found and found._replace(how="fuzzy")
        return found

    def _find(self, text: str, doc_row: int | None, groups: Groups) -> Aligned | None:
        words = _words(text[:_MOST_CHARACTERS])
        if doc_row is not None and (found := self._in_document(text, words, doc_row)) is not None:
            return found
        if len(words.hashes) < _RUN:
            return self._scanned(text, groups)
        best: Aligned | None = None
        for row in self._candidates(words, groups):
            found = self._in_document(text, words, row)
            if found is not None and (best is None or found.share > best.share + 1e-9):
                best = found
            if best is not None and best.how == "exact":
                break
        return best

    def _in_document(self, text: str, words: _Words, row: int) -> Aligned | None:
        document = self._corpus.documents[row].text
        at = document.find(text)
        if at >= 0:
            return Aligned(row, Span(at, at + len(text)), "exact", 1.0)
        count = len(words.hashes)
        if not count:
            return None
        there = self._of_document(row)
        stretch = _stretch(words.hashes, there.hashes, text, document, words, there)
        if stretch is None or stretch.matched < max(_ENOUGH * count, min(count, _LEAST)):
            return None
        span = Span(int(there.starts[stretch.first]), int(there.ends[stretch.last]))
        whole = stretch.matched == count == stretch.last - stretch.first + 1
        if whole:  # the signs around it belong to it, too
            span = _with_signs(text, words, document, span)
        return Aligned(row, span, "folded" if whole else "fuzzy", stretch.matched / count)

    def _of_document(self, row: int) -> _Words:
        found = self._words.get(row)
        if found is None:
            found = self._words[row] = _words(self._corpus.documents[row].text)
            if len(self._words) > _KEPT:
                self._words.popitem(last=False)
        else:
            self._words.move_to_end(row)
        return found

    def _candidates(self, words: _Words, groups: Groups) -> list[int]:
        if self._index is None:
            self._index = _Index(self._corpus)
        votes = self._index.votes(words.hashes)
        documents = self._corpus.documents
        ordered = sorted(votes, key=lambda row: (-votes[row], not visible(documents[row].access, groups), row))
        return ordered[:_CANDIDATES]

    def _scanned(self, text: str, groups: Groups) -> Aligned | None:
        """Of a text of few words, which many documents may hold: the first that does, as long as looking takes no time."""
        found: Aligned | None = None
        for row, document in enumerate(self._corpus.documents):
            self._left -= len(document.text)
            if self._left < 0:
                break
            at = document.text.find(text)
            if at >= 0:
                one = Aligned(row, Span(at, at + len(text)), "exact", 1.0)
                if visible(document.access, groups):
                    return one
                found = found or one
        return found


class _Index:
    """Runs of words of a corpus, or every so many of them: `runs` int64[n] ascending, `rows` int32[n] their documents."""

    def __init__(self, corpus: Corpus) -> None:
        size = sum(len(document.text) for document in corpus.documents) // 6
        self._every = 1
        while size > _SAMPLED * self._every:
            self._every *= 2
        runs, rows = [], []
        for row, document in enumerate(corpus.documents):
            found = self._sampled(_words(document.text).hashes)
            runs.append(found)
            rows.append(np.full(len(found), row, dtype=np.int32))
        every = np.concatenate([np.empty(0, np.int64), *runs])
        order = np.argsort(every, kind="stable")
        self.runs, self.rows = every[order], np.concatenate([np.empty(0, np.int32), *rows])[order]

    def votes(self, hashes: NDArray[np.int64]) -> dict[int, float]:
        """How many runs each document shares with a passage; one that stands in many documents says little."""
        wanted = np.unique(self._sampled(hashes))
        low, high = np.searchsorted(self.runs, wanted, "left"), np.searchsorted(self.runs, wanted, "right")
        out: dict[int, float] = {}
        for first, stop in zip(low.tolist(), high.tolist(), strict=True):
            several = np.unique(self.rows[first : min(stop, first + 200)]).tolist()
            for row in several:
                out[row] = out.get(row, 0.0) + 1.0
        return out

    def _sampled(self, hashes: NDArray[np.int64]) -> NDArray[np.int64]:
        if len(hashes) < _RUN:
            return np.empty(0, np.int64)
        total = np.zeros(len(hashes) - _RUN + 1, dtype=np.int64)
        for at in range(_RUN):
            total = total * np.int64(1_000_003) + hashes[at : len(hashes) - _RUN + 1 + at]
        return total if self._every == 1 else total[(total >> 7) % self._every == 0]


def _words(text: str) -> _Words:
    folded = [(_hash(match[0]), match.start(), match.end()) for match in _WORD.finditer(text)]
    flat = np.array(folded, dtype=np.int64).reshape(-1, 3)
    return _Words(np.ascontiguousarray(flat[:, 0]), flat[:, 1].astype(np.int32), flat[:, 2].astype(np.int32))


def _hash(word: str) -> int:
    """The same in every process, as Python's own is not: which runs of a large corpus are kept depends on it."""
    return zlib.crc32(word.casefold().encode("utf-8", "replace"))


def _stretch(
    passage: NDArray[np.int64], page: NDArray[np.int64], text: str, document: str, words: _Words, there: _Words
) -> _Stretch | None:
    """The stretch of a page that holds most of the passage."""
    if not len(page):
        return None
    shift = _shift(passage, page)
    if shift is None:
        return None
    straight = _straight(passage, page, shift)
    if straight.matched == len(passage) or len(passage) > _LONGEST:
        return straight if _numbers_agree(text, document, words, there, straight, shift) else None
    edited = _edited(passage, page, shift, text, document, words, there)
    if edited is not None and edited.matched > straight.matched:
        return edited
    return straight if _numbers_agree(text, document, words, there, straight, shift) else None


def _shift(passage: NDArray[np.int64], page: NDArray[np.int64]) -> int | None:
    """How far the passage's beginning is from the page's, as most of its words have it."""
    order = np.argsort(page, kind="stable")
    ordered = page[order]
    low, high = np.searchsorted(ordered, passage, "left"), np.searchsorted(ordered, passage, "right")
    counts = np.minimum(high - low, 50)  # a word that stands everywhere tells nothing
    shifts = [order[low[at] : low[at] + counts[at]] - at for at in np.flatnonzero(counts).tolist()]
    if not shifts:
        return None
    values, votes = np.unique(np.concatenate(shifts), return_counts=True)
    return int(values[np.argmax(votes)])


def _straight(passage: NDArray[np.int64], page: NDArray[np.int64], shift: int) -> _Stretch:
    """The longest run of equal words at one distance."""
    first = max(0, -shift)
    stop = min(len(passage), len(page) - shift)
    if stop <= first:
        return _Stretch(0, 0, 0)
    same = passage[first:stop] == page[first + shift : stop + shift]
    edges = np.flatnonzero(np.diff(np.concatenate(([False], same, [False])).astype(np.int8)))
    if not len(edges):
        return _Stretch(0, 0, 0)
    lengths = edges[1::2] - edges[::2]
    best = int(np.argmax(lengths))
    low = first + shift + int(edges[2 * best])
    return _Stretch(low, low + int(lengths[best]) - 1, int(lengths[best]))


def _edited(
    passage: NDArray[np.int64], page: NDArray[np.int64], shift: int, text: str, document: str, words: _Words, there: _Words
) -> _Stretch | None:
    """The best stretch where words were put in, left out or changed, but no number."""
    from rapidfuzz.distance import LCSseq

    margin = len(passage) // 2 + 20
    low, high = max(0, shift - margin), min(len(page), shift + len(passage) + margin)
    blocks = [
        (op.src_start, op.dest_start + low, op.src_end - op.src_start)
        for op in LCSseq.opcodes(passage.tolist(), page[low:high].tolist())
        if op.tag == "equal"
    ]
    best: _Stretch | None = None
    current: _Stretch | None = None
    end = (0, 0)  # of the current stretch, in the passage and on the page
    for start, at, length in blocks:
        if current is not None:
            smaller = min(current.matched, length)
            lacking = _pieces(document, there, end[1], at)
            gap = max(start - end[0], lacking)
            little = lacking <= _LEFT_OUT and gap <= (1 + smaller // 2 if smaller > _CHANCE else 0)
            if little and _digits(text, words, end[0], start) == _digits(document, there, end[1], at):
                current = _Stretch(current.first, at + length - 1, current.matched + length)
            elif length < _RUN:
                continue
            else:
                current = _Stretch(at, at + length - 1, length)
        else:
            current = _Stretch(at, at + length - 1, length)
        end = (start + length, at + length)
        if best is None or current.matched > best.matched:
            best = current
    return best


def _pieces(document: str, there: _Words, first: int, stop: int) -> int:
    """How much stands between two words of a document: each stretch without white space that has a letter or digit in it."""
    between = document[int(there.ends[first - 1]) : int(there.starts[stop])]
    return sum(any(map(str.isalnum, piece)) for piece in _PIECE.findall(between))


def _digits(text: str, words: _Words, first: int, stop: int) -> Sequence[str]:
    return [
        word for at in range(first, stop) if any(map(str.isdigit, word := text[int(words.starts[at]) : int(words.ends[at])]))
    ]


def _numbers_agree(text: str, document: str, words: _Words, there: _Words, stretch: _Stretch, shift: int) -> bool:
    """Whether the signs inside numbers are the same, too: 1.5 is not 1,5, nor 15."""
    if not stretch.matched:
        return False
    first = stretch.first - shift
    ours = text[int(words.starts[first]) : int(words.ends[first + stretch.matched - 1])]
    theirs = document[int(there.starts[stretch.first]) : int(there.ends[stretch.last])]
    return _NUMBERS.findall(fold(ours)) == _NUMBERS.findall(fold(theirs))


_NUMBERS = re.compile(r"\d+(?:[.,:/]\d+)*")


def _with_signs(text: str, words: _Words, document: str, span: Span) -> Span:
    """The span with what the passage has before its first and after its last word, where the document has it too."""
    head, tail = text[: int(words.starts[0])], text[int(words.ends[len(words.ends) - 1]) :]
    start = span.start - len(head) if head and document[: span.start].endswith(head) else span.start
    end = span.end + len(tail) if tail and document.startswith(tail, span.end) else span.end
    return Span(start, end)
