"""Triage as text, at the sizes of the drawings and below."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.tui.demo import HOSTILE, hostile_door, overview, question, rows

from ragtriage_tui.drawing.help import draw_help
from ragtriage_tui.drawing.palette import Offer, draw_palette, found
from ragtriage_tui.drawing.triage import draw, number
from ragtriage_tui.editor import Editor
from ragtriage_tui.keymap import Keymap
from ragtriage_tui.listing import Window
from ragtriage_tui.rows import Drawing, Line, length
from ragtriage_tui.state import TriageState
from ragtriage_tui.telling import Busy
from ragtriage_tui.text import scrub
from ragtriage_tui.views import QuestionRow, RungView

DRAWN_80 = """\
 Triage  fernway-help  hybrid k=5            recall@5 .82  n 52   tax .09  n 46
━ 12 failing of 60 ━━━━━━━┬─ q017  paraphrase · dev ─────────── failure 3 of 12
 ✗ 1  how long till the m…│ can i send the terminal back if i just don't like
 ✗ 2  webhook fires twice…│ it
▸✗ 2? can i send the term…│ ✗ ranked too low  evidence at 7, k = 5     2  agree
 ✗ 1? what do i pay when… │ needs policy-refunds within 30 days of delivery
 ✗ 3  does the new one ta…│ ✓ corpus  ✓ one chunk  ✓ window  ✓ allowed
 ✗ 2? how long can i retu…│ bm25 31  dense 4  fused 7  ✗ inside k 5
 ✗ 2? ERR_4021 keeps comi…│ a reranker could win .11
 ✗ 2  parcel says deliver…├─ Ranked chunks  pool 50 ──────────────── bm25 dense
 ✗ 1? can my accountant s…│    1 policy-shipping#1    Terminals lea…    1     9
 ✗ 5  do you ship to the… │    2 terminals/t210#2     If you do not…    3     5
 ✗ 3? which countries get…│    3 faq-damaged-goods#1  Send us a pic…    2    12
 ✗ 6  is there a limit    │ -  4 terminals/t200#2     If you do not…    6     8
 ·    who founded fernway │ ─── context ends here, k = 5 ───────────────────────
─ Causes  6 to label ─────┤▸●  7 policy-refunds#3     …within 30 da…   31     4
 1  not retrieved   3 ━╌  │     ⋯ 11 more
 2? ranked too low  5 ━╌╌ ├─ Answers ───────────────────────────────────────────
 3  misused         2 ━╌  │ ✓ oracle You have 30 days from delivery to start a
 4  made up         ·     │          return [1]. After that the parcel has 14…
 5  should refuse   1 ━   │ ✗ live   Terminals leave our warehouse on every
 6  bad label       1 ━   │          working day before 15:00 [1]. You can clo…
 7  wrong refusal   ·     │ ✗ lacks 30 days   ✓ [1] [5] exist   457 tokens
"""

SIZES = [(40, 10), (40, 12), (59, 30), (60, 15), (79, 24), (80, 24), (100, 30), (120, 36), (200, 50), (120, 15), (300, 90)]


def triage(qid: str = "q017") -> TriageState:
    state = TriageState()
    state.take_overview(overview())
    state.listing.go_to(qid)
    row = state.listing.row_of(qid)
    assert row is not None
    state.take_detail(question(row))
    return state


def plain(line: Line) -> str:
    return "".join(seg.text for seg in line)


def shown(drawing: Drawing) -> str:
    return "".join(f"{plain(line).rstrip()}\n" for line in drawing.lines)


def test_80x24_is_the_drawing() -> None:
    assert shown(draw(triage(), 80, 23)) == DRAWN_80


def test_120x36_has_ids_full_names_and_answers_side_by_side() -> None:
    text = shown(draw(triage(), 120, 35))
    for part in (
        "recall@5 .82  hit@5 .88  mrr .71  n 52   tax .09  n 46",
        "━ Questions  12 failing of 60 ━━━ 3/60 ┬─ q017",
        "▸✗ q017 2? can i send the terminal bac…│",
        " 2  agree  1-7 other",
        "│ needs    policy-refunds › Time limits  within 30 days of delivery",
        "│ ladder   ✓ corpus  ✓ one chunk  ✓ window  ✓ allowed",
        "│          bm25 31  dense 4  fused 7  ✗ inside k 5   a reranker could win .11",
        "─ Causes  6 of 12 labelled ────────────┤",
        " 3  retrieved but misused  2 ━╌",
        "│ ✓ Oracle  given the evidence          │  ✗ Live  given ranks 1-5",
        "│ + 13 ",
    ):
        assert part in text, part


@pytest.mark.parametrize(("columns", "rows_"), SIZES)
@pytest.mark.parametrize("hostile", [False, True])
def test_every_row_fits_at_every_size_in_every_pane(columns: int, rows_: int, hostile: bool) -> None:
    state = triage()
    if hostile:
        door = hostile_door()
        state = TriageState()
        state.take_overview(door.overview())
        state.take_detail(door.question(door.overview().questions[0].qid))
    for pane in ("list", "question", "chunks", "answers"):
        for zoomed in (False, True):
            for views in (set(), {"text", "diff", "advice", "answers"}):
                state.active, state.zoomed, state.views = pane, zoomed, set(views)  # type: ignore[assignment]
                drawing = draw(state, columns, rows_ - 1)
                assert len(drawing.lines) == rows_ - 1
                assert max(map(length, drawing.lines)) <= columns
                assert "\x1b" not in shown(drawing)


def test_nothing_hostile_reaches_a_row() -> None:
    text = scrub(HOSTILE)
    assert not set(text) & {"\x1b", "\x07", "\x00", "\x9b", "\u202e", "\ud800"}
    assert "[red]no[/]" in text


def test_a_label_changes_the_row_the_line_and_the_causes() -> None:
    state = triage()
    state.take_overview(overview(questions=tuple(replace(row, label=2) if row.qid == "q017" else row for row in rows())))
    text = shown(draw(state, 80, 23))
    assert "▸✗ 2  can i send" in text
    assert "labelled 2" in text
    assert "2✓ ranked too low  5 ━━╌" in text
    assert "5 to label" in text
    assert "labelled 2   0 clears" in shown(draw(state, 120, 35))


def test_an_old_verdict_is_a_suggestion_again() -> None:
    state = triage()
    changed = tuple(replace(row, label=1, old=True) if row.qid == "q017" else row for row in rows())
    state.take_overview(overview(questions=changed))
    text = shown(draw(state, 120, 35))
    assert "q017 2?" in text
    assert " 2  agree  1-7 other" in text
    assert "│ label 1 is old: ranks, answer or words have changed\n" in text
    assert " 2  agree\n" in shown(draw(state, 80, 23))
    assert "│ label 1 is old: ranks, answer or words have changed\n" in shown(draw(state, 80, 23))


@pytest.mark.parametrize(
    ("row", "view", "said"),
    [
        ({"state": "unmeasured"}, {"state": "unmeasured", "reason": "timed out after 30 s"}, "! could not be measured  timed"),
        ({"state": "passes", "suggested": 0}, {"state": "passes", "proof": "evidence at 1, k = 5"}, "✓ passes  evidence at 1"),
        (
            {"state": "unasked", "suggested": 0},
            {"state": "unasked", "proof": "evidence at 1, k = 5"},
            "· retrieval passes  evidence at 1, k = 5; the answer was not asked for (p)",
        ),
        (
            {"state": "nothing", "suggested": 0},
            {"state": "nothing", "proof": "no evidence"},
            "· nothing to measure  no evidence",
        ),
    ],
)
def test_verdict_lines(row: dict[str, object], view: dict[str, object], said: str) -> None:
    state = triage()
    changed = tuple(replace(one, **row) if one.qid == "q017" else one for one in rows())  # type: ignore[arg-type]
    state.take_overview(overview(questions=changed))
    assert state.detail is not None
    state.take_detail(replace(state.detail, **view))  # type: ignore[arg-type]
    assert said in shown(draw(state, 120, 35))


@pytest.mark.parametrize("k", [5, 100])
@pytest.mark.parametrize("cells", [60, 80, 100, 120])
def test_the_fact_is_shortened_before_the_key_that_agrees(k: int, cells: int) -> None:
    state = triage()
    assert state.detail is not None
    changed = tuple(replace(one, suggested=1) if one.qid == "q017" else one for one in rows())
    state.take_overview(overview(questions=changed))
    state.take_detail(replace(state.detail, k=k, proof=f"evidence not in the pool, k = {k}"))
    text = shown(draw(state, cells, 35))
    line = next(line for line in text.splitlines() if "✗ not retrieved" in line)
    assert " 1  agree" in line
    assert "not in the pool" in line or cells == 60
    assert ("evidence not in the pool" in line) == (cells >= 100)
    assert (f"k = {k}" in line) == (cells >= 80)


@pytest.mark.parametrize(
    ("rung", "lever"),
    [
        ("fused 11", "pool, fusion, a reranker"),
        ("bm25 –", "hybrid, another embedding model, the heading prefix; a reranker cannot help"),
    ],
)
@pytest.mark.parametrize("cells", [60, 80, 100, 120])
def test_the_lever_is_shown_beside_its_rung_or_below(rung: str, lever: str, cells: int) -> None:
    state = triage()
    assert state.detail is not None
    need = replace(state.detail.needs[0], rungs=(RungView("corpus", "ok"), RungView(rung, "broken", ranked=True)), lever=lever)
    state.take_detail(replace(state.detail, needs=(need,)))
    text = shown(draw(state, cells, 35))
    right = " ".join(" ".join(line.partition("│")[2].split()) for line in text.splitlines())
    assert f"✗ {rung} {lever}" in right
    if len(lever) < 30 and cells > 60:
        assert f"✗ {rung}   {lever}\n" in text


def test_where_the_chunks_are_others_that_is_said_in_their_place() -> None:
    state = triage()
    assert state.detail is not None
    why = "The chunks of this run are not those of today. ctrl+r measures again."
    state.take_detail(replace(state.detail, chunks=(), no_chunks=why))
    text = shown(draw(state, 80, 23))
    assert "│ The chunks of this run are not those of today.\n" in text
    assert "│ ctrl+r measures again.\n" in text


def test_where_there_are_no_answers_the_chunks_have_their_room() -> None:
    state = triage()
    assert state.detail is not None
    why = "no must-mention in the golden set, so answers cannot be judged"
    state.take_detail(replace(state.detail, oracle=None, live=None, no_live=why))
    lines = [line[27:] for line in shown(draw(state, 80, 23)).splitlines()]
    assert lines[-3].startswith("─ Answers ──")
    assert lines[-2:] == [" no must-mention in the golden set, so answers", " cannot be judged"]
    assert any(line.startswith("    5 account/close#1") for line in lines)


def test_several_items_show_their_ranks_and_the_lost_ones_ladder() -> None:
    state = triage()
    assert state.detail is not None
    need = state.detail.needs[0]
    other = replace(need, doc_id="faq", rank=2, inside=True, rungs=(RungView("inside k 5, at 2", "ok"),))
    state.take_detail(replace(state.detail, needs=(other, need)))
    text = shown(draw(state, 120, 35))
    assert "needs    ✓ 2  faq › Time limits" in text
    assert "         ✗ 7  policy-refunds › Time limits" in text
    assert "✗ inside k 5" in text


def test_before_anything_is_read_there_are_titles_and_empty_panes() -> None:
    text = shown(draw(TriageState(), 80, 23))
    assert text.startswith(" Triage\n━ Questions  reading ━━━━━┬──")
    assert "├─ Ranked chunks ─" in text
    assert "─ Causes ─" in text


def test_empty_filtered_and_notice() -> None:
    state = TriageState()
    state.take_overview(overview(questions=()))
    assert "No questions yet. a adds" in shown(draw(state, 80, 23))
    assert "─ Causes ────" in shown(draw(state, 80, 23))
    passing = tuple(row for row in rows() if row.state == "passes")
    state.take_overview(overview(questions=passing))
    assert "─ Causes  nothing fails ──" in shown(draw(state, 80, 23))
    waiting = tuple(replace(row, state="waiting") for row in passing[:2])
    state.take_overview(overview(questions=(*waiting, *passing[2:])))
    assert "─ Causes  2 waiting ─" in shown(draw(state, 80, 23))
    state.take_overview(overview(questions=waiting))
    text = shown(draw(state, 80, 23))
    assert "━ Questions  2 waiting ━" in text
    assert "failing" not in text.split("┬")[0]
    assert "nothing fails" not in text
    state = triage()
    view = replace(overview(), notice="golden set changed since this run")
    state.listing.text = "refund zebra"
    state.take_overview(view)
    text = shown(draw(state, 80, 23))
    assert "Nothing matches" in text
    assert " ! golden set changed since this run   ctrl+r measures again\n" in text
    state.listing.text = "terminal"
    state.take_overview(view)
    title = shown(draw(state, 80, 23)).splitlines()[2]
    assert title.startswith("━ 5 of 60  /terminal ━━━━━┬─ q017"), title
    state.busy = Busy("measuring")  # what the key does is going on already
    assert " ! golden set changed since this run\n" in shown(draw(state, 80, 23))
    state.take_overview(replace(view, notice="this run has chunking.size=200, not 60; documents changed since"))
    assert " ! this run has chunking.size=200, not 60; documents changed since\n" in shown(draw(state, 80, 23))
    state.busy = None
    assert " ! this run has chunking.size=200, not 60; documents c…   ctrl+r measures again\n" in shown(draw(state, 80, 23))


def test_a_running_job_is_in_the_header() -> None:
    state = triage()
    state.busy = Busy("embedding", 31, 100, 40.0)
    assert "embedding 31 %, 40 s left   c cancels" in shown(draw(state, 80, 23))
    assert "embedding 31 %" in shown(draw(state, 44, 23))


def test_the_filter_is_typed_in_the_title_row() -> None:
    field = Editor("refund").draw(20, caret=True)[0]
    assert shown(draw(triage(), 80, 23, field=field)).splitlines()[1].startswith("━ /refund ")


def test_other_views() -> None:
    state = triage()
    state.active, state.views = "chunks", {"text"}
    assert "├━ policy-refunds#3  rank 7 ━" in shown(draw(state, 80, 23))
    state.active, state.views = "list", {"advice"}
    assert "1 For 2 questions the" in shown(draw(state, 80, 23))
    state.views = {"diff"}
    roles = {seg.text.strip(): seg.role for line in draw(state, 120, 35).lines for seg in line}
    assert "Answers  what differs" in shown(draw(state, 120, 35))
    assert roles["warehouse"] == "strong"


@pytest.mark.parametrize(("value", "said"), [(0.82, ".82"), (1.0, "1.00"), (-0.031, "-.03"), (None, "–"), (0.0, ".00")])
def test_numbers(value: float | None, said: str) -> None:
    assert number(value) == said


def test_help_lists_the_panes_keys_first() -> None:
    keymap = Keymap({"Triage", "Help", "Palette"})
    drawing, _ = draw_help(keymap, "Triage", "Questions", 120, 35)
    text = shown(drawing)
    assert text.startswith(" Help  Triage, Questions")
    assert "━ Questions  the pane you came from ━" in text
    assert " 1-7 " in text
    assert "├─ Marks ─" in text
    assert "labelled by a person, suggested by the ladder" in text
    assert "judged relevant to the question, judged not" in text
    small, top = draw_help(keymap, "Triage", "Questions", 60, 20, top=10_000)
    assert 0 < top < 100
    assert "where the cursor and the focus are" in shown(small)
    filtered, _ = draw_help(keymap, "Triage", "Questions", 80, 23, find="undo")
    assert "u U" in shown(filtered)
    assert "L C A" not in shown(filtered)


def test_the_palette_finds_by_words_and_by_key() -> None:
    offers = [
        Offer("undo", "u", "Undo the last change."),
        Offer("unfold", "+", "Show every rank."),
        Offer("copy", "y", "Copy."),
    ]
    assert [offer.id for offer in found(offers, "un")] == ["undo", "unfold"]
    assert [offer.id for offer in found(offers, "last undo")] == ["undo"]
    assert next(offer.id for offer in found(offers, "y")) == "copy"
    assert found(offers, "zebra") == []
    assert "▸+" in shown(draw_palette(offers, 3, 1, Window(), (), 60, 20))
    assert "No action has that name." in shown(draw_palette([], 3, 0, Window(), (), 60, 20))


def test_a_long_list_scrolls_with_its_cursor() -> None:
    many = tuple(QuestionRow(f"q{index:04d}", f"text {index}", "fails", 1) for index in range(5000))
    state = TriageState()
    state.take_overview(overview(questions=many))
    state.listing.go(4000)
    assert "▸✗ 1? text 4000" in shown(draw(state, 80, 23))
