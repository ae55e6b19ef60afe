"""Inbox as pure state: rows, filter, cursors, marks."""

from __future__ import annotations

from dataclasses import replace

from tests.tui.demo_inbox import LABELS, ROWS, label, report, whole, without

from ragtriage_tui.geometry import geometry
from ragtriage_tui.inbox_state import InboxState
from ragtriage_tui.inbox_views import InboxView, SafeRow

SIZE = geometry(80, 24)


def state(view: InboxView | None = None) -> InboxState:
    made = InboxState()
    made.take_view(view or whole())
    return made


def on_report() -> InboxState:
    made = state()
    made.take_report(report(ROWS[0]))
    return made


def ids(made: InboxState) -> list[str]:
    return [row.id for row in made.listing.visible]


def test_open_reports_come_first_then_labels_and_what_is_done_with_waits_for_a_filter() -> None:
    made = state()
    assert ids(made) == ["r-aaaaaa", "r-bbbbbb", "r-cccccc", "safe", "q017 0.0", "q021 0.0"]
    assert (made.open, made.closed, made.to_anchor) == (3, 2, 4)
    made.filter_by("ticket")
    assert ids(made) == ["r-aaaaaa", "r-dddddd", "r-eeeeee"]


def test_filters_by_words_state_and_source() -> None:
    made = state()
    for text, found in (
        ("is:done", ["r-dddddd"]),
        ("is:label", ["safe", "q017 0.0", "q021 0.0"]),
        ("from:chat", ["r-bbbbbb"]),
        ("q017", ["q017 0.0"]),
        ("gone", ["q021 0.0"]),
        ("t210 back", ["r-aaaaaa"]),
        ("nothing such", []),
    ):
        made.filter_by(text)
        assert ids(made) == found, text
    made.filter_by("")
    assert len(made.listing.visible) == 6


def test_without_safe_labels_there_is_no_row_for_them() -> None:
    made = state(replace(whole(), safe=()))
    assert "safe" not in ids(made)


def test_the_cursor_stays_on_its_row_and_goes_to_the_next_where_that_has_gone() -> None:
    made = state()
    made.listing.go(1)
    made.take_view(without(whole(), "r-aaaaaa"))
    assert made.current is not None
    assert made.current.id == "r-bbbbbb"
    made.take_view(without(whole(), "r-aaaaaa", "r-bbbbbb"))
    assert made.current.id == "r-cccccc"
    made.listing.go_to("r-bbbbbb")  # it is not there now
    made.take_view(whole())
    assert made.current.id == "r-bbbbbb"


def test_nothing_is_no_row() -> None:
    made = state(InboxView("p"))
    assert made.current is None
    assert not made.move(1)
    assert made.listing.step(1) == "Nothing is to be done here"
    assert made.text_under_cursor() == ""
    assert made.as_text() == ""
    assert made.toggle() == "Nothing to mark here"


def test_n_goes_to_what_is_to_do_and_wraps() -> None:
    made = state()
    assert made.listing.step(-1) == "From the last again"
    assert made.current == LABELS[1]
    assert made.listing.step(1) == "From the first again"
    assert made.listing.step(1) == ""
    only = state(InboxView("p", ROWS[:1]))
    assert only.listing.step(1) == "The only one left"


def test_panes_are_those_of_what_is_under_the_cursor() -> None:
    made = on_report()
    for pane in ("report", "similar", "candidates", "list"):
        made.next_pane(SIZE, 1)
        assert made.active == pane
    made.listing.go_to("q017 0.0")
    made.take_label(label(LABELS[0]))
    made.next_pane(SIZE, 1)
    assert made.active == "report"
    made.next_pane(SIZE, 1)
    assert made.active == "list"


def test_a_pane_that_the_next_row_does_not_have_is_left() -> None:
    made = on_report()
    made.active = "candidates"
    made.listing.go_to("q017 0.0")
    made.take_label(label(LABELS[0]))
    assert made.active == "report"


def test_each_pane_has_its_own_cursor() -> None:
    made = on_report()
    made.active = "similar"
    made.move(1)
    assert made.chosen_twin is not None
    assert made.chosen_twin.qid == "q017"
    made.move(5)
    assert made.chosen_twin.qid == "q017"
    made.active = "candidates"
    made.move(1)
    assert made.at == 1
    made.move(-9)
    assert made.at == 0
    made.active = "report"
    made.move(3)
    assert made.scroll["report"] == 3
    assert made.step_part(-1) == ""
    assert made.at == len(made.candidates) - 1


def test_the_candidate_one_went_to_stays_when_the_vectors_come() -> None:
    made = state()
    made.take_report(report(ROWS[0], complete=False))
    made.take_report(report(ROWS[0]))
    assert made.at == 0
    made.take_report(report(ROWS[0], complete=False))
    made.step_part(2)
    moved = made.chunk_id
    made.take_report(report(ROWS[0]))
    assert made.chunk_id == moved


def test_marks_belong_to_a_report_and_come_off_again() -> None:
    made = on_report()
    assert made.toggle() == ""
    assert len(made.marked()) == 1
    made.take_report(report(ROWS[1]))
    assert made.marked() == ()
    made.take_report(report(ROWS[0]))
    assert len(made.marked()) == 1
    assert made.toggle() == ""
    assert made.marked() == ()


def test_why_nothing_can_be_marked() -> None:
    made = state()
    made.take_report(report(ROWS[3]))
    assert made.toggle() == "ticket 8815 is done: u takes that back"
    made.take_report(replace(report(ROWS[0]), results=None))
    assert "F searches every document" in made.toggle()
    made.listing.go_to("q017 0.0")
    made.take_label(label(LABELS[0]))
    assert made.toggle() == "s accepts the place that is shown"


def test_places_of_a_label_are_gone_through() -> None:
    made = state()
    made.take_label(label(LABELS[0]))
    assert made.chosen_place is not None
    assert made.chosen_place.doc_id == "policy-refunds"
    assert made.step_part(1) == ""
    assert made.chosen_place.doc_id == "faq"
    made.take_label(label(LABELS[1]))
    assert made.chosen_place is None
    assert made.step_part(1) == "There is no new place: f fixes it by hand"


def test_escape_closes_the_zoom_then_goes_to_the_list() -> None:
    made = on_report()
    made.zoomed, made.active = True, "report"
    assert made.close_innermost()
    assert made.active == "report"
    assert made.close_innermost()
    assert made.active == "list"
    assert not made.close_innermost()


def test_what_is_copied_and_paged() -> None:
    made = on_report()
    assert made.text_under_cursor().startswith("Hello, write to [e-mail]")
    made.active = "similar"
    assert made.text_under_cursor() == "how long do i have to send something back"
    made.active = "candidates"
    assert made.text_under_cursor() == made.candidates[0].chunk.text
    text = made.as_text()
    assert "question: can i send both t210" in text
    assert "2. policy-returns-eu (reworded since)" in text
    made.take_label(label(LABELS[0]))
    made.active = "list"
    assert made.text_under_cursor() == "within 30 days of delivery"
    assert "1. policy-refunds Time limits  (92)" in made.as_text()
    made.listing.go_to("safe")
    assert isinstance(made.current, SafeRow)
    made.take_safe()
    assert "q044: only white space or typography has changed" in made.as_text()


def test_where_one_is_is_kept() -> None:
    made = state()
    made.listing.go(2)
    again = InboxState()
    again.listing.wanted, again.listing.text = made.kept()
    again.take_view(whole())
    assert again.listing.cursor == 2
