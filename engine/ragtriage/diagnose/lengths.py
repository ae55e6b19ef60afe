"""Chunks that are longer than the encoder reads: their end is in no vector."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ragtriage.chunking.base import Chunks

__all__ = ["Unread", "UnreadRow", "unread"]


class UnreadRow(NamedTuple):
    """A chunk with `lost` of its `tokens` beyond the window."""

    row: int
    tokens: int
    lost: int


class Unread(NamedTuple):
    """What the vectors of a corpus lack. `share` is lost tokens over all tokens of all chunks, 0 to 1."""

    window: int
    rows: tuple[UnreadRow, ...]
    share: float


def unread(chunks: Chunks, window: int) -> Unread:
    """The chunks that exceed `window` tokens, prefix and special tokens included, the most lost first, ties in reading order.

    The prefix comes first, so it is the chunk's own text that is cut off.
    """
    lost = np.minimum(np.maximum(chunks.indexed_tokens - window, 0), chunks.tokens)
    rows = np.flatnonzero(lost)
    rows = rows[np.lexsort((rows, -lost[rows]))]
    total = int(chunks.tokens.sum(dtype=np.int64))
    return Unread(
        window,
        tuple(UnreadRow(int(row), int(chunks.tokens[row]), int(lost[row])) for row in rows),
        round(int(lost.sum(dtype=np.int64)) / total, 6) if total else 0.0,
    )
