"""What a server sent for some texts -> unit vectors, or why each is none."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np

__all__ = ["unit_vector", "width_of"]

_MOST = 65_536  # values of a vector; more is no embedding


def unit_vector(row: Any, width: int) -> np.ndarray | str:
    """float16[width] of the same direction as `row`, normalised in float64; else what is wrong with it, in words."""
    if not isinstance(row, list):
        return "the server gave no vector for it"
    if len(row) != width:
        return f"the server gave a vector of {len(row):,} values for it, and others have {width:,}"
    try:
        values = np.asarray(row)
        if values.ndim != 1 or values.dtype.kind not in "fiu":
            return "the server gave something for it that is no list of numbers"
        values = values.astype(np.float64)
    except (ValueError, OverflowError):
        return "the server gave something for it that is no list of numbers"
    largest = float(np.abs(values).max(initial=0.0))
    if not np.isfinite(largest):
        return "the server gave a vector for it with a value that is no number"
    if largest == 0.0:
        return "the server gave a vector of zeros for it, which has no direction"
    values = values / largest  # so that no square of one is beyond what a float holds
    return np.asarray((values / np.linalg.norm(values)).astype(np.float16))


def width_of(rows: Sequence[Any]) -> int:
    """How many values most of the rows have; 0 where none has any."""
    found = Counter(len(row) for row in rows if isinstance(row, list) and 0 < len(row) <= _MOST)
    return found.most_common(1)[0][0] if found else 0
