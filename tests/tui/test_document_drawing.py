"""Document as text at the sizes of the drawings and below."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.tui.demo import HOSTILE
from tests.tui.demo_screens import REFUNDS, document

from ragtriage_tui.document_state import DocumentState
from ragtriage_tui.document_views import DocumentView, ItemView
from ragtriage_tui.drawing.document import draw_document
from ragtriage_tui.rows import Drawing, Line, length
from ragtriage_tui.text import scrub

SIZES = [(40, 10), (40, 12), (59, 30), (60, 15), (79, 24), (80, 24), (99, 20), (100, 15), (100, 30), (120, 36), (200, 50)]


def opened(view: DocumentView | None = None, *, at: int | None = None, chunk_id: str = "policy-refunds#3") -> DocumentState:
    state = DocumentState()
    state.take(view or document(), at=at, chunk_id=chunk_id)
    return state


def text(line: Line) -> str:
    return "".join(segment.text for segment in line)


def shown(drawing: Drawing) -> str:
    return "\n".join(text(line).rstrip() for line in drawing.lines)


def roles(drawing: Drawing, role: str) -> list[str]:
    return [segment.text for line in drawing.lines for segment in line if segment.role == role]


DRAWN = """\
 Document  fernway-help  docs/policy-refunds.md                       recursive(size=128)  hybrid k=5
━ policy-refunds  Refunds and returns ━━━━━━━━━━ chunk 3 of 4 ┬─ q028  multi-part · dev ──────────────
 ── #1 rank 24 · 91 tokens ────────────────────────────────── │ how long can i return a gift and when
   ## What can be sent back                                   │ is the money back
                                                              │ ✗ ranked too low  1 of 2 inside k = 5
   Terminals, docks, cables and unopened packs of paper       │
   rolls, if you bought them from us. Gift cards cannot be    │ ● 1 within 30 days of delivery
   sent back.                                                 │     in #2, rank 2
 ── #2 ● rank 2 · 92 tokens ───────────────────────────────── │ ◐ 2 the refund is sent the same
   ## Time limits                                             │     working day. Most banks show it…
                                                              │     ✗ one chunk  split over #3, #4
   A return must be started within 30 days of delivery. The   │     whole at rank 14, k = 5
   parcel then has 14 more days to reach our warehouse in     ├─ Chunk #3 ────────────────────────────
   Tilburg.                                                   │ heading   Refunds
 ━━ #3 ◐ rank 9 · 93 tokens ━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━ │ lines     9-11 of 13
▸┃ ## Getting your money back                                 │ tokens    93, window 256
 ┃                                                            │ ranks     bm25 6  dense 14
 ┃ We refund to the card that paid. When the warehouse has    │ seen by   everyone
 ┃ checked the parcel, the refund is sent the same working    │ needed by q003 q028
 ┃ day.                                                       ├─ Quote  none yet ─────────────────────
 ── #4 ◐ not in the pool · 94 tokens ──────────────────────── │ space starts a quote at this line
   Most banks show it within five working days; some credit   │ j/k grow it to whole sentences
   unions take up to ten.                                     │ s saves it as evidence of q028
                                                              │
   If nothing has arrived after ten working days, send us the │
   reference.                                                 │"""


def test_it_looks_like_the_drawing() -> None:
    state = opened()
    assert shown(draw_document(state, 102, 26)) == DRAWN


def test_evidence_runs_through_a_border() -> None:
    drawing = draw_document(opened(), 120, 34)
    marked = " ".join(roles(drawing, "evidence"))
    assert "within 30 days of delivery" in marked
    assert "the same working day. Most banks show it within five working days" in " ".join(marked.split())


def test_the_quote_stands_in_the_text_and_at_the_side() -> None:
    state = opened(at=REFUNDS.index("When the warehouse"))
    state.start_quote(75)
    state.move(1, 75)
    drawing = draw_document(state, 120, 34)
    chosen = " ".join(" ".join(roles(drawing, "select")).split())
    assert chosen == " ".join(state.quoted.split())
    page = shown(drawing)
    assert "Quote for q028  2 sentences" in page
    assert "s saves it as evidence of q028" in page
    assert "\n > " in page
    assert "▸>" in page


def test_narrow_screens_have_a_strip_of_four_rows_under_the_text() -> None:
    lines = shown(draw_document(opened(), 80, 23)).split("\n")
    assert lines[18].startswith("─ q028  multi-part · dev")
    assert lines[19] == " how long can i return a gift and when is the money back"
    assert lines[20] == " ✗ ranked too low  1 of 2 inside k = 5"
    assert lines[21].startswith(" ● within 30 days of delivery  in #2, rank 2")
    assert lines[22].startswith(" ◐ the refund is sent")
    assert "✗ one chunk" in lines[22]


def test_a_long_quote_shows_its_end_in_the_strip() -> None:
    state = opened(at=0, chunk_id="")
    state.start_quote(76)
    state.move(50, 76)
    lines = shown(draw_document(state, 80, 23)).split("\n")
    assert lines[18].startswith("─ Quote for q028  ")
    assert lines[19].startswith(" Terminals, docks, cables")
    assert lines[20] == " ⋯"
    assert lines[22].endswith("the reference.")


def test_without_a_question_it_says_what_helps() -> None:
    page = shown(draw_document(opened(document(asked=False)), 120, 34))
    assert "No question" in page
    assert "a adds a question" in page
    assert "rank" not in page


def test_a_question_without_an_answer_says_so() -> None:
    view = document()
    assert view.asked is not None
    view = replace(view, asked=replace(view.asked, items=(), answerable=False))
    for width in (80, 120):
        assert "labelled as having no answer" in shown(draw_document(opened(view), width, 23))
    assert "saves it" not in shown(draw_document(opened(view), 120, 23))


def test_one_pane_at_a_time_where_there_is_no_room() -> None:
    state = opened()
    assert "q028" not in shown(draw_document(state, 50, 20))
    state.active = "side"
    page = shown(draw_document(state, 50, 20))
    assert "within 30 days of delivery" in page
    assert "#4" not in page.split("\n")[1]


def test_more_items_than_rows_are_counted() -> None:
    view = document()
    assert view.asked is not None
    items = tuple(ItemView(f"quote {number}", "policy-refunds", "whole") for number in range(9))
    view = replace(view, asked=replace(view.asked, items=items))
    assert "⋯ 8 more" in shown(draw_document(opened(view), 80, 23))


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("quoted", [False, True])
def test_every_row_fits_at_every_size(size: tuple[int, int], quoted: bool) -> None:
    width, height = size
    state = opened()
    if quoted:
        state.start_quote(20)
        state.move(2, 20)
    for zoomed in (False, True):
        state.zoomed = zoomed
        drawing = draw_document(state, width, height - 1)
        assert len(drawing.lines) <= height - 1
        assert max(length(line) for line in drawing.lines) <= width
    assert draw_document(DocumentState(), width, height - 1).lines


def test_hostile_text_stays_text() -> None:
    words = scrub(HOSTILE * 3)
    view = document()
    assert view.asked is not None
    asked = replace(view.asked, qid=words, text=words, cause=words, proof=words, items=(ItemView(words, words, where=words),))
    parts = tuple(part._replace(chunk_id=words, label=words, heading=words, needed_by=(words,)) for part in view.parts)
    hostile = replace(
        view, text=words + "\n" + REFUNDS, title=words, source=words, doc_id=words, asked=asked, parts=parts, seen_by=words
    )
    for width, height in SIZES:
        drawing = draw_document(opened(hostile), width, height - 1)
        page = shown(drawing)
        assert max(length(line) for line in drawing.lines) <= width
        assert "\x1b" not in page
        assert page == scrub(page)


def test_a_document_without_chunks_says_so() -> None:
    state = DocumentState()
    state.take(replace(document(), parts=(), uncut="no tokenizer"))
    page = shown(draw_document(state, 80, 23))
    assert "no chunks" in page.split("\n")[1]
    assert "Terminals, docks" in page


def test_a_long_document_that_is_not_laid_out_yet_says_so() -> None:
    state = DocumentState()
    state.take(document("Goods can be sent back. " * 2000, asked=False))
    assert "being laid out" in shown(draw_document(state, 80, 23))
