"""How much better the questions that one tunes on do than those kept aside: the sign of overfitting."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from typing import TypedDict

import numpy as np
import numpy.typing as npt

from ragtriage.measure.results import QuestionResult, Run
from ragtriage.metrics.aggregate import quantile, times_drawn
from ragtriage.metrics.base import Metric, standard_metrics

__all__ = ["HoldoutGap", "holdout_gap"]

_SEED = 20240229
_RESAMPLES = 2000
_TAIL = 0.025
_BLOCK = 1 << 20  # draws held at once
_DIGITS = 6


class HoldoutGap(TypedDict):
    """The means of both splits, `gap` = dev - holdout, and the bounds of its 95 % interval. n: questions with a value."""

    dev: float
    holdout: float
    gap: float
    low: float
    high: float
    n_dev: int
    n_holdout: int


def holdout_gap(run: Run, *, seed: int = _SEED, resamples: int = _RESAMPLES) -> dict[str, HoldoutGap]:
    """The gap of each standard metric in a run over both splits; empty where one of them has no measured question.

    The splits hold different questions, so that each is resampled by itself: percentile bootstrap of a difference of means of
    two independent samples, Efron and Tibshirani, An Introduction to the Bootstrap, 1993, chapter 8.3. A question that failed
    has no value. An interval that holds 0 says that this holdout is too small to tell, not that there is no gap.
    """
    metrics = standard_metrics(int(run.manifest["k"]))
    sides = [[question for question in run.questions if question.split == split] for split in ("dev", "holdout")]
    tables = [_table(side, metrics) for side in sides]
    counts = [np.count_nonzero(~np.isnan(table), axis=1) for table in tables]
    if not all(count.size and count.all() for count in counts):
        return {}
    generator = random.Random(seed)
    drawn = [_drawn_means(table, resamples, generator) for table in tables]
    differences = np.sort(drawn[0] - drawn[1], axis=0)  # a draw of failed questions alone is NaN and sorts last
    valid = np.count_nonzero(~np.isnan(differences), axis=0)
    low, high = quantile(differences, valid, _TAIL), quantile(differences, valid, 1 - _TAIL)
    out: dict[str, HoldoutGap] = {}
    for row, metric in enumerate(metrics):
        dev, holdout = (_mean(table[row]) for table in tables)
        out[repr(metric)] = HoldoutGap(
            dev=round(dev, _DIGITS),
            holdout=round(holdout, _DIGITS),
            gap=round(dev - holdout, _DIGITS),
            low=round(float(low[row]), _DIGITS),
            high=round(float(high[row]), _DIGITS),
            n_dev=int(counts[0][row]),
            n_holdout=int(counts[1][row]),
        )
    return out


def _table(questions: Sequence[QuestionResult], metrics: Sequence[Metric]) -> npt.NDArray[np.float64]:
    """float64[metrics, questions], NaN where a question failed; only those that enter retrieval metrics."""
    entering = [one for one in questions if one.enters]
    rows = [[metric.of(one.ranks, one.gains) if one.measured else math.nan for one in entering] for metric in metrics]
    return np.array(rows, dtype=np.float64).reshape(len(metrics), len(entering))


def _mean(values: npt.NDArray[np.float64]) -> float:
    there = values[~np.isnan(values)].tolist()
    return math.fsum(there) / len(there)


def _drawn_means(table: npt.NDArray[np.float64], resamples: int, generator: random.Random) -> npt.NDArray[np.float64]:
    """The means of each resampling: float64[resamples, metrics]."""
    there = ~np.isnan(table)
    weights = np.concatenate([np.where(there, table, 0.0), there.astype(np.float64)]).T
    questions = table.shape[1]
    sums = np.empty((resamples, weights.shape[1]))
    step = max(1, _BLOCK // questions)
    for start in range(0, resamples, step):
        rows = min(step, resamples - start)
        sums[start : start + rows] = times_drawn(rows, questions, generator) @ weights
    with np.errstate(invalid="ignore", divide="ignore"):
        means: npt.NDArray[np.float64] = sums[:, : len(table)] / sums[:, len(table) :]
    return means
