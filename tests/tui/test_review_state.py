"""Review's pure state: the list and its cursor, what is counted, panes, chunks and answers."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.tui.demo import CATEGORIES
from tests.tui.demo_review import flip, review, rows

from ragtriage_tui.geometry import geometry
from ragtriage_tui.review_flips import Flips, entries, flip_matches
from ragtriage_tui.review_state import ReviewState
from ragtriage_tui.review_views import FlipRow, PlacedChunk, ReviewView

WIDE, NARROW, TINY = geometry(120, 36), geometry(80, 24), geometry(60, 20)


def state(view: ReviewView | None = None) -> ReviewState:
    made = ReviewState()
    made.take(view or review())
    current = made.current
    made.take_detail(flip(current) if current else None)
    return made


def at(flips: Flips) -> str:
    return flips.current.qid if flips.current else ""


# the list


def test_flips_come_by_group_and_answers_stand_apart() -> None:
    assert [row.qid for row in state().listing.rows] == [
        "q002", "q006", "q017", "q047", "q009", "q050", "q052", "q004", "q014"
    ]  # fmt: skip


def test_headings_count_their_rows() -> None:
    lines = [one.heading for one in entries(state().listing.rows, headings=True) if one.heading]
    assert lines == ["broken 3", "errored 1", "fixed 1", "answers broken 1", "answers fixed 1", "moved 2"]


def test_without_headings_answers_are_apart_all_the_same() -> None:
    lines = entries(state().listing.rows, headings=False)
    assert [one.heading for one in lines if one.heading] == ["answers", "moved"]
    assert [one.at for one in lines if not one.heading] == list(range(9))
    only = [row for row in rows() if row.half == "retrieval"]
    assert not any(one.heading for one in entries(only, headings=False))


def test_the_cursor_begins_at_the_first_that_is_open() -> None:
    assert at(state(review(rows(reviewed=2))).listing) == "q017"
    assert at(state(review(rows(reviewed=9))).listing) == "q002"


def test_the_cursor_stays_on_its_flip_when_rows_change() -> None:
    made = state()
    made.listing.go_to("q047")
    made.take(review(rows(reviewed=3)))
    assert at(made.listing) == "q047"
    made.take(replace(review(), flips=tuple(row for row in rows() if row.qid != "q047")))
    assert at(made.listing) == "q009"
    made.take(review(()))
    assert made.current is None
    made.take(review())
    assert at(made.listing) == "q047"


def test_n_goes_to_what_waits_and_wraps_with_a_word() -> None:
    made = state(review(rows(reviewed=2)))
    seen = [at(made.listing)]
    for _ in range(4):
        assert made.listing.step(1) == ""
        seen.append(at(made.listing))
    assert seen == ["q017", "q047", "q009", "q050", "q052"]
    assert made.listing.step(1) == "From the first flip again"
    assert at(made.listing) == "q017"
    assert made.listing.step(-1) == "From the last flip again"
    assert at(made.listing) == "q052"
    assert made.listing.step(-1) == ""
    assert at(made.listing) == "q050"


def test_n_with_nothing_left() -> None:
    done = state(review(rows(reviewed=9)))
    assert done.listing.step(1) == ""
    assert at(done.listing) == "q006"
    done.listing.go_to("q052")
    assert done.listing.step(1) == "From the first flip again; all are reviewed"
    moved = state(review(tuple(row for row in rows() if row.moved)))
    assert moved.listing.step(1) == "Nothing flipped; the rest only moved"
    one = state(review(rows()[:1]))
    assert one.listing.step(1) == "The only one that is left"
    last = state(review((*rows(reviewed=9)[:1],)))
    assert last.listing.step(1) == "The only flip"


@pytest.mark.parametrize(
    ("text", "qids"),
    [
        ("terminal", ["q017"]),
        ("is:fixed", ["q009", "q052"]),
        ("is:answer", ["q050", "q052"]),
        ("is:moved", ["q004", "q014"]),
        ("is:errored", ["q047"]),
        ("is:nonsense", []),
        ("is:open webhook", ["q009"]),
        ("cause:2", ["q002", "q017"]),
        ("cause:misused", ["q050"]),
        ("kind:paraphrase q00", ["q002", "q006", "q009", "q004"]),
        ("tag:refund", ["q017"]),
        ("tag:none", []),
    ],
)
def test_the_filter(text: str, qids: list[str]) -> None:
    made = state()
    made.listing.text = text
    made.take(review())
    assert [row.qid for row in made.listing.visible] == qids


def test_the_filter_knows_what_was_decided() -> None:
    intended = FlipRow("q1", "a", "broken", decided="intended")
    assert flip_matches(intended, "is:intended", CATEGORIES)
    assert flip_matches(intended, "is:reviewed", CATEGORIES)
    assert not flip_matches(intended, "is:open", CATEGORIES)


# what is counted


def test_done_is_said_with_what_was_accepted() -> None:
    made = state(review(rows(reviewed=9)))
    assert made.done
    assert made.done_words == "7 of 7 reviewed"
    accepted = tuple(
        replace(row, decided="intended", until="3 March") if row.qid == "q009" else row for row in rows(reviewed=9)
    )
    assert state(review(accepted)).done_words == "7 of 7 reviewed, 1 accepted until 3 March"
    two = tuple(replace(row, decided="intended", until="4 March") if row.qid == "q052" else row for row in accepted)
    assert state(review(two)).done_words == "7 of 7 reviewed, 2 accepted"
    assert not state().done
    assert not state(review(())).done


@pytest.mark.parametrize(("decided", "counts"), [("relabelled", True), ("expired", False), ("old", False), ("open", False)])
def test_what_no_longer_holds_is_to_review_again(decided: str, counts: bool) -> None:
    assert FlipRow("q1", "a", "broken", decided=decided).reviewed is counts  # type: ignore[arg-type]


def test_positions_count_only_what_needs_a_word() -> None:
    made = state()
    assert made.position("q047") == (4, 7)
    assert made.position("q004") == (0, 7)


# chunks


def test_the_cursor_rests_on_the_evidence_that_decides() -> None:
    made = state()
    assert (made.side, made.chunk_id) == ("base", "policy-refunds#3")
    view = flip(rows()[0])
    lost = replace(view, base=replace(view.base, chunks=()))
    made.take_detail(replace(lost, qid="other"))
    assert (made.side, made.chunk_id) == ("head", "policy-refunds#2")
    chunks = tuple(replace(one, holds="whole") for one in view.base.chunks)
    made.take_detail(replace(view, qid="third", base=replace(view.base, chunks=chunks), base_rank=4))
    assert made.chunk_id == "policy-returns-eu#2"
    bare = replace(view, qid="fourth", base=replace(view.base, chunks=()), head=replace(view.head, chunks=()))
    made.take_detail(bare)
    assert made.chunk is None
    assert made.place_to_open() is not None  # where the evidence is


def test_the_other_side_has_the_same_passage() -> None:
    made = state()
    made.go_pane("chunks", WIDE)
    made.go_pane("chunks", WIDE)
    assert (made.side, made.chunk_id) == ("head", "policy-refunds#2")
    made.chunk_id = "terminals/dock#1"  # new: the nearest rank then
    made.other_side()
    assert (made.side, made.chunk_id) == ("base", "terminals/t200#2")


def test_parts_are_the_evidence_of_both_sides() -> None:
    made = state()
    assert made.step_part(1) == ""
    assert (made.side, made.chunk_id) == ("head", "policy-refunds#2")
    assert made.step_part(1) == ""
    assert made.side == "base"
    detail = made.detail
    assert detail is not None
    none = tuple(replace(one, holds="none") for one in detail.base.chunks)
    made.detail = replace(detail, base=replace(detail.base, chunks=none), head=replace(detail.head, chunks=none))
    assert made.step_part(1) == "No chunk of either side holds the evidence"


def test_walking_off_what_is_shown_unfolds() -> None:
    made = state()
    made.active = "chunks"
    made.move(1, ["policy-shipping#1", "policy-refunds#3"])
    assert made.unfolded
    assert made.chunk_id == "orders/change#2"
    made.move(-(10**9), [one.chunk_id for one in made.chunks_of("base")])
    assert made.chunk_id == "policy-shipping#1"


def test_texts_are_scrolled_and_closed() -> None:
    made = state()
    made.toggle_text()
    made.active = "chunks"
    made.move(3)
    assert made.scroll["text"] == 3
    assert made.chunk_id == "policy-refunds#3"
    assert made.close_innermost()
    assert not made.close_innermost()
    made.zoomed = True
    made.views.add("differs")
    assert made.close_innermost()
    assert made.close_innermost()
    assert not made.close_innermost()


# panes and answers


def test_panes_by_size() -> None:
    made = state()
    assert made.panes(NARROW) == ("list", "question", "chunks", "answers")
    assert made.panes(TINY) == ("list", "question", "chunks")
    made.go_pane("answers", TINY)
    assert made.panes(TINY) == ("list", "question", "answers")
    made.next_pane(TINY, 1)
    assert made.active == "list"
    made.go_pane("chunks", TINY)
    assert made.panes(TINY)[-1] == "chunks"
    made.go_pane("list", WIDE)
    made.go_pane("list", WIDE)
    assert "differs" in made.views


def test_answers_and_their_citations() -> None:
    made = state()
    made.go_pane("answers", WIDE)
    assert made.arm == "head"
    assert made.step_part(1) == "[2] is policy-returns-eu#1, rank 2"
    assert (made.side, made.chunk_id) == ("head", "policy-returns-eu#1")
    made.go_pane("answers", WIDE)
    assert made.arm == "base"
    detail = made.detail
    assert detail is not None
    made.detail = replace(detail, base=replace(detail.base, answer=None))
    assert made.step_part(1) == "The answer of the base cites nothing"
    made.arm = "head"
    made.other_answer()
    assert made.arm == "head"


def test_what_is_opened_and_copied() -> None:
    made = state()
    assert made.text_under_cursor() == "what does ERR_4021 mean"
    place = made.place_to_open()
    assert place is not None
    assert (place.doc_id, place.at, place.qid) == ("policy-refunds", 120, "q002")
    made.active = "chunks"
    assert "within 30 days" in made.text_under_cursor()
    assert made.place_to_open() is not None
    detail = made.detail
    assert detail is not None
    chunks = tuple(replace(one, at=None) for one in detail.base.chunks)
    made.detail = replace(detail, base=replace(detail.base, chunks=chunks))
    assert made.place_to_open() is None
    assert "v shows its text" in made.why_not_open()
    made.active = "answers"
    assert made.text_under_cursor().startswith("Shops in the EU")
    made.active = "question"
    assert "within 30 days of delivery" in made.text_under_cursor()


def test_a_flip_as_text_has_both_rankings_and_answers() -> None:
    text = state().as_text()
    assert "--- base, k = 5 ---" in text
    assert "2  policy-refunds#3  now 7" in text
    assert "5  gift-cards#4  gone" in text
    assert "7  policy-refunds#2  was 2" in text
    assert "9  orders/change#3  new" in text
    assert "answer: Shops in the EU" in text
    assert ReviewState().as_text() == ""


def test_a_chunk_of_one_side_only_has_no_other() -> None:
    assert PlacedChunk(1, "a#1", "a", "").other is None
