"""Passages as sets of pairs of neighbouring words, and how much of them two passages share.

Broder (1997), On the resemblance and containment of documents: the resemblance of two texts is the Jaccard index of the sets
of their shingles, here of two words each.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ragtriage.chunking.base import Chunks
from ragtriage.diagnose.words import hashed_words
from ragtriage.types import Progress, no_progress

__all__ = ["Shingles", "shingles_of"]

_BLOCK = 2_000_000  # characters at once
_MIX = np.uint64(0x9E3779B97F4A7C15)  # 2^64 / golden ratio: spreads the bits of two hashes over one


class Shingles(NamedTuple):
    """The shingles of m passages: those of passage i are `hashes[offsets[i] : offsets[i + 1]]`, ascending, each once.

    `hashes` is uint32, `offsets` int64[m + 1], `words` int32[m] counts each passage's words.
    """

    hashes: NDArray[np.uint32]
    offsets: NDArray[np.int64]
    words: NDArray[np.int32]

    def of(self, at: int) -> NDArray[np.uint32]:
        return self.hashes[self.offsets[at] : self.offsets[at + 1]]

    def resemblance(self, one: int, other: int) -> float:
        """Shared shingles over all of both, 0 to 1 at 6 decimals; 0 where one has none."""
        a, b = self.of(one), self.of(other)
        shared = len(np.intersect1d(a, b, assume_unique=True))
        return round(shared / max(1, len(a) + len(b) - shared), 6)


def shingles_of(chunks: Chunks, rows: Sequence[int], progress: Progress = no_progress) -> Shingles:
    """The shingles of the passages in `rows`, in that order. Raises what `progress` raises."""
    if not rows:
        return Shingles(np.empty(0, np.uint32), np.zeros(1, np.int64), np.empty(0, np.int32))
    hashes, counts, words = [], [], []
    before = np.cumsum(chunks.ends[rows] - chunks.starts[rows], dtype=np.int64) // _BLOCK
    at = 0
    while at < len(rows):
        progress("comparing passages", at, len(rows))
        to = int(np.searchsorted(before, before[at], side="right"))
        found = [hashed_words(chunks.text(row)) for row in rows[at:to]]
        at = to
        words.append(np.array([len(each) for each in found], dtype=np.int32))
        block, per_passage = _pairs(found)
        hashes.append(block)
        counts.append(per_passage)
    offsets = np.concatenate([np.zeros(1, np.int64), np.cumsum(np.concatenate(counts))])
    return Shingles(np.concatenate(hashes), offsets, np.concatenate(words))


def _pairs(words: Sequence[NDArray[np.uint32]]) -> tuple[NDArray[np.uint32], NDArray[np.int64]]:
    """The shingles of several passages one after the other, and how many each has."""
    owners = np.repeat(np.arange(len(words), dtype=np.uint64), [len(each) for each in words])
    flat = np.concatenate(words).astype(np.uint64)
    inside = owners[1:] == owners[:-1]
    mixed = ((flat[:-1] << np.uint64(32)) | flat[1:])[inside] * _MIX
    mixed ^= mixed >> np.uint64(29)
    keyed = np.unique((owners[1:][inside] << np.uint64(32)) | (mixed * _MIX >> np.uint64(32)))
    counts = np.bincount((keyed >> np.uint64(32)).astype(np.int64), minlength=len(words))
    return keyed.astype(np.uint32), counts.astype(np.int64)
