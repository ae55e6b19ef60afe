from __future__ import annotations

import pytest

from ragtriage.metrics.hit_rate import hit_at


def test_any_item_inside_k_is_a_hit() -> None:
    assert hit_at([7, 2, None], 1) == 0.0
    assert hit_at([7, 2, None], 2) == 1.0


def test_an_id_repeated_before_the_cut_does_not_pull_later_ones_up() -> None:
    # ranking d1 d1 d2, k = 2: the reader saw d1 twice and never d2
    assert hit_at([3], 2) == 0.0


def test_an_empty_ranking_is_the_floor() -> None:
    assert hit_at([None], 5) == hit_at([None], None) == 0.0


def test_the_pool_asks_whether_anything_was_found() -> None:
    assert hit_at([49], None) == 1.0


def test_a_question_without_evidence_has_no_hit() -> None:
    with pytest.raises(ValueError, match="at least one item"):
        hit_at([], 5)
