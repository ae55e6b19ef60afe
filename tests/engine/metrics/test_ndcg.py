from __future__ import annotations

from math import log2

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragtriage.metrics.ndcg import ndcg_at


def test_linear_gains_discounted_by_the_logarithm_of_the_rank() -> None:
    dcg = 3 / log2(2) + 1 / log2(4)
    ideal = 3 / log2(2) + 2 / log2(3) + 1 / log2(4)
    assert ndcg_at([1, None, 3], [3, 2, 1], 10) == pytest.approx(dcg / ideal, abs=1e-15)


def test_the_ideal_is_over_all_judgements_found_or_not() -> None:
    assert ndcg_at([1, None], [1, 1], 10) == pytest.approx((1 / log2(2)) / (1 / log2(2) + 1 / log2(3)), abs=1e-15)


def test_the_ideal_is_cut_at_k_too() -> None:
    assert ndcg_at([1, None, None], [1, 1, 1], 1) == (1 / log2(2)) / (1 / log2(2))


def test_evidence_that_shares_a_chunk_takes_a_place_each() -> None:
    # counted at rank 1 twice it would be 2 / (1 + 1 / log2(3)) = 1.23
    assert ndcg_at([1, 1], [1, 1], 10) == 1.0
    assert ndcg_at([1, 1], [1, 1], 1) == 1.0


def test_the_jth_item_found_counts_at_its_rank_or_at_j() -> None:
    dcg = 1 / log2(2 + 1) + 1 / log2(2 + 1) + 1 / log2(3 + 1)  # max(1, 2), max(2, 2), max(3, 2)
    ideal = 1 / log2(2) + 1 / log2(3) + 1 / log2(4)
    assert ndcg_at([2, 2, 2], [1, 1, 1], 10) == pytest.approx(dcg / ideal, abs=1e-15)


def test_of_two_items_in_one_chunk_the_better_takes_the_better_place() -> None:
    assert ndcg_at([1, 1], [1, 3], 10) == ndcg_at([1, 1], [3, 1], 10) == 1.0


def test_an_empty_ranking_is_the_floor() -> None:
    assert ndcg_at([None, None], [2, 1], 10) == 0.0


def test_k_larger_than_the_corpus_changes_nothing() -> None:
    assert ndcg_at([2, 3], [1, 2], 1_000_000) == ndcg_at([2, 3], [1, 2], None) == ndcg_at([2, 3], [1, 2], 3)


def test_a_grade_of_0_or_less_gains_nothing_and_takes_no_place() -> None:
    assert ndcg_at([1, 2, 3], [0, -1, 2], 10) == pytest.approx((2 / log2(4)) / (2 / log2(2)), abs=1e-15)


def test_a_question_without_a_positive_grade_has_none() -> None:
    with pytest.raises(ValueError, match="positive gain"):
        ndcg_at([], [], 5)
    with pytest.raises(ValueError, match="positive gain"):
        ndcg_at([1], [0], 5)


def test_every_rank_needs_a_gain() -> None:
    with pytest.raises(ValueError, match="2 ranks but 1 gains"):
        ndcg_at([1, 2], [1], 5)


ITEMS = st.lists(st.tuples(st.none() | st.integers(1, 12), st.integers(1, 4)), min_size=1, max_size=9)


@given(ITEMS, st.integers(1, 15))
def test_never_above_1(items: list[tuple[int | None, int]], k: int) -> None:
    assert 0.0 <= ndcg_at([rank for rank, _ in items], [float(gain) for _, gain in items], k) <= 1.0


@given(st.lists(st.none() | st.integers(1, 12), max_size=9), st.none() | st.integers(1, 12))
def test_never_worse_for_a_better_rank_where_gains_are_equal(others: list[int | None], rank: int | None) -> None:
    gains = [1.0] * (len(others) + 1)
    assert ndcg_at([*others, 1], gains, None) >= ndcg_at([*others, rank], gains, None) - 1e-12


@given(
    st.lists(st.tuples(st.integers(2, 12), st.integers(1, 4)), max_size=9, unique_by=lambda item: item[0]), st.integers(1, 4)
)
def test_never_worse_for_a_better_rank_where_no_two_items_share_one(others: list[tuple[int, int]], gain: int) -> None:
    ranks, gains = [rank for rank, _ in others], [float(one) for _, one in (*others, (1, gain))]
    assert ndcg_at([*ranks, 1], gains, None) >= ndcg_at([*ranks, 40], gains, None) - 1e-12
