"""The account of a reranker: what planted ones must come out at, spelled out."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragtriage.measure.rerank_account import Move, Ranked, account, alarms_of, recalls, to_json

RANKS = st.lists(st.one_of(st.none(), st.integers(1, 40)), min_size=1, max_size=4)


def names(found) -> list[str]:
    return [alarm.name for alarm in alarms_of(found)]


def test_a_perfect_reranker_uses_all_of_the_headroom():
    rows = [Ranked("a", (7,), (1,)), Ranked("b", (2, 9), (1, 2)), Ranked("c", (None,), (None,))]
    found = account(rows, k=5, pool=10)
    assert (found.before, found.after, found.ceiling, found.held) == pytest.approx((0.5 / 3, 2 / 3, 2 / 3, 2 / 3))
    assert (found.headroom, found.used, found.n) == pytest.approx((0.5, 1.0, 3))
    assert found.promoted == (Move("a", 1, 7, 1), Move("b", 2, 9, 2))
    assert found.demoted == ()
    assert found.outside == ("c",)
    assert names(found) == []  # 1/3 of the 2.5/3 that is lacking lies outside


def test_an_inverting_one_is_below_zero_and_an_identity_at_it():
    rows = [Ranked("a", (1,), (10,)), Ranked("b", (9,), (2,)), Ranked("c", (2,), (9,)), Ranked("d", (8,), (8,))]
    found = account(rows, k=5, pool=10)
    assert (found.before, found.after, found.headroom, found.used) == (0.5, 0.25, 0.5, -0.5)
    assert (found.promoted, found.demoted) == ((Move("b", 1, 9, 2),), (Move("a", 1, 1, 10), Move("c", 1, 2, 9)))
    assert names(found) == ["does-harm"]
    same = account([Ranked(row.qid, row.before, row.before) for row in rows], k=5, pool=10)
    assert (same.used, same.promoted, same.demoted, names(same)) == (0.0, (), (), [])


def test_a_pool_of_k_can_win_nothing():
    found = account([Ranked("a", (2, 7), (1, 7))], k=5, pool=5)
    assert (found.before, found.after, found.ceiling, found.headroom, found.used) == (0.5, 0.5, 0.5, 0.0, None)
    assert names(found) == ["pool-is-k"]


def test_where_the_pool_is_the_limit_reranking_is_the_wrong_fix():
    rows = [Ranked("a", (1,), (1,)), Ranked("b", (None,), (None,)), Ranked("c", (90,), (2,)), Ranked("d", (7,), (7,))]
    found = account(rows, k=5, pool=50)  # of the 3/4 that is lacking, 2/4 is outside; ranks beyond the pool count for nothing
    assert names(found) == ["pool-is-the-limit"]
    says = "Of the 0.750 that recall@5 lacks, 0.500 is evidence outside of the pool of 50 (2 questions): reranking is the wrong"
    assert alarms_of(found)[0].says.startswith(says)
    assert found.outside == ("b", "c")
    assert names(account(rows[:1], k=5, pool=50)) == ["no-headroom"]


def test_more_items_than_fit_into_k():
    found = account([Ranked("a", (1, 2, 3, 4), (1, 2, 3, 4))], k=2, pool=10)
    assert (found.before, found.ceiling, found.held, found.headroom) == (0.5, 0.5, 1.0, 0.0)
    found = account([Ranked("a", (1, 4, 4, 4), (2, 1, 1, 1))], k=1, pool=10)  # three of them are in one passage
    assert (found.before, found.after, found.ceiling, found.used) == (0.25, 0.75, 0.75, 1.0)


def test_nothing_to_count():
    found = account([], k=5, pool=10)
    assert (found.n, found.before, found.headroom, found.used, alarms_of(found)) == (0, None, None, None, ())
    assert to_json(found)["before"] is None


@given(st.lists(RANKS, min_size=1, max_size=6), st.integers(1, 8), st.integers(8, 30), st.randoms(use_true_random=False))
def test_no_order_is_better_than_the_ceiling(questions, k, pool, random):
    rows = []
    for number, ranks in enumerate(questions):
        before = [rank if rank is None or rank <= pool else None for rank in ranks]
        order = list(range(1, pool + 1))
        random.shuffle(order)
        rows.append(Ranked(str(number), tuple(ranks), tuple(None if rank is None else order[rank - 1] for rank in before)))
    found = account(rows, k=k, pool=pool)
    assert found.before <= found.ceiling + 1e-9 <= found.held + 2e-9
    assert found.after <= found.ceiling + 1e-9
    assert sum(recalls(rows, k)[1]) / len(rows) == pytest.approx(found.after)
    best = [Ranked(row.qid, row.before, tuple(_best(row.before, pool))) for row in rows]
    perfect = account(best, k=k, pool=pool)
    assert perfect.after == pytest.approx(perfect.ceiling)
    assert perfect.used is None or perfect.used == pytest.approx(1.0)


def _best(ranks, pool):
    """The passages that hold most items first."""
    held = [rank for rank in ranks if rank is not None and rank <= pool]
    order = sorted(set(held), key=lambda rank: (-held.count(rank), rank))
    return [order.index(rank) + 1 if rank in held else None for rank in ranks]
