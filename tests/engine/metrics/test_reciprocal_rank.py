from __future__ import annotations

import pytest

from ragtriage.metrics.aggregate import mean
from ragtriage.metrics.reciprocal_rank import reciprocal_rank


def test_the_worked_example_rank_2_of_5() -> None:
    assert reciprocal_rank([2]) == 1 / 2


def test_the_worked_example_of_the_mean() -> None:
    values = [reciprocal_rank([1]), reciprocal_rank([2]), reciprocal_rank([None])]
    assert values == [1 / 1, 1 / 2, 0]
    assert mean(values).value == (1 / 1 + 1 / 2 + 0) / 3 == 0.5


def test_the_first_item_found_decides() -> None:
    assert reciprocal_rank([None, 9, 3]) == 1 / 3


def test_below_the_cut_it_is_0() -> None:
    assert reciprocal_rank([11], 10) == 0
    assert reciprocal_rank([10], 10) == 1 / 10


def test_a_question_without_evidence_has_none() -> None:
    with pytest.raises(ValueError, match="at least one item"):
        reciprocal_rank([])
