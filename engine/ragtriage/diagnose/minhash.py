"""Pairs of passages that are likely to resemble each other, without comparing all with all.

MinHash (Broder 1997) in bands (Leskovec, Rajaraman and Ullman, Mining of Massive Datasets, 3.4): two passages of resemblance
s share a band of R minima with probability s^R, and any of B bands with 1 - (1 - s^R)^B. The hashes are multiply-shift
(Dietzfelbinger and others 1997) with constants from splitmix64, so that the same passages give the same pairs everywhere.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ragtriage.diagnose.shingles import Shingles
from ragtriage.types import Progress, no_progress

__all__ = ["candidates"]

_BANDS, _ROWS = 20, 4  # at 0.7, a pair is found with probability 0.996; at 0.8 with 0.99997
_SLACK = 0.2  # how far below the threshold an estimate from 80 minima may lie: four standard errors
_BLOCK = 1 << 20  # shingles hashed at once
_MASK = (1 << 64) - 1


def candidates(shingles: Shingles, least: float, progress: Progress = no_progress) -> NDArray[np.int64]:
    """int64[n, 2]: pairs (a < b) that may resemble each other by at least `least`, ascending. Who has no shingles is in none.

    Of a crowd that shares a band each is paired with the first and with the one before it, so that n passages give at most
    40 n pairs: what is linked through others is for the caller to join. Raises what `progress` raises.
    """
    filled = np.flatnonzero(np.diff(shingles.offsets))
    if len(filled) < 2:
        return np.empty((0, 2), np.int64)
    minima = _minima(shingles, filled, progress)
    found = []
    for band in range(_BANDS):
        keys = _key(minima[band * _ROWS : (band + 1) * _ROWS])
        order = np.argsort(keys, kind="stable")
        same = keys[order][1:] == keys[order][:-1]
        begins = np.concatenate([[True], ~same])
        first = np.maximum.accumulate(np.where(begins, np.arange(len(order)), 0))
        linked = np.flatnonzero(same) + 1
        found.append(np.stack([order[linked - 1], order[linked]], axis=1))
        found.append(np.stack([order[first[linked]], order[linked]], axis=1))
    pairs = np.unique(np.concatenate(found), axis=0)
    estimates = np.zeros(len(pairs), np.int32)
    for row in minima:
        estimates += row[pairs[:, 0]] == row[pairs[:, 1]]
    return filled[pairs[estimates >= (least - _SLACK) * len(minima)]]


def _minima(shingles: Shingles, filled: NDArray[np.int64], progress: Progress) -> NDArray[np.uint32]:
    """uint32[B * R, passages]: the smallest hash of each passage under each function."""
    constants = _splitmix(2 * _BANDS * _ROWS)
    out = np.empty((_BANDS * _ROWS, len(filled)), np.uint32)
    starts = shingles.offsets[filled]
    ends = shingles.offsets[filled + 1]
    at = 0
    while at < len(filled):
        progress("comparing passages", at, len(filled))
        to = max(at + 1, int(np.searchsorted(ends, starts[at] + _BLOCK)))
        block = shingles.hashes[starts[at] : ends[to - 1]].astype(np.uint64)
        for function in range(len(out)):
            factor, shift = constants[2 * function] | np.uint64(1), constants[2 * function + 1]
            hashed = (block * factor + shift) >> np.uint64(32)
            out[function, at:to] = np.minimum.reduceat(hashed, starts[at:to] - starts[at])
        at = to
    return out


def _key(rows: NDArray[np.uint32]) -> NDArray[np.uint64]:
    key = np.zeros(rows.shape[1], np.uint64)
    for row in rows:
        key = (key ^ row) * np.uint64(0x9E3779B97F4A7C15)
        key ^= key >> np.uint64(31)
    return key


def _splitmix(count: int) -> NDArray[np.uint64]:
    """The first numbers of splitmix64 (Steele, Lea and Flood 2014) from 0."""
    out, state = [], 0
    for _ in range(count):
        state = (state + 0x9E3779B97F4A7C15) & _MASK
        mixed = ((state ^ (state >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
        mixed = ((mixed ^ (mixed >> 27)) * 0x94D049BB133111EB) & _MASK
        out.append(mixed ^ (mixed >> 31))
    return np.array(out, dtype=np.uint64)
