from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Literal

import numpy as np
import pytest
from scipy import stats

from ragtriage.measure.holdout_gap import holdout_gap
from ragtriage.measure.results import ItemResult, QuestionResult, Run
from ragtriage.metrics.base import standard_metrics


def question(number: int, split: Literal["dev", "holdout"], rank: int | Literal["failed", "none"] | None) -> QuestionResult:
    known = rank if isinstance(rank, int) else None
    item = ItemResult("quote", "d", (), "x", 1.0, "exact", False, False, (), known, "", ())
    if rank == "none":
        return QuestionResult(f"{split}{number}", "", split, "all", "unanswerable", ())
    if rank == "failed":
        return QuestionResult(f"{split}{number}", "", split, "all", "failed", (item,))
    return QuestionResult(f"{split}{number}", "", split, "all", "found", (item,), rr=1 / known if known else 0.0)


def run(
    dev: Sequence[int | Literal["failed", "none"] | None], holdout: Sequence[int | Literal["failed", "none"] | None]
) -> Run:
    questions = [question(number, "dev", rank) for number, rank in enumerate(dev)]
    questions += [question(number, "holdout", rank) for number, rank in enumerate(holdout)]
    return Run("r", {"k": 5}, tuple(questions))


def test_the_gap_is_dev_minus_holdout() -> None:
    found = holdout_gap(run([1, 1, 2, None], [1, None]))
    assert found["hit@1"]["dev"] == 2 / 4
    assert found["hit@1"]["holdout"] == 1 / 2
    assert found["mrr"]["gap"] == (1 + 1 + 1 / 2 + 0) / 4 - (1 + 0) / 2
    assert (found["mrr"]["n_dev"], found["mrr"]["n_holdout"]) == (4, 2)
    assert list(found) == [repr(metric) for metric in standard_metrics(5)]


def test_what_failed_has_no_value_and_what_is_not_measured_does_not_count() -> None:
    found = holdout_gap(run([1, "failed", "none", None], ["failed", 2]))
    assert (found["mrr"]["dev"], found["mrr"]["holdout"]) == ((1 + 0) / 2, 1 / 2)
    assert (found["mrr"]["n_dev"], found["mrr"]["n_holdout"]) == (2, 1)


@pytest.mark.parametrize(("dev", "holdout"), [([], []), ([1], []), ([], [1]), ([1], ["none"]), ([1, 2], ["failed"])])
def test_without_both_splits_there_is_none(dev: list[int], holdout: list[int]) -> None:
    assert holdout_gap(run(dev, holdout)) == {}


def test_one_question_each_is_its_own_interval() -> None:
    found = holdout_gap(run([1], [4]))["mrr"]
    assert (found["gap"], found["low"], found["high"]) == (1 - 1 / 4, 1 - 1 / 4, 1 - 1 / 4)


def test_the_same_run_has_the_same_interval() -> None:
    one = run([1, 2, None, 3], [1, None, None])
    assert holdout_gap(one) == holdout_gap(one)
    assert holdout_gap(one)["mrr"] != holdout_gap(one, seed=1)["mrr"]


@pytest.mark.parametrize("seed", range(4))
def test_the_interval_is_that_of_scipy(seed: int) -> None:
    rng = random.Random(seed)
    ranks = [1, 1, 1, 2, 3, 5, 9, None]
    dev, holdout = rng.choices(ranks, k=80), rng.choices(ranks, k=25)
    found = holdout_gap(run(dev, holdout), resamples=20_000)["mrr"]
    values = [np.array([1 / rank if rank else 0.0 for rank in side]) for side in (dev, holdout)]
    expected = stats.bootstrap(
        values,
        lambda one, other, axis=-1: one.mean(axis=axis) - other.mean(axis=axis),
        paired=False,
        method="percentile",
        n_resamples=20_000,
        rng=np.random.default_rng(seed),
    ).confidence_interval
    assert found["low"] == pytest.approx(expected.low, abs=0.008)
    assert found["high"] == pytest.approx(expected.high, abs=0.008)
    assert found["low"] < found["gap"] < found["high"]


def test_many_questions_are_resampled_in_blocks() -> None:
    found = holdout_gap(run([1, None] * 1500, [1, None] * 300), resamples=1000)["hit@1"]
    # the deviation of a difference of two means of a fair coin: sqrt(1/4 · (1/3000 + 1/600))
    assert found["high"] - found["low"] == pytest.approx(2 * 1.96 * (0.25 * (1 / 3000 + 1 / 600)) ** 0.5, rel=0.1)
