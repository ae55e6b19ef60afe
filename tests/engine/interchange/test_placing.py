from __future__ import annotations

import random

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from ragtriage.interchange.placing import TIES, Ties, comparable, places
from ragtriage.search.ranking import order

SCORES = st.dictionaries(
    st.text("abcü\U0001f600", min_size=1, max_size=3),
    st.one_of(st.integers(-3, 3).map(lambda n: n / 2), st.floats(-1e6, 1e6), st.sampled_from([1.0, 1.0 + 1e-7, 1.0 + 1e-9])),
    max_size=30,
)


def test_equal_scores_stand_by_descending_id_for_trec_eval() -> None:
    scores = {"b": 1.0, "a": 1.0, "c": 1.0, "d": 2.0}
    assert places(scores, scores, "trec_eval") == {"d": 1, "c": 2, "b": 3, "a": 4}
    assert places(scores, scores, "ours") == {"d": 1, "a": 2, "b": 3, "c": 4}


def test_scores_are_compared_as_32_bit_floats_or_at_six_decimals() -> None:
    assert comparable([1.0, 1.00000001], "trec_eval") == [1.0, 1.0]
    assert comparable([1e-7, 2e-7], "trec_eval")[0] < comparable([1e-7, 2e-7], "trec_eval")[1]
    assert comparable([1e-7, 2e-7, 1.23456789], "ours") == [0.0, 0.0, 1.234568]
    assert comparable([1e300, -1e300], "trec_eval") == [float("inf"), float("-inf")]
    assert comparable([1e305], "ours") == [1e305]


@given(SCORES)
def test_ours_is_the_order_of_every_retriever(scores: dict[str, float]) -> None:
    ids = sorted(scores, key=lambda doc: random.Random(doc).random())
    ranked = order(np.arange(len(ids)), np.array([scores[doc] for doc in ids]), ids, len(ids)).rows.tolist()
    compared = dict(zip(scores, comparable(list(scores.values()), "ours"), strict=True))
    assert places(compared, scores, "ours") == {ids[row]: rank for rank, row in enumerate(ranked, 1)}


@given(SCORES, st.sampled_from(TIES), st.sets(st.text("abc", max_size=2)))
def test_a_rank_is_the_place_in_the_sorted_list(scores: dict[str, float], ties: Ties, wanted: set[str]) -> None:
    compared = dict(zip(scores, comparable(list(scores.values()), ties), strict=True))
    ordered = sorted(compared, reverse=ties == "trec_eval")  # sorting is stable
    ordered.sort(key=lambda doc: -compared[doc])
    assert places(compared, wanted, ties) == {doc: ordered.index(doc) + 1 for doc in wanted if doc in scores}
