"""Where the text of a chunk of one side is on the other: by its place in its document, not by its id."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from ragtriage.compare.chunks import ChunkTable, Passage

__all__ = ["Located", "Shift", "counterparts", "located", "no_shift", "shift"]

Shift = Callable[[int], int]


class Located(NamedTuple):
    """A chunk by its place; `passage` None where the cuts are not known any more."""

    chunk_id: str
    doc_id: str
    passage: Passage | None = None

    @property
    def span(self) -> tuple[int, int]:
        return (self.passage.start, self.passage.end) if self.passage else (0, 0)


def located(chunk_id: str, table: ChunkTable | None) -> Located:
    """A chunk of a run among that run's cuts: `doc#3` is the third of its document, a ready-made one is its document."""
    doc_id, _, number = chunk_id.rpartition("#")
    if table is None:
        return Located(chunk_id, doc_id or chunk_id)
    several = table.passages.get(doc_id, ())
    if number.isascii() and number.isdigit() and 0 < int(number) <= len(several):
        return Located(chunk_id, doc_id, several[int(number) - 1])
    alone = table.passages.get(chunk_id, ())
    return Located(chunk_id, chunk_id, alone[0]) if len(alone) == 1 else Located(chunk_id, doc_id or chunk_id)


def no_shift(offset: int) -> int:
    """Of a document that is the same on both sides."""
    return offset


def shift(old: str, new: str) -> Shift:
    """Where an offset of `old` is in `new`: exact outside of the part that was edited, in proportion inside."""
    before = _common(old, new)
    rest_old, rest_new = old[before:][::-1], new[before:][::-1]
    after = _common(rest_old, rest_new)
    end_old, end_new = len(old) - after, len(new) - after

    def moved(offset: int) -> int:
        if offset <= before:
            return offset
        if offset >= end_old:
            return offset - len(old) + len(new)
        return before + (offset - before) * (end_new - before) // max(end_old - before, 1)

    return moved


def _common(one: str, other: str) -> int:
    """How many characters two texts begin with alike."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if one[low:middle] == other[low:middle] else (low, middle - 1)
    return low


def counterparts(
    base: Sequence[Located],
    head: Sequence[Located],
    shift_of: Callable[[str], Shift | None],
    evidence: Sequence[tuple[str, int, int]] = (),
) -> tuple[list[int | None], list[int | None]]:
    """For each chunk of a side, which one of the other has most of it, by index: the one that shares evidence first, then the
    one that shares most text, at least half of the smaller of both. `evidence` is where it lies in the head's documents.

    `shift_of` gives how offsets of a document of the base move; None where that is not known: ids decide then.
    """
    there: list[list[tuple[tuple[int, int], int]]] = [[] for _ in base]
    back: list[list[tuple[tuple[int, int], int]]] = [[] for _ in head]
    by_document: dict[str, list[int]] = {}
    for index, one in enumerate(head):
        by_document.setdefault(one.doc_id, []).append(index)
    shifts = {one.doc_id: shift_of(one.doc_id) for one in base if one.doc_id in by_document}
    for at, old in enumerate(base):
        move = shifts.get(old.doc_id)
        for index in by_document.get(old.doc_id, ()):
            new = head[index]
            score = _shared(old, new, move, evidence)
            if score is not None:
                there[at].append((score, -index))
                back[index].append((score, -at))
    return [_best(one) for one in there], [_best(one) for one in back]


def _best(found: list[tuple[tuple[int, int], int]]) -> int | None:
    return -max(found)[1] if found else None


def _shared(old: Located, new: Located, move: Shift | None, evidence: Sequence[tuple[str, int, int]]) -> tuple[int, int] | None:
    """Characters of evidence and of text that both have; None where they are not the same passage."""
    if move is None or old.passage is None or new.passage is None:
        return (0, 1) if old.chunk_id == new.chunk_id else None
    start, end = move(old.passage.start), move(old.passage.end)
    first, last = max(start, new.passage.start), min(end, new.passage.end)
    if last <= first:
        return None
    proof = sum(max(min(last, stop) - max(first, begin), 0) for doc_id, begin, stop in evidence if doc_id == new.doc_id)
    smaller = max(min(end - start, new.passage.end - new.passage.start), 1)
    return (proof, last - first) if proof or 2 * (last - first) >= smaller else None
