"""Windows of a fixed number of tokens."""

from __future__ import annotations

from dataclasses import dataclass

from ragtriage.chunking.base import Piece, TokenOffsets
from ragtriage.chunking.boundaries import Ruler
from ragtriage.ids import spec_of
from ragtriage.types import Document

__all__ = ["Fixed"]


@dataclass(frozen=True, slots=True)
class Fixed:
    """At most `size` tokens each, the first `overlap` of them also in the piece before. Words stay whole where they fit."""

    size: int
    overlap: int = 0

    @property
    def spec(self) -> str:
        return spec_of("fixed", self)

    def cut(self, document: Document, tokens: TokenOffsets) -> list[Piece]:
        """Pieces from the first to the last character."""
        ruler = Ruler(document.text, tokens)
        pieces: list[Piece] = []
        first, stop = 0, 0
        while True:
            start = ruler.position(first) if pieces else 0
            last = first + self.size >= len(ruler)
            stop = len(ruler) if last else ruler.word_before(first + self.size, stop)
            piece = ruler.piece(start, len(document.text) if last else ruler.position(stop))
            if piece is not None:
                pieces.append(piece)
            if last:
                return pieces
            first = ruler.word_after(max(stop - self.overlap, first + 1), stop)
