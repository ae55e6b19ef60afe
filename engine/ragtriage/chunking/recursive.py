"""Cuts along headings, then paragraphs, then lines of lists and code, then sentences, then tokens."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ragtriage.chunking.base import Piece, TokenOffsets
from ragtriage.chunking.boundaries import Ruler
from ragtriage.chunking.cutter import Cutter
from ragtriage.chunking.merging import Stretch, pieces_of, smallest_first
from ragtriage.chunking.regions import regions_of, top_depth
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
        cutter = Cutter(ruler, room, document.sections)
        stretches: list[Stretch] = []
        for region in regions_of(document, ruler, room):
            stretches += cutter.stretches(region.start, region.end, region.lineage)
        top = top_depth(document)
        for depth in range(max((len(item.lineage) for item in stretches), default=0), top - 1, -1):
            stretches = _merge_siblings(stretches, depth, room)
        return pieces_of(stretches, ruler, self.overlap)


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
