"""How far a change between two paired columns may be chance: one test and one interval. Neither decides anything.

Sums that differ by less than 1e-9 are equal: three thirds are one whole, whatever was added first.
"""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from ragtriage.metrics.aggregate import quantile, times_drawn

__all__ = ["MOST_ENUMERATED", "UNIT", "Interval", "SignFlip", "difference_interval", "sign_flip"]

UNIT = 1e-9
MOST_ENUMERATED = 16
_SEED = 20240229
_FLIPPED = 19_999
_RESAMPLES = 2000
_BLOCK = 1 << 20  # signs or draws held at once
_Z = 1.959963984540054  # the normal distribution's 97.5 % point
_TAIL = 0.025
_MOST_RESAMPLED = 1 << 26  # questions × resamplings: beyond that fewer, which many questions need less


class SignFlip(NamedTuple):
    """`p` is two-sided; `p_loss` how often chance alone loses as much or more. `changed` differences are not 0.

    `exact`: every assignment of signs was looked at.
    """

    p: float
    p_loss: float
    changed: int
    exact: bool


class Interval(NamedTuple):
    """The 95 % interval of the mean difference. None: no change was seen, and resampling that says nothing.

    `method` is "wald" where every value is 0 or 1, else "bootstrap".
    """

    low: float | None
    high: float | None
    method: Literal["wald", "bootstrap"]


def sign_flip(differences: Sequence[float], *, seed: int = _SEED, flipped: int = _FLIPPED) -> SignFlip:
    """The paired sign-flip test of head - base, one difference a question. All must be finite, else ValueError.

    Under the null hypothesis each question could as well have changed the other way. With at most 16 nonzero differences all
    2^m signs are looked at; beyond that `flipped` random ones, with p = (b + 1) / (flipped + 1), Phipson and Smyth,
    Permutation P-values Should Never Be Zero, 2010.
    """
    changed = _nonzero(differences)
    seen = math.fsum(changed)
    if not changed:
        return SignFlip(1.0, 1.0, 0, True)
    if len(changed) <= MOST_ENUMERATED:
        sums = np.zeros(1)
        for one in changed:
            sums = np.concatenate([sums + one, sums - one])
        both, loss = _as_far(sums, seen)
        return SignFlip(both / len(sums), loss / len(sums), len(changed), True)
    both = loss = 0
    generator = random.Random(seed)
    weights = 2.0 * np.array(changed)
    step = max(1, _BLOCK // len(changed))
    for start in range(0, flipped, step):
        signs = _signs(min(step, flipped - start), len(changed), generator)
        more = _as_far(signs @ weights - seen, seen)
        both, loss = both + more[0], loss + more[1]
    return SignFlip((both + 1) / (flipped + 1), (loss + 1) / (flipped + 1), len(changed), False)


def _nonzero(differences: Sequence[float]) -> list[float]:
    if not all(map(math.isfinite, differences)):
        raise ValueError("a difference is not finite")
    return sorted(one for one in differences if round(one / UNIT))  # chance is drawn alike, however the questions stand


def _as_far(sums: npt.NDArray[np.float64], seen: float) -> tuple[int, int]:
    """How many sums are as far from 0 as `seen`, and how many lose as much."""
    half = UNIT / 2
    return int(np.count_nonzero(np.abs(sums) >= abs(seen) - half)), int(np.count_nonzero(sums <= seen + half))


def _signs(rows: int, columns: int, generator: random.Random) -> npt.NDArray[np.float64]:
    """Random bits: float64[rows, columns] of 0 and 1. Python's generator, whose stream is the same in every version."""
    width = (columns + 7) // 8
    packed = np.frombuffer(generator.randbytes(rows * width), dtype=np.uint8).reshape(rows, width)
    return np.unpackbits(packed, axis=1, count=columns).astype(np.float64)


def difference_interval(
    base: Sequence[float], head: Sequence[float], *, seed: int = _SEED, resamples: int = _RESAMPLES
) -> Interval:
    """The interval of mean(head) - mean(base) over the same questions in the same order, all with finite values.

    Where all values are 0 or 1: the adjusted Wald interval, which adds one question lost and one won. Bonett and Price,
    Adjusted Wald Confidence Interval for a Difference of Binomial Proportions Based on Paired Data, 2012. Else the percentile
    bootstrap of the differences, Efron and Tibshirani, An Introduction to the Bootstrap, 1993, chapter 13. Raises ValueError
    when lengths differ or a value is not finite.
    """
    if len(base) != len(head):
        raise ValueError(f"the columns are not over the same questions: {len(base)} and {len(head)}")
    differences = [after - before for before, after in zip(base, head, strict=True)]
    changed = _nonzero(differences)
    if all(value in (0.0, 1.0) for column in (base, head) for value in column):
        won = sum(one > 0 for one in changed)
        return _adjusted_wald(len(changed) - won, won, len(base)) if base else Interval(None, None, "wald")
    if not changed:
        return Interval(None, None, "bootstrap")
    return _bootstrap(sorted(differences), seed, resamples)


def _adjusted_wald(lost: int, won: int, n: int) -> Interval:
    lose, win = (lost + 1) / (n + 2), (won + 1) / (n + 2)
    half = _Z * math.sqrt((lose + win - (win - lose) ** 2) / (n + 2))
    return Interval(max(-1.0, win - lose - half), min(1.0, win - lose + half), "wald")


def _bootstrap(differences: Sequence[float], seed: int, resamples: int) -> Interval:
    n = len(differences)
    resamples = max(200, min(resamples, _MOST_RESAMPLED // n))
    generator = random.Random(seed)
    column = np.array(differences, dtype=np.float64)
    step = max(1, _BLOCK // n)
    drawn = [times_drawn(min(step, resamples - start), n, generator) @ column / n for start in range(0, resamples, step)]
    ordered = np.sort(np.concatenate(drawn))[:, None]
    valid = np.array([resamples])
    low, high = (float(quantile(ordered, valid, level)[0]) for level in (_TAIL, 1 - _TAIL))
    return Interval(low, high, "bootstrap")
