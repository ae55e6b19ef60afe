from __future__ import annotations

import numpy as np
import pytest

from ragtriage.search.fusion import reciprocal_rank_fusion, standard_score_fusion
from ragtriage.search.ranking import Retrieved


def retrieved(**scores: float) -> Retrieved:
    """Rows by name: a=0, b=1, …"""
    return Retrieved(
        np.array([ord(name) - 97 for name in scores], dtype=np.int32), np.array(list(scores.values()), dtype=np.float32)
    )


def by_name(fused: Retrieved) -> dict[str, float]:
    return {chr(97 + row): score for row, score in zip(fused.rows.tolist(), fused.scores.tolist(), strict=True)}


def test_reciprocal_ranks_add_up() -> None:
    fused = by_name(reciprocal_rank_fusion([retrieved(a=9, b=8), retrieved(b=0.9, c=0.8)], constant=60))
    assert fused == pytest.approx({"a": 1 / 61, "b": 1 / 62 + 1 / 61, "c": 1 / 62})


def test_the_constant_counts() -> None:
    fused = by_name(reciprocal_rank_fusion([retrieved(a=9, b=8)], constant=0))
    assert fused == {"a": 1.0, "b": 0.5}


def test_standard_scores_with_the_lowest_score_for_what_is_missing() -> None:
    # first list over the union a, b, c: 3, 1, 1 (c missing, lowest 1): mean 5/3, deviation sqrt(8/9)
    # second list over the union: a missing, lowest 0.2: 0.2, 0.8, 0.2: mean 0.4, deviation sqrt(0.08)
    fused = by_name(standard_score_fusion([retrieved(a=3, b=1), retrieved(b=0.8, c=0.2)], floors=[None, None]))
    first, second = (8 / 9) ** 0.5, 0.08**0.5
    assert fused == pytest.approx(
        {
            "a": (3 - 5 / 3) / first + (0.2 - 0.4) / second,
            "b": (1 - 5 / 3) / first + (0.8 - 0.4) / second,
            "c": (1 - 5 / 3) / first + (0.2 - 0.4) / second,
        },
        abs=1e-5,
    )


def test_an_exhausted_list_counts_zero_for_what_it_lacks() -> None:
    # over the union a, b: 3, 0: mean 1.5, deviation 1.5; the second list is all equal and adds nothing
    fused = by_name(standard_score_fusion([retrieved(a=3), retrieved(a=0.5, b=0.5)], floors=[0.0, None]))
    assert fused == pytest.approx({"a": 1.0, "b": -1.0})


def test_empty_lists() -> None:
    assert by_name(reciprocal_rank_fusion([])) == {}
    assert by_name(reciprocal_rank_fusion([retrieved(), retrieved(a=1)], constant=1)) == {"a": 0.5}
    assert by_name(standard_score_fusion([retrieved(), retrieved(a=2, b=1)], floors=[0.0, None])) == pytest.approx(
        {"a": 1, "b": -1}
    )
    assert by_name(standard_score_fusion([retrieved(), retrieved()], floors=[0.0, None])) == {}
