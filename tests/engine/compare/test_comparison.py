"""Two runs side by side: every question is named once, and nothing that is not the same question decides."""

from __future__ import annotations

import dataclasses
import math
from typing import Any

import pytest
from hypothesis import given, settings
from tests.engine.compare.comparing import GOOD, WRONG, asked, failed, item, pairs_of_runs, run
from tests.soak import rounds

from ragtriage.compare.chunks import ChunkTable, Passage
from ragtriage.compare.comparison import Comparison, compare, paired_values
from ragtriage.compare.document import counts_of, to_json, with_significance
from ragtriage.errors import StorageError
from ragtriage.measure.results import ItemResult, QuestionResult, Run, Rung
from ragtriage.metrics.base import Metric
from ragtriage.types import Grade

MANY = settings(max_examples=rounds(150, 3000), deadline=None)
MIRROR = {"broken": "fixed", "fixed": "broken", "better": "worse", "worse": "better", "errored": "errored"}


def changes(found: Comparison) -> dict[str, str]:
    return {flip.qid: flip.change for flip in found.flips}


def edited(one: ItemResult, **changed: Any) -> QuestionResult:
    """A question with one item, which somebody changed in the file."""
    return dataclasses.replace(asked("a", one), items=(dataclasses.replace(one, **changed),))


@MANY
@given(pairs_of_runs())
def test_every_common_question_is_in_one_place(both: tuple[Run, Run]) -> None:
    found = compare(*both)
    flipped = [flip.qid for flip in found.flips]
    assert len(set(flipped)) == len(flipped)
    assert sorted([*flipped, *found.same]) == sorted(found.common)
    apart = [qid for qids in found.apart for qid in qids]
    assert sorted([*found.common, *apart]) == sorted({question.qid for side in both for question in side.questions})
    counts = counts_of(found)
    assert sum(number for name, number in counts.items() if name != "common") == counts["common"]


@MANY
@given(pairs_of_runs())
def test_a_run_compared_with_itself_has_no_flip(both: tuple[Run, Run]) -> None:
    for side in both:
        found = compare(side, side)
        assert found.flips == ()
        assert all(not one.change for one in found.metrics.values())
        assert found.apart._replace(unknown=()) == type(found.apart)()


@MANY
@given(pairs_of_runs())
def test_turned_round_it_is_the_mirror(both: tuple[Run, Run]) -> None:
    there, back = compare(*both), compare(*reversed(both))
    turned = {flip.qid: flip for flip in back.flips}
    assert set(turned) == {flip.qid for flip in there.flips}
    for flip in there.flips:
        other = turned[flip.qid]
        assert other.change == MIRROR[flip.change]
        assert (other.half, other.item, other.rung) == (flip.half, flip.item, flip.rung)
        assert (other.base_rank, other.head_rank) == (flip.head_rank, flip.base_rank)
        assert (other.rung_base, other.rung_head) == (flip.rung_head, flip.rung_base)
    for name, metric in there.metrics.items():
        other_metric = back.metrics[name]
        assert (metric.base, metric.head, metric.n) == (other_metric.head, other_metric.base, other_metric.n)
        assert (metric.failed_base, metric.failed_head) == (other_metric.failed_head, other_metric.failed_base)
    assert set(there.apart.new) == set(back.apart.removed)
    assert set(there.apart.only_base) == set(back.apart.only_head)


@MANY
@given(pairs_of_runs())
def test_it_is_json_and_the_same_bytes_each_time(both: tuple[Run, Run]) -> None:
    from ragtriage.ids import canonical_json

    first, second = (canonical_json(to_json(with_significance(compare(*both)))) for _ in range(2))
    assert first == second


def test_flips_by_group_and_in_the_order_of_the_head() -> None:
    base = run(asked("a", 2), asked("b", 9), asked("c", 3), asked("d", 7), asked("e", 1), asked("f", 1), asked("g", 4))
    head = run(asked("g", 4), asked("f", 8), asked("e", None), failed("d", 7), asked("c", 2), asked("b", 1), asked("a", 3))
    found = compare(base, head)
    assert [(flip.qid, flip.change) for flip in found.flips] == [
        ("f", "broken"), ("e", "broken"), ("d", "errored"), ("b", "fixed"), ("c", "better"), ("a", "worse"),
    ]  # fmt: skip
    assert found.same == ("g",)
    assert [(flip.base_rank, flip.head_rank) for flip in found.of("broken")] == [(1, 8), (1, None)]


def test_broken_is_what_falls_out_of_k_and_not_what_moves() -> None:
    base = run(*(asked(f"q{rank}", rank) for rank in range(1, 9)))
    head = run(*(asked(f"q{rank}", rank + 1) for rank in range(1, 9)))
    assert changes(compare(base, head)) == {f"q{rank}": "broken" if rank == 5 else "worse" for rank in range(1, 9)}


@pytest.mark.parametrize(
    ("needs", "before", "after", "change", "ranks"),
    [
        ("all", (1, 2), (1, 9), "broken", (2, 9)),
        ("all", (1, 9), (2, 8), "better", (9, 8)),  # the worst one decides where all are needed
        ("all", (1, 9), (7, 9), "worse", (1, 7)),  # fewer inside k: partly, then missed
        ("all", (1, None), (2, None), "worse", (1, 2)),
        ("all", (9, 1), (1, 9), "same", None),  # the two have changed places
        ("any", (1, 9), (None, 9), "broken", (1, None)),
        ("any", (9, 8), (9, 2), "fixed", (8, 2)),
        ("any", (1, 9), (2, 9), "worse", (1, 2)),
        ("any", (1, 3), (1, 9), "worse", (3, 9)),
    ],
)
def test_the_item_that_decides(needs: str, before: Any, after: Any, change: str, ranks: Any) -> None:
    found = compare(run(asked("q", *before, needs=needs)), run(asked("q", *after, needs=needs)))
    assert changes(found).get("q", "same") == change
    assert [(flip.base_rank, flip.head_rank) for flip in found.flips] == ([ranks] if ranks else [])


def test_retrieval_flips_whatever_the_answers_say() -> None:
    base = run(asked("a", 1, live=WRONG), asked("b", 9, live=GOOD))
    head = run(asked("a", 9, live=WRONG), asked("b", 1, live=WRONG))
    found = compare(base, head)
    assert [(flip.qid, flip.change, flip.half) for flip in found.flips] == [
        ("a", "broken", "retrieval"), ("b", "fixed", "retrieval"),
    ]  # fmt: skip


def test_answers_flip_apart_from_retrieval() -> None:
    refusal = dataclasses.replace(WRONG, grade=Grade(True, True))
    nothing: dict[str, Any] = {"status": "unanswerable", "suggested": "", "rr": None}
    base = run(
        asked("a", 1, live=GOOD), asked("b", 1, live=WRONG), asked("c", live=refusal, **nothing), asked("d", 1, live=GOOD),
        asked("e", 1, live=GOOD), asked("f", 1), asked("g", 9, live=GOOD),
    )  # fmt: skip
    head = run(
        asked("a", 2, live=WRONG), asked("b", 1, live=GOOD),
        asked("c", **{**nothing, "live": GOOD, "suggested": "should-have-refused"}),
        asked("d", 1, unanswered={"live": "timed out"}), asked("e", 1), asked("f", 1, live=WRONG), asked("g", 8, live=WRONG),
    )  # fmt: skip
    found = compare(base, head)
    assert {flip.qid: (flip.change, flip.half) for flip in found.flips} == {
        "a": ("broken", "answer"), "b": ("fixed", "answer"), "c": ("broken", "answer"), "d": ("errored", "answer"),
        "g": ("better", "retrieval"),
    }  # fmt: skip


def test_an_answer_whose_expectations_were_edited_is_not_compared() -> None:
    base = run(asked("a", 1, live=GOOD, identity="t.l.30 days"), asked("b", 1, identity="t2.l.30 days"))
    head = run(asked("a", 1, live=WRONG, identity="t.l.60 days"), asked("b", 9, identity="t2.l.60 days"))
    found = compare(base, head)
    assert changes(found) == {"b": "broken"}
    assert found.regraded == ("a", "b")


def test_means_are_over_what_both_sides_measured_and_the_rest_is_counted() -> None:
    base = run(asked("a", 1), asked("b", 9), failed("c", 1), asked("d", 1), failed("e", 1))
    head = run(asked("a", 9), asked("b", 9), asked("c", 1), failed("d", 1), failed("e", 1))
    found = compare(base, head)
    metric = found.metrics["recall@5"]
    assert (metric.base, metric.head, metric.change, metric.n) == (0.5, 0.0, -0.5, 2)
    assert (metric.failed_base, metric.failed_head) == (2, 2)
    values = paired_values(found.pairs, Metric("recall", 5))
    assert values.qids == ("a", "b", "c", "d", "e")
    assert values.base == (1.0, 0.0, None, 1.0, None)
    assert values.head == (0.0, 0.0, 1.0, None, None)


def test_nothing_in_common_has_no_mean() -> None:
    found = with_significance(compare(run(asked("a", 1)), run(asked("b", 1))))
    assert (found.common, found.apart.new, found.apart.removed) == ((), ("b",), ("a",))
    assert {metric[:4] for metric in found.metrics.values()} == {(None, None, None, 0)}
    assert compare(run(), run()).flips == ()


def test_a_value_that_is_no_number_is_not_measured() -> None:
    fine = asked("a", 1), asked("b", 1)
    for odd in (asked("a", item(1, gain=math.nan)), asked("a", item(1, gain=0.0)), asked("a", 1, rr=math.nan)):
        found = compare(run(odd, fine[1]), run(*fine))
        assert {(metric.n, metric.failed_base, metric.failed_head) for metric in found.metrics.values()} == {(1, 1, 0)}


def test_each_side_passes_by_its_own_k() -> None:
    base, head = run(asked("a", 4), asked("b", 7), k=5), run(asked("a", 4, k=3), asked("b", 7, k=3), k=3)
    found = compare(base, head)
    assert found.k_differs
    assert [(flip.qid, flip.change, flip.rung) for flip in found.flips] == [("a", "broken", "context")]
    assert list(found.metrics) == ["recall@5", "recall@3", "hit@5", "hit@3", "mrr", "ndcg@10", "recall@pool"]
    assert found.metrics["recall@3"].change == 0


@pytest.mark.parametrize(
    ("damaged", "says"),
    [
        (run(asked("a", 1), asked("a", 2)), "has a more than once"),
        (run(asked("a", 1), k="five"), "does not say its k"),  # type: ignore[arg-type]
        (run(asked("a", 1), k=0), "does not say its k"),
        (run(edited(item(1), rank=0)), "a cannot be read"),
        (run(edited(item(1), rank="1")), "a cannot be read"),
        (run(edited(item(1), rank=True)), "a cannot be read"),
        (run(edited(item(1), gain="much")), "a cannot be read"),
        (run(edited(item(1), stage_ranks={"bm25": [2]})), "a cannot be read"),
        (run(edited(item(1), stage_ranks=False)), "a cannot be read"),
        (run(asked("a", 1, status="fine")), "a cannot be read"),
        (run(asked("a", 1, status=["found"])), "a cannot be read"),
        (run(asked("a", 1, suggested=7)), "a cannot be read"),
        (run(asked("a", None, rr=None)), "a cannot be read"),
        (run(asked("a", 1, rr=None)), "a cannot be read"),
        (run(asked("a", 1, 9, rr=None)), "a cannot be read"),
        (run(asked("a", 1, status="failed")), "a cannot be read"),
    ],
)
def test_a_damaged_run_is_said_in_one_line(damaged: Run, says: str) -> None:
    for both in ((damaged, run(asked("a", 1))), (run(asked("a", 1)), damaged)):
        with pytest.raises(StorageError, match=says) as caught:
            compare(*both)
        assert "\n" not in str(caught.value)


def test_significance_is_of_the_same_pairs() -> None:
    base = run(*(asked(f"q{at}", 1) for at in range(20)))
    head = run(*(asked(f"q{at}", 9 if at < 5 else 1) for at in range(20)))
    found = with_significance(compare(base, head))
    hit, pool = found.metrics["hit@5"], found.metrics["recall@pool"]
    assert hit.p == pytest.approx(2 / 2**5)
    assert hit.low is not None
    assert hit.low < hit.change < (hit.high or 0)  # type: ignore[operator]
    assert (pool.p, pool.low) == (None, None)


@pytest.mark.parametrize(
    ("how", "rung", "because"),
    [
        ("missing-document", Rung("corpus", "broken", note="missing-document"), "its document is no longer in the corpus"),
        ("exact", Rung("chunk", "broken", note="split over #1, #2"), "split over #1, #2"),
        ("exact", Rung("window", "broken", note="beyond the 256 tokens"), "beyond the 256 tokens"),
    ],
)
def test_why_a_question_broke_is_said_in_words_without_the_cuts_of_both_runs(how: str, rung: Rung, because: str) -> None:
    spans = () if rung.name == "corpus" else (("d", 0, 1),)
    lost = dataclasses.replace(item(None), how=how, rungs=(rung,), lost_at=rung.name, spans=spans)
    (flip,) = compare(run(asked("a", 1)), run(asked("a", lost))).flips
    assert (flip.change, flip.rung, flip.because) == ("broken", rung.name, because)


def test_what_happened_names_its_document_where_a_question_needs_several() -> None:
    def cuts(*spans: tuple[int, int]) -> ChunkTable:
        passages = [Passage(at, *span, span[1] - span[0]) for at, span in enumerate(spans, start=1)]
        return ChunkTable({"faq": "1", "terms": "1"}, {"faq": passages, "terms": passages})

    def because(head: ChunkTable, *documents: str) -> str:
        items = [item(1, doc_id=name, spans=((name, 0, 1),)) for name in documents]
        moved = dataclasses.replace(items[0], rank=9, rungs=(Rung("chunk", "broken", note="split over #1, #2"),))
        sides = run(asked("a", *items)), run(asked("a", moved, *items[1:]))
        (flip,) = compare(*sides, base_chunks=cuts((0, 93)), head_chunks=head).flips
        return flip.because

    cut = "#1 (93 tokens) was cut down to #1 (40 tokens)"
    assert because(cuts((0, 40), (40, 93)), "faq") == cut
    assert because(cuts((0, 40), (40, 93)), "faq", "faq") == cut
    assert because(cuts((0, 40), (40, 93)), "faq", "terms") == f"faq{cut}"
    assert because(cuts((0, 93)), "faq", "terms") == "faq: split over #1, #2"
