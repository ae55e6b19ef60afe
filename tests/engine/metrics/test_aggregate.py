from __future__ import annotations

import math
import random
import sys
import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragtriage.metrics.aggregate import Mean, mean, means
from ragtriage.metrics.recall import recall_at


def test_the_mean_with_its_n() -> None:
    got = mean([1.0, 0.5, 0.0])
    assert got.value == (1 + 0.5 + 0) / 3
    assert (got.n, got.failed, got.floor) == (3, 0, 0.5)


def test_a_failed_question_has_no_value_and_is_counted() -> None:
    got = mean([1.0, None, 0.5, None])
    assert got.value == (1 + 0.5) / 2
    assert (got.n, got.failed) == (2, 2)
    assert got.floor == (1 + 0 + 0.5 + 0) / 4


def test_not_judged_is_no_value_either() -> None:
    assert mean([1.0, math.nan]) == mean([1.0, None])


def test_a_question_that_retrieved_nothing_is_in_the_mean() -> None:
    assert mean([recall_at([1], 5), recall_at([None], 5)]).value == (1 + 0) / 2


def test_no_question_no_value() -> None:
    assert mean([]) == Mean(None, 0, 0, None, None, None)
    assert mean([None, None]) == Mean(None, 0, 2, 0.0, None, None)
    assert means({}) == {}


def test_one_question_is_its_own_interval() -> None:
    assert mean([0.25]) == Mean(0.25, 1, 0, 0.25, 0.25, 0.25)


def test_the_interval_is_the_percentiles_of_means_over_drawn_questions() -> None:
    values = [0.0, 0.0, 1.0, 0.5, 1.0, 1.0, 0.25]
    drawn = _reference(values, seed=7, resamples=400)
    got = mean(values, seed=7, resamples=400)
    assert (got.low, got.high) == pytest.approx(tuple(np.percentile(drawn, [2.5, 97.5])), abs=1e-12)


def test_the_interval_with_failures_is_over_the_questions_that_have_a_value() -> None:
    values = [0.0, None, 1.0, 0.5, None, 1.0, 0.25]
    drawn = _reference(values, seed=7, resamples=400)
    got = mean(values, seed=7, resamples=400)
    assert (got.low, got.high) == pytest.approx(tuple(np.nanpercentile(drawn, [2.5, 97.5])), abs=1e-12)


def _reference(values: list[float | None], *, seed: int, resamples: int) -> list[float]:
    """The same draws, one question at a time."""
    generator, means_drawn = random.Random(seed), []
    for _ in range(resamples):
        bits = generator.randbytes(4 * len(values))
        words = [int.from_bytes(bits[i : i + 4], "little") for i in range(0, len(bits), 4)]
        drawn = [values[word * len(values) >> 32] for word in words]
        there = [value for value in drawn if value is not None]
        means_drawn.append(sum(there) / len(there) if there else math.nan)
    return means_drawn


def test_the_interval_is_near_the_normal_one() -> None:
    generator = random.Random(3)
    values = [generator.random() for _ in range(400)]
    half = 1.96 * float(np.std(values)) / math.sqrt(len(values))
    got = mean(values)
    assert got.value is not None
    assert got.low == pytest.approx(got.value - half, abs=0.1 * half)
    assert got.high == pytest.approx(got.value + half, abs=0.1 * half)


def test_same_values_same_bytes_and_no_global_generator_is_touched() -> None:
    random.seed(5)
    before = random.getstate()
    assert mean([0.1, 0.9, 0.4]) == mean([0.1, 0.9, 0.4])
    assert random.getstate() == before
    assert mean([0.1, 0.9, 0.4] * 9).low != mean([0.1, 0.9, 0.4] * 9, seed=1).low


def test_all_metrics_share_the_drawn_questions() -> None:
    column = [0.0, 1.0, 0.5, None, 0.25]
    together = means({"a": column, "b": [1 - value if value is not None else None for value in column]})
    alone = mean(column)
    assert together["a"] == alone
    assert alone.low is not None
    assert together["b"].high == pytest.approx(1 - alone.low, abs=1e-12)


def test_more_questions_than_one_block_holds_use_bounded_memory() -> None:
    values = {"a": [0.0, 1.0] * 5_000, "b": [0.25, None] * 5_000}
    means({"a": [1.0]})  # what numpy sets up once
    tracemalloc.start()
    got = means(values)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 64 << 20
    assert got["b"] == Mean(0.25, 5_000, 5_000, 0.125, 0.25, 0.25)


def test_blocks_do_not_change_the_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    values = [0.0, 1.0, 0.5, 0.25]
    whole = mean(values)
    monkeypatch.setattr("ragtriage.metrics.aggregate._BLOCK", 12)
    assert mean(values) == whole


def test_columns_over_other_questions_are_refused() -> None:
    with pytest.raises(ValueError, match="not over the same questions"):
        means({"a": [1.0], "b": [1.0, 0.0]})
    with pytest.raises(ValueError, match="infinite"):
        mean([math.inf])


def test_numpy_random_is_not_needed() -> None:
    import subprocess

    code = "import sys; from ragtriage.metrics.aggregate import mean; mean([0.0, 1.0]); print('numpy.random' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "False\n"


@given(st.lists(st.none() | st.floats(0, 1), max_size=40))
def test_floor_value_and_bounds_are_in_order(values: list[float | None]) -> None:
    got = mean(values, resamples=50)
    assert got.n + got.failed == len(values)
    if got.value is not None and got.floor is not None and got.low is not None and got.high is not None:
        assert got.floor <= got.value
        assert min(v for v in values if v is not None) - 1e-9 <= got.low <= got.high
        assert got.high <= max(v for v in values if v is not None) + 1e-9
