"""The stretch of one document that holds most of a passage, word by word.

Where a number differs, or where the passage lacks more than a few words of the document, a stretch ends: what was not returned
is not found.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ragtriage.search.systems.alignment_index import RUN
from ragtriage.search.systems.alignment_words import Words, digits, numbers, pieces

__all__ = ["LEAST", "Stretch", "occurrences", "straight_of", "stretch_of", "tells"]

LEAST = 5
"""Words that are no coincidence where they are all there is between two marks."""

_LONGEST = 3_000  # words of a passage that is compared where words were put in or left out; longer ones only as they stand
_LEFT_OUT = 3  # pieces of a document between white space, that a passage may lack at one place; an address is one of them
_CHANCE = 2  # words that both have and that prove nothing: a title before a passage has an "of the", too
_TELLING = 8  # words that are no coincidence anywhere
_COMMON = 50  # times that a word may stand in a document and still tell where a passage is


class Stretch(NamedTuple):
    """Words [start, stop) of a passage are words [first, last] of a document: `matched` of them, in their order."""

    start: int
    stop: int
    first: int
    last: int
    matched: int

    @property
    def straight(self) -> bool:
        """Whether they are the same ones, none put in and none left out."""
        return self.stop - self.start == self.matched == self.last - self.first + 1


def stretch_of(passage: Words, document: Words) -> Stretch | None:
    """The longest stretch of `document` that holds part of `passage`, or all of it."""
    if not len(document.hashes) or not len(passage.hashes):
        return None
    shift = _shift(passage.hashes, document.hashes)
    if shift is None:
        return None
    straight = _straight(passage.hashes, document.hashes, shift)
    count = len(passage.hashes)
    if straight.matched < count <= _LONGEST:
        edited = _edited(passage, document, shift)
        if edited is not None and edited.matched > straight.matched:
            return edited
    return straight if straight.matched and _numbers_agree(passage, document, straight) else None


def straight_of(passage: Words, document: Words) -> Stretch | None:
    """The longest stretch of `document` that holds part of `passage` word for word, at the distance most of its words have."""
    shift = _shift(passage.hashes, document.hashes)
    straight = None if shift is None else _straight(passage.hashes, document.hashes, shift)
    return straight if straight and straight.matched and _numbers_agree(passage, document, straight) else None


def tells(passage: Words, found: Stretch) -> bool:
    """Whether so many words in their order are no coincidence: a few are none where they are all that stands between marks."""
    count = len(passage.hashes)
    if found.matched >= min(_TELLING, count):
        return True
    if found.matched < min(LEAST, count):
        return False
    before, after = passage.between(found.start - 1, found.start), passage.between(found.stop - 1, found.stop)
    return (not found.start or _marks(before)) and (found.stop == count or _marks(after))


def occurrences(wanted: NDArray[np.int64], document: NDArray[np.int64], most: int) -> list[int]:
    """Where the words `wanted` stand in a document in their order, at most so many places."""
    found: list[int] = []
    if not len(wanted):
        return found
    for at in np.flatnonzero(document[: max(len(document) - len(wanted) + 1, 0)] == wanted[0]).tolist():
        if len(found) < most and np.array_equal(document[at : at + len(wanted)], wanted):
            found.append(at)
    return found


def _marks(between: str) -> bool:
    return "\n" in between or any(not character.isspace() for character in between)


def _shift(passage: NDArray[np.int64], page: NDArray[np.int64]) -> int | None:
    """How far the passage's beginning is from the page's, as most of its words have it."""
    order = np.argsort(page, kind="stable")
    ordered = page[order]
    low, high = np.searchsorted(ordered, passage, "left"), np.searchsorted(ordered, passage, "right")
    counts = np.minimum(high - low, _COMMON)
    shifts = [order[low[at] : low[at] + counts[at]] - at for at in np.flatnonzero(counts).tolist()]
    if not shifts:
        return None
    values, votes = np.unique(np.concatenate(shifts), return_counts=True)
    return int(values[np.argmax(votes)])


def _straight(passage: NDArray[np.int64], page: NDArray[np.int64], shift: int) -> Stretch:
    """The longest run of equal words at one distance."""
    begin = max(0, -shift)
    stop = min(len(passage), len(page) - shift)
    if stop <= begin:
        return Stretch(0, 0, 0, 0, 0)
    same = passage[begin:stop] == page[begin + shift : stop + shift]
    edges = np.flatnonzero(np.diff(np.concatenate(([False], same, [False])).astype(np.int8)))
    if not len(edges):
        return Stretch(0, 0, 0, 0, 0)
    lengths = edges[1::2] - edges[::2]
    best = int(np.argmax(lengths))
    start, length = begin + int(edges[2 * best]), int(lengths[best])
    return Stretch(start, start + length, start + shift, start + shift + length - 1, length)


def _edited(passage: Words, document: Words, shift: int) -> Stretch | None:
    """The best stretch where words were put in, left out or changed, but no number."""
    from rapidfuzz.distance import LCSseq

    count = len(passage.hashes)
    margin = count // 2 + 20
    low, high = max(0, shift - margin), min(len(document.hashes), shift + count + margin)
    best: Stretch | None = None
    current: Stretch | None = None
    for op in LCSseq.opcodes(passage.hashes.tolist(), document.hashes[low:high].tolist()):
        if op.tag != "equal":
            continue
        start, at, length = op.src_start, op.dest_start + low, op.src_end - op.src_start
        block = Stretch(start, start + length, at, at + length - 1, length)
        if not _numbers_agree(passage, document, block):
            continue
        if current is not None and _go_together(passage, document, current, block):
            current = Stretch(current.start, block.stop, current.first, block.last, current.matched + length)
        elif current is None or length >= RUN:
            current = block
        if best is None or current.matched > best.matched:
            best = current
    return best


def _go_together(passage: Words, document: Words, before: Stretch, after: Stretch) -> bool:
    """Whether little enough lies between two stretches, and no number on one side alone."""
    smaller = min(before.matched, after.matched)
    lacking = pieces(document.between(before.last, after.first))
    gap = max(after.start - before.stop, lacking)
    if lacking > _LEFT_OUT or gap > (1 + smaller // 2 if smaller > _CHANCE else 0):
        return False
    return digits(passage, before.stop, after.start) == digits(document, before.last + 1, after.first)


def _numbers_agree(passage: Words, document: Words, found: Stretch) -> bool:
    """Whether the signs inside numbers are the same, too."""
    return numbers(passage.said(found.start, found.stop)) == numbers(document.said(found.first, found.last + 1))
