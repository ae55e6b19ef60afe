"""How much of a corpus the encoder never reads."""

from __future__ import annotations

import numpy as np

from ragtriage.chunking.base import Chunks

__all__ = ["unembedded"]


def unembedded(chunks: Chunks, window: int) -> float:
    """The share of the indexed text, in tokens, that lies behind the first `window` of its unit; 0 to 1.

    A unit's prefix and special tokens take their place in the window first. Text that stands in two units counts twice.
    """
    units = chunks.units
    total = int(units.tokens.sum(dtype=np.int64))
    beyond = np.clip(units.indexed_tokens - window, 0, units.tokens)
    return int(beyond.sum(dtype=np.int64)) / total if total else 0.0
