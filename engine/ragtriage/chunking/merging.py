"""Small neighbours -> fewer, fuller ones."""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from ragtriage.chunking.base import Piece
from ragtriage.chunking.boundaries import Ruler

__all__ = ["Stretch", "balanced", "pieces_of", "smallest_first"]


class Stretch(NamedTuple):
    """[start, end) of a text with its number of tokens. Stretches of a text touch each other.

    `lineage` are the rows of the sections it stands in, outermost first.
    """

    start: int
    end: int
    tokens: int
    lineage: tuple[int, ...] = ()


def balanced(atoms: Sequence[Stretch], room: int) -> list[Stretch]:
    """Neighbours joined to stretches of at most `room` tokens, of about one length instead of full ones and a small rest."""
    target = sum(atom.tokens for atom in atoms) / max(1, _fewest(atoms, room))
    out: list[Stretch] = []
    current: Stretch | None = None
    for atom in atoms:
        if current is None:
            current = atom
            continue
        together = current.tokens + atom.tokens
        if together > room or together - target > target - current.tokens:
            out.append(current)
            current = atom
        else:
            current = current._replace(end=atom.end, tokens=together)
    return out if current is None else [*out, current]


def _fewest(atoms: Sequence[Stretch], room: int) -> int:
    pieces, filled = 0, room + 1
    for atom in atoms:
        if filled + atom.tokens > room:
            pieces, filled = pieces + 1, 0
        filled += atom.tokens
    return pieces


def smallest_first(group: Sequence[Stretch], room: int, depth: int) -> list[Stretch]:
    """Again and again the two neighbours that are smallest together become one, while that is at most `room` tokens.

    What was merged keeps the first `depth` sections of its lineage, which all of `group` share.
    """
    items: list[Stretch | None] = list(group)
    before = list(range(-1, len(items) - 1))
    after = list(range(1, len(items) + 1))
    heap = [(one.tokens + two.tokens, row, row + 1) for row, (one, two) in enumerate(pairwise(group))]
    heapq.heapify(heap)
    while heap and heap[0][0] <= room:
        tokens, left, right = heapq.heappop(heap)
        one, two = items[left], items[right]
        if one is None or two is None or after[left] != right or one.tokens + two.tokens != tokens:
            continue
        items[left], items[right] = Stretch(one.start, two.end, tokens, one.lineage[:depth]), None
        after[left] = after[right]
        if after[right] < len(items):
            before[after[right]] = left
            _push(heap, items, left, after[right])
        if before[left] >= 0:
            _push(heap, items, before[left], left)
    return [item for item in items if item is not None]


def _push(heap: list[tuple[int, int, int]], items: Sequence[Stretch | None], left: int, right: int) -> None:
    one, two = items[left], items[right]
    if one is not None and two is not None:
        heapq.heappush(heap, (one.tokens + two.tokens, left, right))


def pieces_of(stretches: Sequence[Stretch], ruler: Ruler, overlap: int) -> list[Piece]:
    """Stretches as pieces, blank ones left out; each begins `overlap` tokens earlier where the one before is of its lineage."""
    pieces = []
    for number, item in enumerate(stretches):
        start = item.start
        if overlap and number and stretches[number - 1].lineage == item.lineage:
            start = _earlier(ruler, item.start, stretches[number - 1].start, overlap)
        piece = ruler.piece(start, item.end)
        if piece is not None:
            pieces.append(piece)
    return pieces


def _earlier(ruler: Ruler, start: int, lowest: int, overlap: int) -> int:
    token = ruler.token_at(start)
    first = ruler.word_after(max(token - overlap, ruler.token_at(lowest) + 1, 0), token)
    return min(ruler.position(first), start)
