"""Small pieces are searched, and the large ones that they stand in are returned."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial

from ragtriage.chunking.base import Piece, TokenOffsets
from ragtriage.chunking.boundaries import Ruler
from ragtriage.chunking.cutter import Cutter
from ragtriage.chunking.recursive import Recursive
from ragtriage.chunking.sentences import sentence_starts
from ragtriage.ids import spec_of
from ragtriage.types import Document

__all__ = ["SmallToBig"]


@dataclass(frozen=True, slots=True)
class SmallToBig:
    """Pieces as `recursive` cuts them, and in each of them children of at most `child_size` tokens.

    Children never reach out of their parent and are cut at headings, paragraphs, lines, sentences, tokens; sentences are
    those of `language`, an ISO 639-1 code.
    """

    size: int
    child_size: int
    overlap: int = 0
    language: str = field(default="en", metadata={"spec": False})

    @property
    def spec(self) -> str:
        return spec_of("small_to_big", self)

    def cut(self, document: Document, tokens: TokenOffsets) -> list[Piece]:
        """The parents."""
        return Recursive(self.size, self.overlap).cut(document, tokens)

    def children(self, document: Document, tokens: TokenOffsets, parents: Sequence[Piece]) -> list[list[Piece]]:
        """Of each parent its children, in reading order; together they cover what is not white space in it."""
        ruler = Ruler(document.text, tokens)
        sentences = partial(sentence_starts, language=self.language)
        cutter = Cutter(ruler, self.child_size, document.sections, sentences=sentences, at_headings=True)
        return [
            [piece for item in cutter.stretches(*parent.span, ()) if (piece := ruler.piece(item.start, item.end)) is not None]
            for parent in parents
        ]
