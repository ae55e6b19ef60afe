"""Which texts go through a model together, so that what comes out is a function of each text alone.

Padding changes the last bits of a vector. Texts share a batch only if their token counts round up to the same multiple of
STEP, and are padded to exactly that: a text then meets the same shapes alone, in any batch and beside any neighbours.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

__all__ = ["CPU_TOKENS", "STEP", "Batch", "batches", "never_alone"]

STEP = 16  # tokens; smaller wastes no less, since attention works in blocks, and makes more groups
CPU_TOKENS = 2048
"""Tokens of a batch on a processor, padding included: more leave its cache and cost up to a tenth."""


class Batch(NamedTuple):
    """Texts by their places in the input, and the length in tokens that each is padded to."""

    places: list[int]
    padded: int


def never_alone(places: list[int]) -> list[int]:
    """A batch of one becomes two of the same. A layer that sees one row a text takes another kernel for a single row."""
    return places * 2 if len(places) == 1 else places


def batches(lengths: Sequence[int], *, longest: int, at_most: int, tokens: int = CPU_TOKENS) -> list[Batch]:
    """Batches of at most `at_most` texts and about `tokens` tokens, the longest first.

    `lengths` in tokens, none above `longest`, the model's window.
    """
    groups: dict[int, list[int]] = {}
    for place, length in enumerate(lengths):
        padded = min(-(-max(length, 1) // STEP) * STEP, longest)
        groups.setdefault(padded, []).append(place)
    out = []
    for padded in sorted(groups, reverse=True):
        places = groups[padded]
        size = max(1, min(at_most, tokens // padded))
        out += [Batch(places[start : start + size], padded) for start in range(0, len(places), size)]
    return out
