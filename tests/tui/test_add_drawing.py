"""Add as text at the sizes of the drawings and below."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.tui.demo import HOSTILE
from tests.tui.demo_screens import results

from ragtriage_tui.add_state import AddState
from ragtriage_tui.add_views import AddStart, Draft, Marked, Measured, Record, Results, SavedView, Twin
from ragtriage_tui.drawing.add import draw_add
from ragtriage_tui.rows import Drawing, Line, length
from ragtriage_tui.text import Extent, scrub

SIZES = [(40, 10), (40, 12), (59, 30), (60, 15), (79, 24), (80, 24), (99, 20), (100, 15), (100, 30), (120, 36), (200, 50)]
WORDS = (
    "hi, bought a T210 two weeks ago and hate the screen. until when can i give it back, and does the dock have to go back too?"
)
START = AddStart("fernway-help", "evals/golden.jsonl", ("recursive(size=128)  hybrid k=5",))


def typing(words: str = WORDS) -> AddState:
    state = AddState(start=START)
    state.editor.insert(words)
    state.typed()
    return state


def marked(*, complete: bool = True) -> AddState:
    state = typing()
    state.fix()
    state.take_results(results(WORDS, complete=complete))
    state.move(1 if complete else 0)
    state.toggle()
    state.record = Record("q-7f3a91", ("30 days",), 2, 9, (Twin("q001", "how long do i have to send something back", 0.91),))
    return state


def text(line: Line) -> str:
    return "".join(segment.text for segment in line)


def shown(drawing: Drawing) -> str:
    return "\n".join(text(line).rstrip() for line in drawing.lines)


DRAWN = """\
 Add question  fernway-help  evals/golden.jsonl          draft kept as you type
─ Question  as the user wrote it ───────────────────────────────────────────────
 hi, bought a T210 two weeks ago and hate the screen. until when can i give it
 back, and does the dock have to go back too?
━ Results  bm25 and dense ━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━ bm25 dense
    1 terminals/t210#2     If you do not like the screen's brightne…    1     6
▸●  2 policy-refunds#2     …A return must be started within 30 days…    8     1
    3 policy-returns-eu#2  Shops in the EU have a right of withdraw…   11     2
    4 gift-cards#4         A gift card cannot be exchanged for mone…    –     7






─ q-7f3a91  not saved yet ──────────────────────────────────────────────────────
   evidence ● A return must be started within 30 days of delivery.
              policy-refunds
 m mention  30 days  suggested, not taken
 t kind     paraphrase
 h split    dev
 d similar  q001 .91 how long do i have to send something back
   wording  shares .22 of its words with its evidence: 2 of 9"""


def test_it_looks_like_the_drawing() -> None:
    assert shown(draw_add(marked(), 80, 23)) == DRAWN


def test_wide_screens_show_the_chunk_with_its_neighbours() -> None:
    drawing = draw_add(marked(), 120, 35)
    page = shown(drawing)
    assert drawing.cuts == (72,)
    assert "┬─ q-7f3a91  not saved yet ─" in page
    assert "├─ policy-refunds#2  97 tokens ─" in page
    assert "│ The chunk before it ends here." in page
    assert "│ ─ #2 ● ─" in page
    assert "│ ## The chunk after" in page
    assert "recursive(size=128)  hybrid k=5" in page.split("\n")[0]


def test_no_result_stands_there_before_the_words_are_fixed() -> None:
    page = shown(draw_add(typing(), 80, 23))
    assert "open when Enter has fixed the words" in page
    assert "policy" not in page
    assert "looked up when the words are fixed" in page
    strong = {segment.text for line in draw_add(typing(), 80, 23).lines for segment in line if segment.role == "strong"}
    assert not strong & {"m", "t", "h", "d"}  # letters are text while one types


def test_the_field_grows_with_a_paste_and_goes_back_to_two_rows() -> None:
    lines = "\n".join(f"line {number}" for number in range(9))
    state = typing(lines)
    page = shown(draw_add(state, 80, 35)).split("\n")
    assert page[2:8] == [f" line {number}" for number in range(3, 9)]
    state.fix()
    assert shown(draw_add(state, 80, 35)).split("\n")[4].startswith("━ Results")


def test_what_is_still_to_come_is_a_dot() -> None:
    state = marked(complete=False)
    page = shown(draw_add(state, 80, 23))
    assert "Results  bm25 now, dense follows" in page
    row = next(line for line in page.split("\n") if "terminals/t210#2" in line)
    assert row.split()[-2:] == ["1", "·"]


@pytest.mark.parametrize(
    ("measured", "said"),
    [
        (None, "q-7f3a91  saved; measuring"),
        (Measured("q-7f3a91", "fails", "ranked too low"), "q-7f3a91  saved: fails today, ranked too low"),
        (Measured("q-7f3a91", "passes"), "q-7f3a91  saved: passes today"),
        (Measured("q-7f3a91", "unmeasured"), "q-7f3a91  saved: could not be measured"),
    ],
)
def test_what_became_of_it(measured: Measured | None, said: str) -> None:
    state = marked()
    state.take_saved(SavedView("q-7f3a91", 61))
    state.measured = measured
    page = shown(draw_add(state, 80, 23))
    assert said in page
    assert "saved on line 61" in page


def test_a_saved_question_is_fixed() -> None:
    saved = Draft("who pays", "who pays", (Marked("faq", None, "", 0),), qid="q001", kind="", ref="ticket 8812")
    state = AddState(start=START._replace(question=saved))
    state.begin(saved)
    page = shown(draw_add(state, 80, 23))
    assert page.startswith(" Fix evidence  fernway-help")
    assert "from ticket 8812" in page
    assert "q001  as it is saved" in page
    assert "● faq" in page
    assert "kind     none" in page
    state.next_split()
    assert "q001  changes are not saved yet" in shown(draw_add(state, 80, 23))


def test_similar_questions_take_the_place_of_the_results() -> None:
    state = marked()
    state.twins = True
    page = shown(draw_add(state, 80, 23))
    assert "Similar questions  d back to the results" in page
    assert "▸ q001  .91 how long do i have to send something back" in page
    state.record = Record("q-1")
    assert "No question of the set is like this one." in shown(draw_add(state, 80, 23))


def test_more_evidence_than_rows_is_counted() -> None:
    state = marked()
    for number in range(6):
        state.mark(Marked("faq", Extent(number * 10, number * 10 + 5), f"words {number}"))
    assert "and 3 more" in shown(draw_add(state, 80, 23))
    state.next_pane()
    state.move(99)
    page = shown(draw_add(state, 80, 23))
    assert "words 5" in page
    assert any(line.startswith("▸") and "words 5" in line for line in page.split("\n"))


def test_nothing_found_and_no_answer() -> None:
    state = typing()
    state.fix()
    assert "Results  searching" in shown(draw_add(state, 80, 23))
    state.take_results(Results(WORDS, ("bm25",), ()))
    assert "F searches every document" in shown(draw_add(state, 80, 23))
    state.toggle_answer()
    page = shown(draw_add(state, 80, 23))
    assert "none: the documents hold no answer" in page
    assert "unanswerable" in page


def test_a_problem_stands_in_the_title() -> None:
    state = marked()
    assert state.results is not None
    state.results = state.results._replace(problem="the encoder died")
    assert "Results  the encoder died" in shown(draw_add(state, 80, 23))


@pytest.mark.parametrize("size", SIZES)
def test_every_row_fits_at_every_size(size: tuple[int, int]) -> None:
    width, height = size
    saved = marked()
    saved.take_saved(SavedView("q-7f3a91", 61))
    twins = marked()
    twins.twins = True
    whole = marked()
    whole.view_text = True
    for state in (AddState(), typing(), typing("x" * 900), marked(), marked(complete=False), saved, twins, whole):
        for active in ("results", "record"):
            for zoomed in (False, True):
                state.active = active  # type: ignore[assignment]  # one of the two
                state.zoomed = zoomed
                drawing = draw_add(state, width, height - 1)
                assert len(drawing.lines) <= height - 1
                assert max(length(line) for line in drawing.lines) <= width


def test_hostile_text_stays_text() -> None:
    words = scrub(HOSTILE)
    state = typing(HOSTILE * 2)
    state.start = AddStart(words, words, (words,))
    state.fix()
    found = results(state.draft.text)
    chunk = replace(found.candidates[0].chunk, chunk_id=words, doc_id=words, text=words)
    best = Marked(words, Extent(100, 100 + len(words)), words)
    one = replace(found.candidates[0], chunk=chunk, label=words, best=best, before=(words, words), after=(words, words))
    state.take_results(found._replace(candidates=(one, one)))
    state.toggle()
    state.record = Record(words, (words,), 1, 2, (Twin(words, words, 0.5),))
    state.take_mentions((words,))
    for width, height in SIZES:
        for state.twins in (False, True):
            drawing = draw_add(state, width, height - 1)
            page = shown(drawing)
            assert max(length(line) for line in drawing.lines) <= width
            assert page == scrub(page)


def test_a_mention_that_the_evidence_does_not_say_is_pointed_out() -> None:
    state = marked()
    assert state.record is not None
    state.take_mentions(("30 days", "48 hours"))
    state.record = state.record._replace(unsaid=("48 hours",))
    page = shown(draw_add(state, 80, 23))
    assert " m mention  ! 48 hours  which the evidence does not say  also 30 days" in page
    state.take_mentions(("30 days",))  # before what follows from it is worked out
    assert " m mention  30 days" in shown(draw_add(state, 80, 23))


@pytest.mark.parametrize("width", [80, 120])
def test_what_the_words_are_compared_with_is_said_in_full(width: int) -> None:
    state = marked()
    wanted = "its evidence: 2 of 9" if width == 80 else "shares .22 of its words, 2 of 9"
    assert wanted in shown(draw_add(state, width, 35))
    state.record = Record("q-7f3a91")
    state.draft = replace(state.draft, marks=(Marked("faq", None, ""),))
    assert "no quote to compare it with" in shown(draw_add(state, width, 35))


@pytest.mark.parametrize("width", [80, 120])
def test_evidence_that_leads_nowhere_looks_dead(width: int) -> None:
    state = marked()
    state.draft = replace(state.draft, marks=(Marked("faq", None, "what stood there once", 0, gone=True),))
    assert "evidence ✗ gone  what stood there once  faq" in shown(draw_add(state, width, 23))
