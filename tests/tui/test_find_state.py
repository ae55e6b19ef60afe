"""Find: words, rows, and the document beside them, as state and as text."""

from __future__ import annotations

import pytest
from tests.tui.demo import HOSTILE
from tests.tui.demo_screens import LIBRARY, REFUNDS, document, matches

from ragtriage_tui.document_state import Quote
from ragtriage_tui.drawing.find import draw_find, find_sizes
from ragtriage_tui.find_state import FindMark, FindState, library_rows, pattern_of
from ragtriage_tui.find_views import Found, HeadingView, Library, ListedDocument, MatchView
from ragtriage_tui.rows import Drawing, Line, length
from ragtriage_tui.text import Extent, scrub

SIZES = [(40, 10), (40, 12), (59, 30), (60, 15), (79, 24), (80, 24), (99, 20), (100, 15), (100, 30), (120, 36), (200, 50)]


def holding(library: Library) -> FindState:
    state = FindState()
    state.take_library(library, library_rows(library))
    return state


def opened(words: str = "") -> FindState:
    state = holding(LIBRARY)
    if words:
        state.editor.set(words)
        assert state.words_changed()
        state.take_found(Found(words, matches()))
        state.typing = False
    return state


def text(line: Line) -> str:
    return "".join(segment.text for segment in line)


def shown(drawing: Drawing) -> str:
    return "\n".join(text(line).rstrip() for line in drawing.lines)


@pytest.mark.parametrize(
    ("words", "pattern", "regex"),
    [
        ("30 days", "30 days", False),
        ("  30 days ", "30 days", False),
        ("/30 .ays/", "30 .ays", True),
        ("/docs/path", "/docs/path", False),
        ("/", "/", False),
        ("//", "//", False),
        ("", "", False),
    ],
)
def test_slashes_on_both_sides_make_a_regular_expression(words: str, pattern: str, regex: bool) -> None:
    assert pattern_of(words) == (pattern, regex)


def test_while_nothing_is_typed_every_document_stands_with_its_headings() -> None:
    rows = opened().rows
    assert [(row.kind, row.doc_id, row.text) for row in rows] == [
        ("document", "policy-refunds", "Refunds and returns"),
        ("heading", "policy-refunds", "Time limits"),
        ("document", "terminals/t210", "T210 terminal"),
        ("heading", "terminals/t210", "Power"),
        ("heading", "terminals/t210", "Battery"),
        ("document", "faq", "faq"),
    ]
    assert rows[1].at == REFUNDS.index("## Time")


def test_matches_of_older_words_are_dropped() -> None:
    state = opened("30 days")
    state.editor.set("31 days")
    state.words_changed()
    state.take_found(Found("30 days", matches()))
    assert state.searching
    assert state.found is not None
    assert state.found.pattern == "30 days"  # what was there before, and not taken anew for the new words
    before = state.cursor, state.rows
    state.take_found(Found("30 days"))
    assert (state.cursor, state.rows) == before
    assert len(state.rows) == 3
    state.take_found(Found("31 days"))
    assert not state.searching
    assert state.rows == []


def test_no_words_bring_the_documents_back() -> None:
    state = opened("30 days")
    assert len(state.rows) == 3
    state.editor.set("")
    assert not state.words_changed()
    assert [row.kind for row in state.rows][:2] == ["document", "heading"]


def test_moving_stops_at_the_ends_and_brackets_go_by_document() -> None:
    state = opened("30 days")
    assert state.move(1)
    assert state.place == ("terminals/t210", 3)
    assert not state.step_document(1)
    assert state.move(5)
    assert not state.move(1)
    assert state.step_document(-1)
    assert state.cursor == 1
    assert state.step_document(-1)
    assert state.cursor == 0
    assert not state.step_document(-1)
    assert state.step_document(1)
    assert state.cursor == 1


def test_what_a_sentence_is_taken_from() -> None:
    state = opened("30 days")
    assert state.to_mark() == ("policy-refunds", matches()[0].span)
    state.active = "doc"
    assert state.to_mark() == ("policy-refunds", matches()[0].span)  # the document is not there yet
    state.preview.take(document(), at=90)
    assert state.to_mark() == ("policy-refunds", Extent(90, 91))
    assert opened().to_mark() == ("policy-refunds", Extent(0, 1))
    assert FindState().to_mark() is None
    assert FindState().place is None


def marking(words: str = "30 days") -> FindState:
    """One match marked, for a question."""
    state = opened(words)
    state.asked, state.words = "q-krp2s4", "how late can i\ncheck in, and do you keep the gate open for me"
    span = document().grow(matches()[0].span)
    state.mark(FindMark("policy-refunds", matches()[0].span, span, REFUNDS[slice(*span)]))
    return state


def test_a_mark_is_found_by_what_it_was_taken_from_and_by_what_it_lies_over() -> None:
    state = marking()
    first, second, _ = state.rows
    assert state.marked(first) is state.marks[0]
    assert state.marked(second) is None
    heading = Extent(3, 4)
    state.mark(FindMark("faq", heading, Extent(90, 99), "below it"))
    assert state.marked_at("faq", heading) is state.marks[1]
    assert state.marked_at("faq", Extent(98, 120)) is state.marks[1]
    assert state.marked_at("faq", Extent(99, 120)) is None
    state.mark(FindMark("faq", Extent(95, 96), Extent(90, 99), "below it"))
    assert len(state.marks) == 2


def test_the_question_and_what_is_marked_are_on_the_screen() -> None:
    for width, head in (
        (80, " Find  fernway-help  evidence for q-krp2s4: how late can i check…   3 documents"),
        (60, " Find  evidence for q-krp2s4: how late can i…   3 documents"),
        (40, " Find  evidence for q-krp2s4"),
    ):
        page = shown(draw_find(marking(), width, 23)).split("\n")
        assert page[0] == head
    page = shown(draw_find(marking(), 80, 23)).split("\n")
    assert page[4].startswith("▸● policy-refunds")
    assert page[-2].startswith("─ Marked  1 sentence, not saved yet ─")
    assert page[-1] == " ● A return must be started within 30 days of delivery.  policy-refunds"
    assert shown(draw_find(marking(), 40, 11)).split("\n")[-1].startswith(" marked: A return must be")
    assert "no question yet" in shown(draw_find(opened(), 80, 23)).split("\n")[0]


DRAWN = """\
 Find  fernway-help  no question yet                                3 documents
─ Text  as it stands, or /regular expression/, in every document ───────────────
 30 days
━ Matches  3 in 2 documents ━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━ 1/3
▸  policy-refunds  Time limits              …30 days of delivery. The parce…  7
   terminals/t210  –                        a 30 days trial                   1
   terminals/t210  Power                    and 30 days                       4"""


def test_it_shows_the_matches_and_the_document() -> None:
    state = opened("30 days")
    state.preview.take(document(), at=matches()[0].span.start)
    state.preview.quote = Quote(0, 0, matches()[0].span)
    page = shown(draw_find(state, 80, 23)).split("\n")
    assert "\n".join(page[:7]) == DRAWN
    assert any(line.startswith("─ policy-refunds  Refunds and returns ─") and line.endswith("line 7 of 13") for line in page)
    assert any(line.startswith("▸>") and "30 days" in line for line in page)


def test_beside_each_other_from_a_hundred_columns() -> None:
    state = opened("30 days")
    state.preview.take(document(), at=0)
    drawing = draw_find(state, 120, 35)
    assert drawing.cuts == (52,)
    assert "┬─ policy-refunds  Refunds and returns" in shown(drawing)


@pytest.mark.parametrize(
    ("found", "said"),
    [
        (Found("zebra"), "Nothing holds zebra. esc clears."),
        (Found("zebra", problem="it is not a regular expression"), "it is not a regular expression"),
    ],
)
def test_why_there_is_nothing(found: Found, said: str) -> None:
    state = holding(LIBRARY)
    state.editor.set("zebra")
    state.words_changed()
    assert "Matches  searching" in shown(draw_find(state, 80, 23))
    state.take_found(found)
    assert said in shown(draw_find(state, 80, 23))


def test_an_empty_corpus_and_a_capped_answer() -> None:
    assert "There are no documents." in shown(draw_find(holding(Library("x", ())), 80, 23))
    state = opened("30 days")
    state.take_found(Found("30 days", matches(), capped=True))
    assert "3 and more in 2 documents" in shown(draw_find(state, 80, 23))


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize(("words", "marks"), [("", 0), ("30 days", 0), ("30 days", 1), ("30 days", 9)])
def test_every_row_fits_at_every_size(size: tuple[int, int], words: str, marks: int) -> None:
    width, height = size
    state = opened(words)
    for number in range(marks):
        state.mark(FindMark("policy-refunds", Extent(number, number + 1), Extent(number, number + 9), REFUNDS))
    state.preview.take(document(), at=0)
    for active in ("list", "doc"):
        state.active = active  # type: ignore[assignment]  # one of the two
        for zoomed in (False, True):
            state.zoomed = zoomed
            drawing = draw_find(state, width, height - 1)
            assert len(drawing.lines) == height - 1
            assert max(length(line) for line in drawing.lines) <= width
            assert min(find_sizes(state, width, height)) >= 0


def test_hostile_text_stays_text() -> None:
    words = scrub(HOSTILE)
    library = Library(words, (ListedDocument(words, words, (HeadingView(words, 1, 0),)),))
    match = MatchView(words, Extent(0, 3), 1, words, words, Extent(0, 3))
    for width, height in SIZES:
        for state in (holding(library), holding(library)):
            drawing = draw_find(state, width, height - 1)
            assert max(length(line) for line in drawing.lines) <= width
        state.editor.set(words)
        state.words_changed()
        state.take_found(Found(state.editor.text.strip(), (match,), problem=words))
        drawing = draw_find(state, width, height - 1)
        assert max(length(line) for line in drawing.lines) <= width
        assert shown(drawing) == scrub(shown(drawing))
