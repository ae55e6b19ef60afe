"""Cuts along headings, then paragraphs, then lines of lists and code, then sentences, then tokens."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from ragtriage.chunking.base import Piece, TokenOffsets
from ragtriage.chunking.blocks import Blocks, scan, sentence_starts
from ragtriage.chunking.boundaries import Ruler
from ragtriage.chunking.merging import Stretch, balanced, smallest_first
from ragtriage.chunking.regions import is_bare, regions_of, top_depth
from ragtriage.ids import spec_of
from ragtriage.types import Document

__all__ = ["Recursive"]


@dataclass(frozen=True, slots=True)
class Recursive:
    """Pieces of at most `size` tokens, the last `overlap` of the piece before included where both are of one section.

    Inside a main part of the document neighbouring small sections share a piece while they fit; pieces never reach from
    one main part into the next, except that a heading or a short introduction goes with what follows. Fenced code and
    tables that fit are left whole.
    """

    size: int
    overlap: int = 0

    @property
    def spec(self) -> str:
        return spec_of("recursive", self)

    def cut(self, document: Document, tokens: TokenOffsets) -> list[Piece]:
        """Pieces from the first to the last character."""
        ruler = Ruler(document.text, tokens)
        room = self.size - self.overlap
        cutter = _Cutter(ruler, room, {section.span.start for section in document.sections})
        stretches: list[Stretch] = []
        for region in regions_of(document, ruler, room):
            stretches += cutter.stretches(region.start, region.end, region.lineage)
        top = top_depth(document)
        for depth in range(max((len(item.lineage) for item in stretches), default=0), top - 1, -1):
            stretches = _merge_siblings(stretches, depth, room)
        pieces = []
        for number, item in enumerate(stretches):
            start = item.start
            if self.overlap and number and stretches[number - 1].lineage == item.lineage:
                start = self._earlier(ruler, item.start, stretches[number - 1].start)
            piece = ruler.piece(start, item.end)
            if piece is not None:
                pieces.append(piece)
        return pieces

    def _earlier(self, ruler: Ruler, start: int, lowest: int) -> int:
        token = ruler.token_at(start)
        first = ruler.word_after(max(token - self.overlap, ruler.token_at(lowest) + 1, 0), token)
        return min(ruler.position(first), start)


def _merge_siblings(stretches: Sequence[Stretch], depth: int, room: int) -> list[Stretch]:
    """Neighbours that stand in the same section of `depth`, merged while they fit."""
    out: list[Stretch] = []
    group: list[Stretch] = []
    for item in [*stretches, None]:
        if item is not None and len(item.lineage) >= depth and (not group or group[0].lineage[:depth] == item.lineage[:depth]):
            group.append(item)
            continue
        out += smallest_first(group, room, depth)
        group = []
        if item is not None and len(item.lineage) >= depth:
            group = [item]
        elif item is not None:
            out.append(item)
    return out


class _Cutter:
    """Cuts single regions of one text."""

    def __init__(self, ruler: Ruler, room: int, headings: set[int]) -> None:
        self.ruler = ruler
        self._headings = headings
        self.room = room
        self._blocks: Blocks | None = None
        self._kept: set[int] = set()  # where code and tables start that fit

    def stretches(self, start: int, end: int, lineage: tuple[int, ...]) -> list[Stretch]:
        """The region as stretches of at most `room` tokens, about equally long."""
        count = self.ruler.count(start, end)
        if count <= self.room:
            return [Stretch(start, end, count, lineage)]
        atoms = [Stretch(at, to, self.ruler.count(at, to), lineage) for at, to in self._by_paragraphs(start, end)]
        return balanced(atoms, self.room)

    def _by_paragraphs(self, start: int, end: int) -> list[tuple[int, int]]:
        blocks = self._scanned()
        parts = self._with_headings(_parts(start, end, blocks.paragraphs))
        out = []
        for at, to in parts:
            if self._fits(at, to):
                out.append((at, to))
            else:
                out += self._by_lines(at, to, blocks.lines)
        return out

    def _with_headings(self, parts: list[tuple[int, int]]) -> list[tuple[int, int]]:
        """Headings joined to what follows them, so that none is left alone by a paragraph that is cut."""
        out: list[tuple[int, int]] = []
        start: int | None = None
        for at, to in parts:
            first = at if start is None else start
            if at in self._headings and is_bare(self.ruler.text[at:to]) and self._fits(first, to):
                start = first
                continue
            if start is not None and at in self._kept and not self._fits(start, to):
                out.append((start, at))  # better a heading alone than a table in two
                first = at
            out.append((first, to))
            start = None
        return out if start is None else [*out, (start, parts[-1][1])]

    def _by_lines(self, start: int, end: int, lines: list[int]) -> list[tuple[int, int]]:
        out = []
        for at, to in _parts(start, end, lines):
            if self._fits(at, to):
                out.append((at, to))
                continue
            for first, last in _parts(at, to, sentence_starts(self.ruler.text, at, to)):
                out += [(first, last)] if self._fits(first, last) else self._by_tokens(first, last)
        return out

    def _by_tokens(self, start: int, end: int) -> list[tuple[int, int]]:
        ruler = self.ruler
        stop = ruler.token_at(end)
        cuts = [start]
        token = ruler.token_at(start)
        while token + self.room < stop:
            token = ruler.word_before(token + self.room, token)
            position = ruler.position(token)
            if position > cuts[-1]:
                cuts.append(position)
        return list(pairwise([*cuts, end]))

    def _fits(self, start: int, end: int) -> bool:
        return self.ruler.count(start, end) <= self.room

    def _scanned(self) -> Blocks:
        """The blocks of the text, without places to cut inside code and tables that fit."""
        if self._blocks is None:
            blocks = scan(self.ruler.text)
            keep = [span for span in blocks.keep if self._fits(*span)]
            self._kept = {span.start for span in keep}
            self._blocks = Blocks(_outside(blocks.paragraphs, keep), _outside(blocks.lines, keep), keep)
        return self._blocks


def _parts(start: int, end: int, positions: list[int]) -> list[tuple[int, int]]:
    """[start, end) cut at those of the ascending `positions` that lie inside."""
    inside = positions[bisect_right(positions, start) : bisect_left(positions, end)]
    return list(pairwise([start, *inside, end]))


def _outside(positions: list[int], keep: Sequence[tuple[int, int]]) -> list[int]:
    """Those of the ascending `positions` that are not inside one of the ascending spans `keep`."""
    out = []
    at = 0
    for position in positions:
        while at < len(keep) and keep[at][1] <= position:
            at += 1
        if at == len(keep) or position <= keep[at][0]:
            out.append(position)
    return out
