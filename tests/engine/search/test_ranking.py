from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragtriage.search.ranking import order

IDS = ["c", "a", "b", "e", "d"]


def test_by_score_then_by_chunk_id() -> None:
    ranked = order(np.array([0, 1, 2, 3]), np.array([1.0, 2.0, 1.0, 3.0]), IDS, 10)
    assert [IDS[row] for row in ranked.rows] == ["e", "a", "b", "c"]
    assert ranked.scores.tolist() == [3, 2, 1, 1]


def test_scores_that_differ_in_the_seventh_decimal_are_a_tie() -> None:
    ranked = order(np.array([0, 1]), np.array([0.50000004, 0.5]), IDS, 10)
    assert [IDS[row] for row in ranked.rows] == ["a", "c"]


def test_a_tie_at_the_cut_goes_to_the_smaller_id() -> None:
    ranked = order(np.array([3, 0, 4, 2, 1]), np.array([1.0, 1.0, 1.0, 1.0, 2.0]), IDS, 2)
    assert [IDS[row] for row in ranked.rows] == ["a", "b"]


def test_a_repeated_row_keeps_its_best_place() -> None:
    ranked = order(np.array([0, 1, 0, 1]), np.array([1.0, 2.0, 3.0, 2.0]), IDS, 10)
    assert ranked.rows.tolist() == [0, 1]
    assert ranked.scores.tolist() == [3, 2]


def test_nothing_and_depth_zero() -> None:
    assert order(np.empty(0, np.int32), np.empty(0), IDS, 5).rows.tolist() == []
    assert order(np.array([0]), np.array([1.0]), IDS, 0).rows.tolist() == []


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -float("inf")])
def test_a_score_that_is_no_number_is_refused(value: float) -> None:
    with pytest.raises(ValueError, match="not a finite number"):
        order(np.array([0, 1]), np.array([1.0, value]), IDS, 5)


@settings(deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 4), st.sampled_from([0.0, 0.5, 1.0, 1.0000001])), max_size=12),
    st.integers(0, 6),
    st.randoms(),
)
def test_the_order_of_arrival_does_not_matter(entries: list[tuple[int, float]], depth: int, random: object) -> None:
    shuffled = sorted(entries, key=lambda _: random.random())  # type: ignore[attr-defined]  # hypothesis's Random
    one, other = (
        order(np.array([row for row, _ in each], dtype=np.int32), np.array([score for _, score in each]), IDS, depth)
        for each in (entries, shuffled)
    )
    assert one.rows.tolist() == other.rows.tolist()
    best: dict[int, float] = {}
    for row, score in entries:
        best[row] = max(best.get(row, score), score)
    expected = sorted(best, key=lambda row: (-round(best[row], 6), IDS[row]))[:depth]
    assert one.rows.tolist() == expected
