"""A document is one chunk."""

from __future__ import annotations

from ragtriage.chunking.base import Piece, TokenOffsets
from ragtriage.chunking.boundaries import Ruler
from ragtriage.types import Document

__all__ = ["Whole"]


class Whole:
    """The whole text, however long."""

    spec = "whole"

    def cut(self, document: Document, tokens: TokenOffsets) -> list[Piece]:
        """One piece, none for a blank text."""
        piece = Ruler(document.text, tokens).piece(0, len(document.text))
        return [] if piece is None else [piece]
