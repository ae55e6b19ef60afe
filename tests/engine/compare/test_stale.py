"""A chunk label that went stale on one side: both are scored by document."""

from __future__ import annotations

from tests.engine.compare.comparing import GOOD, WRONG, asked, failed, item, run

from ragtriage.compare.comparison import compare


def test_a_stale_label_hides_no_regression_and_makes_none() -> None:
    """By its chunk the base has it at 7; by document both have it at 2, so that the head has won nothing."""
    base = run(asked("a", item(7, how="chunk", doc_rank=2)), asked("b", item(1, how="chunk", doc_rank=1)))
    head = run(asked("a", item(2, how="stale", stale=True)), asked("b", item(9, how="stale", stale=True)))
    found = compare(base, head)
    assert found.stale == ("a", "b")
    assert [(flip.qid, flip.change, flip.base_rank, flip.head_rank) for flip in found.flips] == [("b", "broken", 1, 9)]
    assert found.metrics["recall@5"][:4] == (1.0, 0.5, -0.5, 2)
    assert found.pairs[0].base.status == "found"
    assert found.pairs[0].base.suggested == ""


def test_all_chunk_labels_of_the_question_go_along_and_quotes_stay() -> None:
    base = run(asked("a", item(9, how="chunk", doc_rank=3), item(8, how="chunk", doc_rank=6), item(7)))
    head = run(asked("a", item(3, how="stale", stale=True), item(8, how="chunk", doc_rank=6), item(7)))
    pair = compare(base, head).pairs[0]
    assert pair.base.ranks == pair.head.ranks == (3, 6, 7)
    assert pair.base.rr == 1 / 3
    assert pair.base.status == "partly"


def test_a_run_that_does_not_know_the_rank_by_document_keeps_its_own() -> None:
    base, head = run(asked("a", item(4, how="chunk"))), run(asked("a", item(4, how="stale", stale=True)))
    assert compare(base, head).flips == ()


def test_answers_and_failures_stay_what_they_are() -> None:
    stale = item(1, how="stale", stale=True)
    base = run(asked("a", item(1, how="chunk", doc_rank=1), live=GOOD), asked("b", item(1, how="chunk")))
    head = run(asked("a", stale, live=WRONG, suggested="misused"), failed("b", stale))
    assert [(flip.qid, flip.change, flip.half) for flip in compare(base, head).flips] == [
        ("a", "broken", "answer"), ("b", "errored", "retrieval"),
    ]  # fmt: skip
