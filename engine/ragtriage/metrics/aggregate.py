"""The mean over questions, said honestly: its n, what failed, its floor, an interval. The only place where means are made.

A question that failed has no value. It is counted, never dropped in silence and never taken for 0 without saying so.
"""

from __future__ import annotations

import math
import random
from collections.abc import Hashable, Mapping, Sequence
from typing import NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

__all__ = ["Mean", "mean", "means", "quantile", "times_drawn"]

Key = TypeVar("Key", bound=Hashable)

_SEED = 20240229
_RESAMPLES = 1000
_LEVEL = 0.95
_BLOCK = 1 << 20  # draws held at once: 4 MB of random bytes, whatever the number of questions


class Mean(NamedTuple):
    """`value` is the mean of the `n` questions that have a value, None where there are none.

    `failed` questions have no value; `floor` is what the mean would be if all of them were 0. `low` and `high` bound the 95 %
    interval of `value`; with one question they are that question's value.
    """

    value: float | None
    n: int
    failed: int
    floor: float | None
    low: float | None
    high: float | None


def mean(values: Sequence[float | None], *, seed: int = _SEED, resamples: int = _RESAMPLES) -> Mean:
    """The Mean of one column; see `means`."""
    return means({"": values}, seed=seed, resamples=resamples)[""]


def means(columns: Mapping[Key, Sequence[float | None]], *, seed: int = _SEED, resamples: int = _RESAMPLES) -> dict[Key, Mean]:
    """The Mean of each column. A column holds one value a question, None or NaN where it failed or could not be judged.

    All columns are over the same questions in the same order, because each resampling draws questions once for all of them:
    intervals of two metrics then belong together. Raises ValueError when lengths differ or a value is infinite.

    Formula: percentile bootstrap over questions, Efron and Tibshirani, An Introduction to the Bootstrap, 1993, chapter 13.
    """
    if not columns:
        return {}
    lengths = {len(values) for values in columns.values()}
    if len(lengths) > 1:
        raise ValueError(f"the columns are not over the same questions: lengths {sorted(lengths)}")
    questions = lengths.pop()
    table = np.array([[math.nan if value is None else value for value in values] for values in columns.values()], np.float64)
    if np.isinf(table).any():
        raise ValueError("a value is infinite")
    there = ~np.isnan(table)
    low, high = _interval(np.where(there, table, 0.0), there, random.Random(seed), resamples)
    return {
        key: _mean_of(table[row][there[row]], questions, float(low[row]), float(high[row])) for row, key in enumerate(columns)
    }


def _mean_of(values: npt.NDArray[np.float64], questions: int, low: float, high: float) -> Mean:
    n = len(values)
    if n == 0:
        return Mean(None, 0, questions, 0.0 if questions else None, None, None)
    # fsum: the same value in whatever order the questions stand
    total = math.fsum(values.tolist())
    return Mean(total / n, n, questions - n, total / questions, low, high)


def _interval(
    table: npt.NDArray[np.float64], there: npt.NDArray[np.bool_], generator: random.Random, resamples: int
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Bounds of each row's mean over what is there: float64[columns] twice, NaN for a row without any value."""
    columns, questions = table.shape
    if questions == 0:
        return np.full(columns, np.nan), np.full(columns, np.nan)
    weights = np.concatenate([table, there.astype(np.float64)]).T
    sums = np.empty((resamples, 2 * columns))
    step = max(1, _BLOCK // questions)
    for start in range(0, resamples, step):
        rows = min(step, resamples - start)
        sums[start : start + rows] = times_drawn(rows, questions, generator) @ weights
    with np.errstate(invalid="ignore", divide="ignore"):
        # a draw of failed questions alone has no mean and takes no part
        drawn = np.sort(sums[:, :columns] / sums[:, columns:], axis=0)  # NaN sorts last
    valid = np.count_nonzero(~np.isnan(drawn), axis=0)
    tail = (1.0 - _LEVEL) / 2
    return quantile(drawn, valid, tail), quantile(drawn, valid, 1.0 - tail)


def times_drawn(rows: int, questions: int, generator: random.Random) -> npt.NDArray[np.float64]:
    """How often each question is drawn in `rows` resamplings: float64[rows, questions], each row sums to `questions`.

    Python's generator, because its stream is the same in every version and importing numpy.random takes longer than the
    whole bootstrap.
    """
    bits = np.frombuffer(generator.randbytes(4 * rows * questions), dtype="<u4").reshape(rows, questions)
    # multiply and shift maps 32 bits to [0, questions) with a bias below questions / 2**32
    index = ((bits.astype(np.uint64) * np.uint64(questions)) >> np.uint64(32)).astype(np.int64)
    index += np.arange(rows, dtype=np.int64)[:, None] * questions
    return np.bincount(index.ravel(), minlength=rows * questions).reshape(rows, questions).astype(np.float64)


def quantile(ordered: npt.NDArray[np.float64], valid: npt.NDArray[np.intp], level: float) -> npt.NDArray[np.float64]:
    """Linear interpolation between the order statistics of each column's first `valid` entries."""
    place = np.maximum(valid - 1, 0) * level
    below = np.floor(place).astype(np.intp)
    above = np.minimum(below + 1, np.maximum(valid - 1, 0))
    columns = np.arange(ordered.shape[1])
    low: npt.NDArray[np.float64] = ordered[below, columns]
    result: npt.NDArray[np.float64] = low + (ordered[above, columns] - low) * (place - below)
    return result
