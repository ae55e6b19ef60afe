from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom, skew

from ragtriage.diagnose.reached import Hub, _tail, hubs, occurrences, skewness


def test_each_question_counts_a_passage_once() -> None:
    assert occurrences([(0, 2), (2, 2), ()], 4).tolist() == [1, 0, 2, 0]
    assert occurrences([], 2).tolist() == [0, 0]


def test_a_passage_that_comes_for_everything_is_a_hub_and_one_that_holds_the_evidence_is_none() -> None:
    counts, evidence = np.full(500, 1), np.zeros(500, np.int64)
    counts[[7, 8]] = 20, 20
    evidence[8] = 10
    assert hubs(counts, evidence, questions=100, k=5) == [Hub(7, 20, 0)]


def test_in_a_small_corpus_it_is_no_wonder() -> None:
    # 8 passages, 5 of them in each ranking: each is expected in 62 of 100
    assert hubs(np.full(8, 62), np.zeros(8, np.int64), questions=100, k=5) == []
    assert hubs(np.full(4, 100), np.zeros(4, np.int64), questions=100, k=5) == []


def test_few_questions_make_no_hub() -> None:
    assert hubs(np.array([4] + [0] * 999), np.zeros(1000, np.int64), questions=4, k=5) == []


@given(st.integers(1, 400), st.floats(0.001, 0.99), st.data())
def test_the_tail_is_the_binomial_one(n: int, p: float, data: st.DataObject) -> None:
    least = data.draw(st.integers(0, n))
    assert _tail(least, n, p) == pytest.approx(float(binom.sf(least - 1, n, p)), rel=1e-6, abs=1e-12)


@given(st.lists(st.integers(0, 50), min_size=1, max_size=60))
def test_skewness_is_the_third_standardised_moment(counts: list[int]) -> None:
    found = skewness(np.array(counts))
    if len(set(counts)) == 1:
        assert found is None
    else:
        assert found == pytest.approx(float(skew(counts)), abs=1e-3)
