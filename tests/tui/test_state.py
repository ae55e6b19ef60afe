"""Triage without a terminal: order, filter, cursor, panes, folding."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.tui.demo import chunks, overview, question, rows

from ragtriage_tui.folding import fold
from ragtriage_tui.geometry import geometry, too_small
from ragtriage_tui.listing import Window
from ragtriage_tui.state import Restored, TriageState
from ragtriage_tui.telling import Busy
from ragtriage_tui.triage_questions import Questions, matches, ordered
from ragtriage_tui.views import ChunkView, QuestionRow

WIDE, NARROW, TINY = geometry(120, 36), geometry(70, 24), geometry(50, 14)


def triage() -> TriageState:
    state = TriageState()
    state.take_overview(overview())
    return state


def look_at(state: TriageState, qid: str) -> None:
    state.listing.go_to(qid)
    row = state.listing.row_of(qid)
    assert row is not None
    state.take_detail(question(row))


def test_failures_come_first_and_file_order_inside() -> None:
    mixed = [
        QuestionRow("a", "", "passes"), QuestionRow("b", "", "nothing"), QuestionRow("c", "", "fails"),
        QuestionRow("d", "", "unmeasured"), QuestionRow("e", "", "fails"), QuestionRow("f", "", "waiting"),
    ]  # fmt: skip
    assert "".join(row.qid for row in ordered(mixed)) == "cedfba"


def test_the_cursor_stays_on_its_question_through_new_rows() -> None:
    state = triage()
    state.listing.go_to("q021")
    relabelled = tuple(replace(row, state="passes") if row.qid == "q003" else row for row in rows())
    state.take_overview(overview(questions=relabelled))
    assert state.current is not None
    assert state.current.qid == "q021"


def test_a_question_that_went_leaves_the_cursor_in_its_place() -> None:
    state = triage()
    state.listing.go_to("q017")
    state.take_overview(overview(questions=tuple(row for row in rows() if row.qid != "q017")))
    assert state.current is not None
    assert state.current.qid == "q021"


def test_the_cursor_comes_back_when_the_filter_goes() -> None:
    state = triage()
    view = overview()
    state.listing.go_to("q009")
    state.listing.text = "parcel"
    state.listing.update(view)
    assert [row.qid for row in state.listing.visible] == ["q036"]
    assert state.current is not None
    assert state.current.qid == "q036"
    state.listing.text = ""
    state.listing.update(view)
    assert state.current is not None
    assert state.current.qid == "q009"


def arriving(*states: str) -> tuple[QuestionRow, ...]:
    return tuple(QuestionRow(f"q{index}", "", state) for index, state in enumerate(states))  # type: ignore[arg-type]


def test_until_somebody_moves_the_cursor_is_on_the_first_failure() -> None:
    listing = Questions()
    for states in (("waiting",) * 4, ("passes", "passes", "passes", "fails"), ("passes", "fails", "passes", "fails")):
        listing.update(overview(questions=arriving(*states)))
        assert listing.cursor == 0
    assert listing.current is not None
    assert listing.current.qid == "q1"
    listing.stay()  # something was done on it
    listing.update(overview(questions=arriving("fails", "fails", "passes", "fails")))
    assert listing.current.qid == "q1"
    assert listing.cursor == 1


def test_where_one_was_is_found_again_and_a_question_that_is_gone_is_no_place() -> None:
    for wanted, at in (("q2", "q2"), ("gone", "q3")):
        listing = Questions(wanted=wanted)
        listing.update(overview(questions=arriving(*["waiting"] * 4)))
        listing.update(overview(questions=arriving("passes", "passes", "passes", "fails")))
        assert listing.current is not None
        assert listing.current.qid == at


def test_what_was_opened_last_is_closed_first() -> None:
    state = triage()
    look_at(state, "q017")
    state.active, state.zoomed, state.views = "chunks", True, {"text", "diff"}
    assert state.close_innermost()
    assert (state.zoomed, state.views) == (False, {"text", "diff"})
    assert state.close_innermost()
    assert state.views == {"diff"}  # of the answers, which are not the active pane
    assert not state.close_innermost()


def test_moving_in_a_filtered_list_moves_for_good() -> None:
    listing, view = Questions(), overview()
    listing.update(view)
    listing.text = "the"
    listing.update(view)
    listing.go(1)
    wanted = listing.wanted
    listing.text = ""
    listing.update(view)
    assert listing.current is not None
    assert listing.current.qid == wanted


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("is:failing", 12), ("is:open", 6), ("is:labelled", 6), ("is:passing", 47), ("cause:2", 5), ("cause:misused", 2),
        ("kind:para", 12), ("tag:refund", 4), ("split:dev", 60), ("set:1", 2), ("set:9", 0), ("terminal back", 1),
        ("q017", 1), ("is:failing q0", 12), ("http://x", 0), ("is:", 0), ("DELIVERY", 1), ("", 60),
    ],
)  # fmt: skip
def test_filters(text: str, count: int) -> None:
    view = overview()
    assert sum(matches(row, text, view) for row in view.questions) == count


def test_questions_with_passages_to_judge_come_in_the_order_in_which_that_tells_most() -> None:
    look = {"q044": 1, "q003": 2, "q001": 3}
    view = overview(questions=tuple(replace(row, look=look.get(row.qid, 0)) for row in rows()))
    listing = Questions(text="is:holes")
    listing.update(view)
    assert [row.qid for row in listing.visible] == ["q044", "q003", "q001"]
    listing.go_to("q003")
    listing.update(overview(questions=tuple(replace(row, look=int(row.qid == "q001")) for row in rows())))
    assert listing.here == "q001"
    assert [row.qid for row in listing.rows] == [row.qid for row in ordered(rows())]


def test_what_was_not_asked_is_found_apart_from_what_failed() -> None:
    states = {"q001": "unasked", "q002": "unmeasured"}
    view = overview(questions=tuple(replace(row, state=states.get(row.qid, row.state)) for row in rows()))
    assert [row.qid for row in view.questions if matches(row, "is:unasked", view)] == ["q001"]


def test_the_next_failure_wraps_and_says_so() -> None:
    listing = Questions()
    listing.update(overview())
    assert listing.step(1) == ""
    assert listing.current is not None
    assert listing.current.qid == "q009"
    listing.go_to("q057")
    assert listing.step(1) == "From the first failure again"
    assert listing.current.qid == "q003"
    assert listing.step(-1) == "From the last failure again"
    assert listing.current.qid == "q057"


def test_without_failures_next_says_so() -> None:
    listing = Questions()
    listing.update(overview(questions=(QuestionRow("a", "x", "passes"),)))
    assert listing.step(1) == "Nothing fails here"
    assert not listing.move(5)


def test_an_empty_list_moves_nowhere() -> None:
    listing = Questions()
    listing.update(overview(questions=()))
    assert listing.current is None
    assert not listing.move(1)
    assert listing.step(1) == "Nothing fails here"


def test_a_window_moves_no_further_than_it_must() -> None:
    window = Window()
    assert window.show(0, 10, 4) == range(4)
    assert window.show(4, 10, 4) == range(1, 5)
    assert window.show(2, 10, 4) == range(1, 5)
    assert window.show(9, 10, 4) == range(6, 10)
    assert window.show(0, 2, 4) == range(2)
    assert window.show(0, 0, 4) == range(0)


def folded(height: int, *, at: tuple[int, ...] = (7,), k: int = 5, total: int = 16) -> str:
    shown = [ChunkView(rank, f"c#{rank}", "c", "", holds="whole" if rank in at else "none") for rank in range(1, total + 1)]
    signs = {"line": "|", "more": "…"}
    return " ".join(signs.get(row.kind, str(row.chunk.rank) if row.chunk else "?") for row in fold(tuple(shown), k, height))


def test_folding_keeps_the_line_and_the_evidence() -> None:
    assert folded(17) == "1 2 3 4 5 | 6 7 8 9 10 11 12 13 14 15 16"
    assert folded(10) == "1 2 3 4 5 | 6 7 8 …"
    assert folded(8) == "1 2 3 4 5 | 7 …"
    assert folded(8, at=(16,)) == "1 2 3 4 5 | 16 …"
    assert folded(6, at=(12, 14)) == "1 2 | 12 14 …"
    assert folded(4, at=(3,)) == "1 3 | …"
    assert folded(8, at=(), k=10) == "1 2 3 4 5 6 | …"
    assert folded(20, total=3) == "1 2 3 |"
    assert folded(0) == ""


def test_evidence_outside_the_pool_is_shown_below_the_line() -> None:
    lost = ChunkView(None, "lost#1", "lost", "", holds="whole")
    shown = fold((*chunks()[:8], lost), 5, 8)
    assert [row.chunk.chunk_id for row in shown if row.chunk][-1] == "lost#1"


def test_the_chunk_cursor_rests_on_the_evidence() -> None:
    state = triage()
    look_at(state, "q017")
    assert state.chunk_id == "policy-refunds#3"


def test_walking_off_the_folded_chunks_unfolds_them() -> None:
    state = triage()
    look_at(state, "q017")
    state.active = "chunks"
    assert not state.move(1, 8)
    assert state.unfolded
    assert state.chunk is not None
    assert state.chunk.rank == 8
    state.move(10**9, 8)
    assert state.chunk.rank == 16
    state.move(-(10**9), 8)
    assert state.chunk is not None
    assert state.chunk.rank == 1


def test_a_new_question_folds_again_and_the_same_one_keeps_its_place() -> None:
    state = triage()
    look_at(state, "q017")
    state.unfolded, state.chunk_id = True, "account/close#1"
    look_at(state, "q017")
    assert (state.unfolded, state.chunk_id) == (True, "account/close#1")
    look_at(state, "q009")
    assert not state.unfolded
    assert state.chunk_id == "policy-refunds#3"


def test_panes_go_round() -> None:
    state = triage()
    seen = []
    for _ in range(5):
        seen.append(state.active)
        state.next_pane(WIDE, 1)
    assert seen == ["list", "question", "chunks", "answers", "list"]
    state.next_pane(WIDE, -1)
    assert state.active == "list"


def test_where_answers_have_no_pane_v_shows_them() -> None:
    state = triage()
    assert "answers" not in state.panes(NARROW)
    state.active = "chunks"
    state.toggle_view(NARROW)
    assert state.active == "answers"
    assert state.panes(NARROW) == ("list", "question", "answers")
    state.go_pane("chunks", NARROW)
    assert "answers" not in state.views
    assert state.panes(TINY) == ("list", "question", "chunks", "answers")


def test_citations_of_the_live_answer_are_walked() -> None:
    state = triage()
    look_at(state, "q017")
    state.active = "answers"
    assert state.step_part(1) == "[1] is policy-shipping#1, rank 1"
    assert state.step_part(1) == "[5] is account/close#1, rank 5"
    assert state.chunk_id == "account/close#1"
    assert state.step_part(-1) == "[1] is policy-shipping#1, rank 1"


def test_what_opens_and_what_is_copied_follow_the_pane() -> None:
    state = triage()
    look_at(state, "q017")
    place = state.place_to_open()
    assert place is not None
    assert (place.doc_id, place.at, place.qid) == ("policy-refunds", 120, "q017")
    assert state.text_under_cursor() == "can i send the terminal back if i just don't like it"
    state.active = "chunks"
    place = state.place_to_open()
    assert place is not None
    assert place.chunk_id == "policy-refunds#3"
    assert state.text_under_cursor().startswith("## Time limits")
    state.active = "answers"
    assert state.text_under_cursor().startswith("Terminals leave")
    state.active = "question"
    assert state.text_under_cursor().endswith("within 30 days of delivery")
    assert "--- context ends here, k = 5 ---" in state.as_text()


def test_old_verdicts_leave_the_counts() -> None:
    state = TriageState()
    state.take_overview(overview(questions=tuple(replace(row, old=row.qid == "q003") for row in rows())))
    assert state.labelled() == 5
    assert state.position("q017") == (3, 12)
    assert state.position("q001") == (0, 12)


def test_where_one_was_comes_back() -> None:
    state = triage()
    state.listing.go_to("q044")
    state.listing.text, state.active, state.zoomed, state.views = "is:failing", "chunks", True, {"text"}  # the last two do not
    saved = state.restored()
    fresh = TriageState()
    fresh.restore(saved)
    fresh.take_overview(overview())
    assert fresh.current is not None
    assert fresh.current.qid == "q044"
    assert fresh.restored() == saved
    assert (fresh.active, fresh.zoomed, fresh.views) == ("chunks", False, set())
    fresh.restore(Restored(pane="nonsense"))
    assert fresh.active == "list"


def test_a_job_says_how_far_it_is() -> None:
    assert Busy("embedding", 31, 100, 40.4).text == "embedding 31 %, 40 s left"
    assert Busy("embedding", 31, 100, 400).text == "embedding 31 %, 7 min left"
    assert Busy("reading").text == "reading"
    assert Busy("embedding", 1, 2).text == "embedding 50 %"


def test_sizes() -> None:
    assert [geometry(cells, 24).left for cells in (60, 79, 80, 99, 100, 115, 116, 200)] == [22, 22, 26, 26, 32, 32, 39, 39]
    assert geometry(59, 24).single
    assert geometry(80, 14).single
    assert too_small(38, 9) == "Too small: 38x9, needs 40x10"
    assert too_small(40, 10) == ""
