"""The step of the ladder that made the difference."""

from __future__ import annotations

import dataclasses

import pytest
from tests.engine.compare.comparing import item

from ragtriage.compare.rungs import RungChange, changed_rung
from ragtriage.measure.results import ItemResult, Rung

K = {"k_base": 5, "k_head": 5}


def hybrid(rank: int | None, bm25: int | None, dense: int | None, fused: int | None = None, **more: int | None) -> ItemResult:
    return item(rank, stages={"bm25": bm25, "dense": dense, "fused": fused or rank, **more})


@pytest.mark.parametrize(
    ("base", "head", "expected"),
    [
        (hybrid(1, 2, 3), hybrid(9, 31, 3), ("bm25", 2, 31)),
        (hybrid(1, 2, 3), hybrid(9, 2, None), ("dense", 3, None)),
        (hybrid(3, 3, 5), hybrid(8, 4, 60), ("dense", 5, 60)),  # both sank; this one sank further
        (hybrid(1, 2, 3), hybrid(9, 2, 3), ("fused", 1, 9)),  # neither retriever moved
        (hybrid(2, 2, 3), hybrid(9, 1, 3), ("fused", 2, 9)),
        (hybrid(1, 2, 3, 4, reranked=1), hybrid(9, 2, 3, 4, reranked=9), ("reranked", 1, 9)),
        (hybrid(1, 2, 3, 4, reranked=1), hybrid(9, 2, 4, 5, reranked=9), ("reranked", 1, 9)),  # fusion kept it inside k
        (hybrid(1, 2, 3, 4, reranked=1), hybrid(9, 40, 3, 20, reranked=9), ("bm25", 2, 40)),
        (hybrid(2, 30, 30, 20, reranked=2), hybrid(20, 30, 30, 20), ("reranked", 2, None)),  # the reranker was taken out
        (hybrid(1, 2, 3), item(9, stages={"bm25": 9}), ("dense", 3, None)),  # hybrid, then BM25 alone
        (hybrid(9, 2, 40), item(2, stages={"bm25": 2}), ("fused", 9, None)),
        (item(3, stages={"bm25": 3}), item(8, stages={"bm25": 8}), ("bm25", 3, 8)),
        (item(3, stages={}), item(8, stages={}), ("context", 3, 8)),
        (item(3), item(3), ("", None, None)),
        (item(3, stages={"system": 3}), item(8, stages={"system": 8}), ("system", 3, 8)),
        (item(3, stages={"system": 3}), item(None, stages={"system": None}), ("system", 3, None)),
        (hybrid(1, 2, 3), item(8, stages={"system": 8}), ("system", None, 8)),  # ours, then theirs
    ],
)
def test_the_stage_where_the_rank_began_to_move(base: ItemResult, head: ItemResult, expected: tuple[str, int, int]) -> None:
    assert changed_rung(base, head, **K)[:3] == expected
    rung, was, now = expected
    assert changed_rung(head, base, **K)[:3] == (rung, now, was)


@pytest.mark.parametrize(
    ("name", "note", "now", "before"),
    [
        ("corpus", "missing-quote", "", ""),
        ("chunk", "split over #1, #2", "split over #1, #2", "was split over #1, #2"),
        ("window", "beyond", "beyond", "was beyond"),
        ("access", "", "", ""),
    ],
)
def test_what_holds_it_back_comes_before_any_rank(name: str, note: str, now: str, before: str) -> None:
    lost = dataclasses.replace(item(None), rungs=(Rung(name, "broken", note=note), Rung("bm25", "broken")))
    assert changed_rung(item(1), lost, **K) == RungChange(name, None, None, now)
    assert changed_rung(lost, item(1), **K) == RungChange(name, None, None, before)


def test_evidence_that_was_in_parts_before_was_not_lost_by_the_cut() -> None:
    rungs = (Rung("chunk", "broken", note="split over #1, #2"), Rung("bm25", "ok", 20))
    lost = dataclasses.replace(item(20), rungs=rungs)
    assert changed_rung(item(2, in_parts=True), lost, **K)[:3] == ("bm25", 2, 20)


def test_a_smaller_k_is_the_context() -> None:
    assert changed_rung(item(4), item(4, k=3), k_base=5, k_head=3) == RungChange("context", 4, 4)
