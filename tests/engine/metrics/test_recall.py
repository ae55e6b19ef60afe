from __future__ import annotations

import pytest

from ragtriage.metrics.recall import recall_at


def test_the_worked_example_one_relevant_at_rank_2_of_5() -> None:
    assert [recall_at([2], k) for k in (1, 2, 3, 5)] == [0 / 1, 1 / 1, 1 / 1, 1 / 1]


def test_the_fraction_of_the_items_inside_k() -> None:
    assert recall_at([1, 4, None], 3) == 1 / 3
    assert recall_at([1, 4, None], 4) == 2 / 3


def test_an_empty_ranking_is_the_floor() -> None:
    assert recall_at([None, None], 5) == 0 / 2


def test_k_larger_than_the_corpus_changes_nothing() -> None:
    assert recall_at([1, 3], 1_000_000) == recall_at([1, 3], 3) == 2 / 2


def test_the_same_id_twice_in_the_ranking_never_counts_twice() -> None:
    # ranking d1 d1 d2 with d1 and d2 relevant: items are counted, so recall@2 is one of two and not two of two
    assert recall_at([1, 3], 2) == 1 / 2
    assert recall_at([1, 3], 3) == 2 / 2


def test_two_items_in_one_chunk_both_count() -> None:
    assert recall_at([1, 1], 1) == 2 / 2


def test_the_pool_counts_whatever_was_found() -> None:
    assert recall_at([50, None], None) == 1 / 2


def test_a_question_without_evidence_has_no_recall() -> None:
    with pytest.raises(ValueError, match="at least one item"):
        recall_at([], 5)
