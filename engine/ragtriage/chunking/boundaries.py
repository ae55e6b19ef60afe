"""Where tokens start in a text, and pieces between two boundaries, trimmed of white space."""

from __future__ import annotations

from bisect import bisect_left

import numpy as np

from ragtriage.chunking.base import Piece, TokenOffsets
from ragtriage.types import Span

__all__ = ["Ruler", "trimmed"]

_WORD = 24  # tokens; longer runs without a space are cut where they must be


def trimmed(text: str, start: int, end: int) -> Span | None:
    """[start, end) without white space at its ends; None where nothing else is in it."""
    part = text[start:end]
    stripped = part.lstrip()
    if not stripped:
        return None
    start += len(part) - len(stripped)
    return Span(start, start + len(stripped.rstrip()))


class Ruler:
    """Measures one text in tokens. A token counts where its last character stands."""

    def __init__(self, text: str, tokens: TokenOffsets) -> None:
        self.text = text
        self._starts: list[int] = tokens[:, 0].tolist()
        self._lasts: list[int] = (tokens[:, 1] - 1).tolist()
        glued = tokens[1:, 0] <= tokens[:-1, 1]
        self._glued = np.concatenate(([False], glued)) if len(tokens) else np.zeros(0, dtype=bool)

    def __len__(self) -> int:
        return len(self._starts)

    def token_at(self, position: int) -> int:
        """The first token that counts at `position` or later."""
        return bisect_left(self._lasts, position)

    def count(self, start: int, end: int) -> int:
        """Tokens in [start, end)."""
        return bisect_left(self._lasts, end) - bisect_left(self._lasts, start)

    def position(self, token: int) -> int:
        """Where a token starts; the text's length after the last one."""
        return self._starts[token] if token < len(self._starts) else len(self.text)

    def word_before(self, token: int, lowest: int) -> int:
        """The first token of the word that `token` stands in.

        `token` itself where that lies at or before `lowest`, or so far back that the word is rather a script without spaces.
        """
        at = token
        floor = max(lowest, token - _WORD)
        while at > floor and at < len(self) and self._glued[at]:
            at -= 1
        return at if at > floor else token

    def word_after(self, token: int, highest: int) -> int:
        """The first token from `token` on that starts a word, `highest` where none does before it."""
        at = token
        while at < highest and self._glued[at]:
            at += 1
        return at

    def piece(self, start: int, end: int) -> Piece | None:
        """The text between two positions, None where it is blank."""
        span = trimmed(self.text, start, end)
        return None if span is None else Piece(span, self.count(start, end))
