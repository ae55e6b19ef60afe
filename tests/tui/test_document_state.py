"""Where one is in a document, and how a quote grows: whole sentences, never lines cut somewhere."""

from __future__ import annotations

import random
from dataclasses import replace
from itertools import pairwise

import pytest
from tests.soak import rounds
from tests.tui.demo_screens import HALF, REFUNDS, document, place

from ragtriage_tui.document_state import DocumentState, lay_out, layout
from ragtriage_tui.document_views import DocumentView, PartView
from ragtriage_tui.text import Extent

CELLS = 60


def opened(*, at: int | None = None, chunk_id: str = "") -> DocumentState:
    state = DocumentState()
    state.take(document(), chunk_id=chunk_id, at=at)
    return state


def test_every_word_is_in_one_row_and_borders_stand_where_chunks_begin() -> None:
    view = document()
    rows = layout(view, CELLS)
    words = " ".join(view.text[row.span.start : row.span.end] for row in rows if row.kind == "text").split()
    assert words == view.text.split()
    assert [row.part for row in rows if row.kind == "border"] == [0, 1, 2, 3]
    for row in rows:
        part = view.parts[row.part]
        assert part.span.start <= row.span.start <= row.span.end <= part.span.end
        assert row.span.end - row.span.start <= CELLS


def test_a_border_cuts_the_line_in_the_middle_of_a_paragraph() -> None:
    rows = layout(document(), CELLS)
    at = next(index for index, row in enumerate(rows) if row.kind == "border" and row.part == 3)
    assert REFUNDS[slice(*rows[at - 1].span)].endswith("working day.")
    assert REFUNDS[slice(*rows[at + 1].span)].startswith("Most banks")


def test_blank_lines_stay_inside_a_chunk_and_go_at_its_ends() -> None:
    rows = layout(document(), CELLS)
    texts = [REFUNDS[slice(*row.span)] if row.kind == "text" else "--" for row in rows]
    assert "" in texts
    assert all(not (one == "--" and other == "") for one, other in pairwise(texts))
    assert all(not (one == "" and other == "--") for one, other in pairwise(texts))


def test_rows_that_two_chunks_share_are_marked() -> None:
    view = document()
    first, second = view.parts[0], view.parts[1]
    parts = (first._replace(span=Extent(0, second.span.start + 60)), *view.parts[1:])
    shared = [row for row in layout(DocumentView(**{**fields(view), "parts": parts}), CELLS) if row.shared]
    assert shared
    assert all(row.part == 1 and row.span.start < second.span.start + 60 for row in shared)


def fields(view: DocumentView) -> dict[str, object]:
    return {name: getattr(view, name) for name in view.__slots__}


def test_text_before_the_first_chunk_and_a_document_without_chunks() -> None:
    view = document()
    late = DocumentView(**{**fields(view), "parts": (PartView("x#1", "#1", Extent(30, 80), 9),)})  # type: ignore[arg-type]
    assert layout(late, CELLS)[0].part == -1
    none = DocumentView(**{**fields(view), "parts": ()})  # type: ignore[arg-type]
    state = DocumentState()
    state.take(none)
    assert state.part == -1
    assert state.current is None
    state.step_part(1)
    state.move(3, CELLS)
    assert state.at(CELLS) == 3


@pytest.mark.parametrize("text", ["", "\n\n\n", "   "])
def test_a_document_without_text(text: str) -> None:
    state = DocumentState()
    view = DocumentView("x", "x", "x.md", text, grow=lambda span: span, parts=(PartView("x#1", "#1", Extent(0, len(text)), 0),))
    state.take(view)
    state.move(1, CELLS)
    assert state.at(CELLS) == -1
    assert not state.start_quote(CELLS)
    assert state.shown(CELLS, 10) == range(min(1, len(state.rows(CELLS))))


def test_a_quote_begun_on_a_heading_starts_at_the_sentence_below() -> None:
    state = opened(at=REFUNDS.index("## Time limits"))
    assert state.start_quote(CELLS)
    assert state.quoted == "A return must be started within 30 days of delivery."
    last = DocumentState()
    last.take(document("Goods come back.\n\n## Notices\n", asked=False), at=20)
    assert not last.start_quote(CELLS)


def test_a_long_text_is_laid_out_by_somebody_else() -> None:
    view = document("Goods can be sent back. " * 2000, asked=False)
    state = DocumentState()
    state.take(view)
    assert state.rows(CELLS) == []
    assert state.unlaid(CELLS)
    state.move(1, CELLS)
    assert state.to_lay_out(CELLS) is view
    assert state.to_lay_out(CELLS) is None  # asked once
    assert state.to_lay_out(40) is view
    state.take_layout(lay_out(view, 40))
    assert not state.unlaid(40)
    rows = state.rows(40)
    assert rows == layout(view, 40)
    assert state.rows(CELLS) is rows  # until the others come
    again = replace(view, read_only="why")
    state.take(again)
    assert not state.unlaid(40)
    state.take(document("Another one. " * 4000, asked=False))
    assert state.unlaid(40)
    state.take_layout(lay_out(view, 40))
    assert state.unlaid(40)


def test_opening_at_a_chunk_or_at_an_offset() -> None:
    assert opened(chunk_id="policy-refunds#3").part == 2
    assert opened(chunk_id="no-such#9").part == 0
    state = opened(at=REFUNDS.index("14 more days"))
    assert "14 more days" in REFUNDS[slice(*state.rows(CELLS)[state.at(CELLS)].span)]
    assert opened(at=10**9).at(CELLS) == len(opened().rows(CELLS)) - 1


def test_the_cursor_stays_in_its_place_when_the_width_changes() -> None:
    state = opened(at=REFUNDS.index("14 more days"))
    for cells in (20, 120, 33, 60):
        low, high = state.rows(cells)[state.at(cells)].span
        assert low <= state.cursor <= high


def test_moving_skips_borders_and_stops_at_the_ends() -> None:
    state = opened()
    seen = []
    for _ in range(40):
        seen.append(state.rows(CELLS)[state.at(CELLS)].kind)
        state.move(1, CELLS)
    assert set(seen) == {"text"}
    assert state.at(CELLS) == len(state.rows(CELLS)) - 1
    state.move(-(10**9), CELLS)
    assert state.cursor == 0


def test_chunk_steps_go_to_the_beginning_of_the_next_and_the_one_before() -> None:
    state = opened(at=REFUNDS.index("14 more days"))
    state.step_part(1)
    assert REFUNDS[state.cursor :].startswith("## Getting")
    state.step_part(-1)
    assert REFUNDS[state.cursor :].startswith("## Time")
    for _ in range(9):
        state.step_part(1)
    assert state.part == 3


def test_the_border_above_the_first_row_in_view_is_seen() -> None:
    state = opened(chunk_id="policy-refunds#3")
    state.settle = False
    state.window.top = 0
    state.cursor = 0
    assert state.shown(CELLS, 5).start == 0
    state.step_part(1)
    for height in (2, 3, 5, 9):
        shown = state.shown(CELLS, height)
        assert state.at(CELLS) in shown
        assert len(shown) <= height


def test_a_quote_begins_with_the_first_sentence_that_begins_in_the_line() -> None:
    state = opened(at=REFUNDS.index("We refund"))
    assert state.start_quote(200)
    assert state.quoted == "We refund to the card that paid."
    state = opened(at=REFUNDS.index("Most banks"))
    assert state.start_quote(CELLS)
    assert state.quoted == "Most banks show it within five working days; some credit unions take up to ten."


def test_a_quote_in_the_middle_of_a_sentence_takes_the_whole_of_it() -> None:
    state = opened(at=REFUNDS.index("some credit unions"))
    cells = 30
    assert state.start_quote(cells)
    assert state.quoted == "Most banks show it within five working days; some credit unions take up to ten."


def test_where_the_cursor_was_sent_into_a_line_the_sentence_there_is_meant() -> None:
    state = opened(at=REFUNDS.index("the refund is sent"))
    assert state.start_quote(200)
    assert state.quoted.startswith("When the warehouse")


def test_a_blank_line_starts_no_quote() -> None:
    state = opened(at=REFUNDS.index("\n\nA return") + 1)
    state.cursor = REFUNDS.index("\n\nA return") + 1
    assert REFUNDS[slice(*state.rows(CELLS)[state.at(CELLS)].span)] == ""
    assert not state.start_quote(CELLS)
    assert state.quote is None


def test_a_quote_grows_by_sentences_both_ways_and_across_a_border() -> None:
    state = opened(at=REFUNDS.index("When the warehouse"))
    state.start_quote(40)
    first = state.quoted
    state.move(1, 40)
    assert state.quoted.startswith(first)
    assert OTHER in state.quoted
    assert state.quoted_sentences == 2
    assert state.part == 3
    state.move(-1, 40)
    assert state.quoted == first
    state.move(-1, 40)
    assert state.quoted.endswith(first)
    assert state.quoted_sentences == 2


OTHER = "some credit unions take up to ten."


def test_brackets_move_the_beginning_of_a_quote() -> None:
    state = opened(at=REFUNDS.index("We refund"))
    state.start_quote(200)
    state.step_part(1)
    assert state.quoted.startswith("When the warehouse")
    state.move(1, 200)
    state.step_part(-1)
    assert state.quoted.startswith("We refund")
    assert state.quoted.endswith(OTHER)


def test_what_is_shown_is_what_the_rule_of_saving_gives() -> None:
    state = opened(at=REFUNDS.index("When the warehouse"))
    state.start_quote(40)
    assert state.quote is not None
    assert state.view is not None
    assert state.view.grow(state.quote.span) == state.quote.span
    assert state.view.grow(place(REFUNDS, HALF)) == state.quote.span


def test_quotes_stay_inside_the_text_whatever_keys_come() -> None:
    chance = random.Random(7)
    state = opened()
    for _ in range(rounds(300, 20_000)):
        cells = chance.choice([9, 40, 77])
        step = chance.choice([-3, -1, 1, 2])
        act = chance.choice(["move", "part", "start", "drop"])
        if act == "move":
            state.move(step, cells)
        elif act == "part":
            state.step_part(step)
        elif act == "start" and state.quote is None:
            state.start_quote(cells)
        elif act == "drop":
            state.quote = None
        assert 0 <= state.cursor <= len(REFUNDS)
        assert state.at(cells) in state.shown(cells, 7)
        if state.quote is not None:
            assert state.quoted == state.quoted.strip() != ""
            assert state.quoted_sentences >= 1


def test_the_same_document_again_keeps_cursor_and_quote_another_one_does_not() -> None:
    state = opened(at=REFUNDS.index("We refund"))
    state.start_quote(CELLS)
    kept = state.quote
    state.take(document())
    assert state.quote == kept
    state.take(document(doc_id="other"))
    assert state.quote is None
    assert state.cursor == 0


def test_lines_count_as_in_the_file() -> None:
    state = opened()
    assert state.lines == REFUNDS.count("\n")
    assert state.line_of(0) == 1
    assert state.line_of(REFUNDS.index("## Time")) == REFUNDS[: REFUNDS.index("## Time")].count("\n") + 1


def test_copy_takes_the_quote_else_the_line() -> None:
    state = opened(at=REFUNDS.index("14 more"))
    assert state.text_under_cursor() == REFUNDS.split("\n")[6]
    state.start_quote(CELLS)
    assert state.text_under_cursor() == state.quoted
