"""What is embedded and longer than the encoder reads: its end is in no vector."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ragtriage.chunking.base import Chunks
from ragtriage.chunking.unembedded import unembedded

__all__ = ["Unread", "UnreadRow", "unread"]


class UnreadRow(NamedTuple):
    """A unit, by its row in `Chunks.units`, with `lost` of its `tokens` beyond the window."""

    row: int
    tokens: int
    lost: int


class Unread(NamedTuple):
    """What the vectors of a corpus lack. `share` is that of chunking.unembedded, 0 to 1."""

    window: int
    rows: tuple[UnreadRow, ...]
    share: float


def unread(chunks: Chunks, window: int) -> Unread:
    """The units that exceed `window` tokens, prefix and special tokens included, the most lost first, ties in reading order.

    Units are the chunks themselves or, under small_to_big, the pieces they are found by. The prefix comes first, so it is the
    unit's own text that is cut off.
    """
    units = chunks.units
    lost = np.clip(units.indexed_tokens - window, 0, units.tokens)
    rows = np.flatnonzero(lost)
    rows = rows[np.lexsort((rows, -lost[rows]))]
    found = tuple(UnreadRow(int(row), int(units.tokens[row]), int(lost[row])) for row in rows)
    return Unread(window, found, round(unembedded(chunks, window), 6))
