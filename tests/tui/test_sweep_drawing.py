"""Sweep and What if as text, at the sizes of the drawings and below."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.tui.demo_sweep import Levers, detail, rows, view

from ragtriage_tui.drawing.chart import Series, drawn
from ragtriage_tui.drawing.sweep import draw_sweep, round_ticks
from ragtriage_tui.drawing.what_if import draw_what_if
from ragtriage_tui.rows import Drawing, Line, length
from ragtriage_tui.sweep_state import SweepState
from ragtriage_tui.sweep_views import FlipLine, SweepDetail, SweepView
from ragtriage_tui.telling import Busy
from ragtriage_tui.what_if_state import WhatIfState

SIZES = [(120, 36), (100, 30), (80, 24), (60, 15), (50, 20), (40, 10), (200, 50)]


def state(made: SweepView | None = None, found: SweepDetail | None = None) -> SweepState:
    out = SweepState()
    out.take_view(made or view())
    out.take_detail(found or detail("t1", "t0"))
    return out


def text(drawing: Drawing) -> str:
    return "\n".join("".join(part for part, _ in line).rstrip() for line in drawing.lines)


def draw(made: SweepState, cells: int = 80, height: int = 24) -> str:
    return text(draw_sweep(made, cells, height - 1))


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("active", ["list", "chart", "flips"])
@pytest.mark.parametrize("kind", ["plain", "zoomed", "failing", "charted", "empty", "nothing", "notice"])
def test_every_row_fits_and_none_is_missing(size: tuple[int, int], active: str, kind: str) -> None:
    cells, height = size
    made = state()
    made.active = active  # type: ignore[assignment]
    made.zoomed, made.failing, made.charted = kind == "zoomed", kind == "failing", kind == "charted"
    if kind == "empty":
        made = state(view(0, rows=(), columns=(), n=0))
    if kind == "nothing":
        made = SweepState()
    if kind == "notice":
        made.take_view(view(notice="documents and questions changed since this sweep; ctrl+r measures again"))
    drawing = draw_sweep(made, cells, height - 1)
    assert len(drawing.lines) == height - 1
    assert all(length(line) <= cells for line in drawing.lines)


def test_at_80_columns_it_is_the_drawing() -> None:
    lines = draw(state()).splitlines()
    assert lines[0].startswith(" Sweep  fernway-help  hybrid k=5")
    assert lines[0].endswith("dev n 52   best by recall in 2,000 tokens")
    assert lines[1].startswith("━ Configurations  compared with ■ ━━━")
    assert lines[1].endswith(" 1/12")
    assert lines[2] == "   configuration                       recall@5▾ change  flips hit@5  @2k p50 ms"
    assert lines[3] == "▸* small_to_big(child=128,parent=512)       .88    +.06  +4 −1   .92  .81   19.0"
    assert lines[8] == " ■ recursive(size=128,overlap=0)            .82                  .88  .74   14.0"
    assert lines[9].startswith(" < semantic(percentile=90,size=256)")
    assert lines[14].startswith("─ Flips  ▸ against ■: 5 won, 2 lost ─")
    assert lines[15] == " recall@5 +.06, 95 % −.02 to +.14, p .45 after Holm"
    assert lines[16] == " ! cannot tell yet: needs about 120 questions more"
    assert lines[17] == " ✓ q009    8 → 2   webhook fires twice for one refund, which one counts"
    assert lines[19].startswith(" ✓ q021    – → 4 ")


def test_at_120_columns_chart_and_flips_stand_side_by_side() -> None:
    drawing = draw_sweep(state(), 120, 35)
    lines = text(drawing).splitlines()
    assert drawing.cuts == (59,)
    assert "@1k  @2k  @4k chunks build s p50 ms" in lines[2]
    assert lines[3].endswith(" best")
    at = next(number for number, line in enumerate(lines) if "Evidence recall" in line)
    assert lines[at].startswith("─ Evidence recall  by tokens of context ─")
    assert "1 of 2 charts ┬─ Flips  ▸ against ■: 5 won, 2 lost ─" in lines[at]
    assert "│▸ small_to_big(child=128,parent=512)" in lines[at + 1]
    assert "│■ recursive(size=128,overlap=0)  in use" in lines[at + 2]
    below = [line[:59] for line in lines[at + 1 :]]
    assert sum("▸" in line for line in below) == 3
    assert sum("■" in line for line in below) == 3
    assert "1k" in below[-1]
    assert "4k" in below[-1]
    assert any("·" in line for line in below)


def test_the_sort_column_is_bold_and_what_never_wins_is_marked() -> None:
    made = state()
    made.listing.go_to("t10")
    drawing = draw_sweep(made, 120, 35)
    heads = dict(reversed([(part.strip(), role) for part, role in drawing.lines[2]]))
    assert heads["recall@5▾"] == "strong"
    assert heads["mrr"] == "dim"
    assert "▸! recursive(size=512,overlap=32)" in text(drawing)
    assert "never wins" in text(drawing)
    made.take_detail(detail("t10", "t0"))
    assert "! 11% of its tokens are beyond the encoder's window: never" in draw(made, 120, 36)
    made.listing.go_to("t6")
    made.take_detail(detail("t6", "t0"))
    assert "< no better than small_to_big(child=128,parent=512)" in draw(made, 120, 36)


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"p": 0.03}, "✓ more than chance among 11 rows"),
        ({"more": 0}, "! cannot tell yet: among 11 rows one such may be luck"),
        ({"more": None}, "! as much is won as lost"),
        ({"low": None, "high": None, "change": 0.0}, "! no change was seen"),
        ({"change": None, "low": None}, "! nothing was measured on both sides"),
        ({"budget": 2000, "at_k": 0.3}, "recall in 2,000 tokens +.06, 95 % −.02 to +.14, p .45 after Holm"),
        ({"budget": 2000, "at_k": 0.3}, "   recall@5 +.30, but equal k favours larger passages"),
        ({"budget": 2000, "at_k": 0.3}, "▸ against ■: 5 won, 2 lost at k"),
        ({"holdout": ("The win holds on the holdout: 2 won, 0 lost of 16.", True)}, "✓ The win holds on the holdout"),
        ({"holdout": ("The win does not hold on the holdout: 0 won.", False)}, "! The win does not hold"),
    ],
)
def test_what_a_change_is_worth_stands_before_the_flips(more: dict[str, object], said: str) -> None:
    lines = draw(state(found=detail("t1", "t0", **more))).splitlines()
    at = next(number for number, line in enumerate(lines) if said in line)
    assert at < next(number for number, line in enumerate(lines) if "q009" in line)


LONG = (
    "The holdout points the same way, but that may be chance: 1 won, 0 lost of 16, recall@k +0.021 (95 % +0.000 to +0.062). "
    "This winner had been looked at there before. Sweeps have looked at 2 winners there: each look makes it more a part of the "
    "choice."
)


@pytest.mark.parametrize("size", [(80, 24), (120, 36)])
def test_what_the_holdout_says_is_never_cut(size: tuple[int, int]) -> None:
    found = detail("t1", "t0", holdout=(LONG, False))
    made = state(found=found)
    shown = draw(made, *size)
    right = " ".join(" ".join(line[60:] if size[0] == 120 else line for line in shown.splitlines()).split())
    assert LONG in right
    made.active = "flips"
    made.line = len(found.flips) - 1
    assert "q019" in draw(made, *size)
    made.line = 0
    assert "q009" in draw(made, *size)


def test_a_question_that_flips_by_k_says_so() -> None:
    flips = (FlipLine("q024", "by k", 5, 5, False), FlipLine("q025", "by its rank", 4, 9, False))
    made = state(
        found=detail("t1", "t0", k=3, base_k=5, flips=flips, sent=(260.4, 431.0), budget=500, at_k=-0.1, resized=False)
    )
    lines = draw(made).splitlines()
    assert any(line.startswith(" ✗ q024    5 → 5, k 3    by k") for line in lines)
    assert any(line.startswith(" ✗ q025    4 → 9        ") for line in lines)
    assert any("0 won, 2 lost at k 5 → 3" in line for line in lines)
    assert "   sends 260 tokens a question, ■ 431" in lines
    assert "   recall@k −.10" in lines


def test_a_budget_that_a_pool_does_not_fill_has_a_sign_where_it_is_in_view() -> None:
    key = "recall@2000_tokens"
    made = view(columns=tuple(one._replace(form="budget") if one.key == key else one for one in view().columns))
    made = replace(made, rows=tuple(replace(row, short=frozenset({key})) if row.id == "t1" else row for row in made.rows))
    assert " .81? " in draw(state(made))
    assert "? its pool does not fill that budget: a larger one might find more" in draw(state(made))
    assert "does not fill" not in draw(state(made), 60, 24)
    assert "does not fill" not in draw(state())


def test_the_marked_row_is_compared_with_nothing() -> None:
    made = state()
    made.listing.go_to("t0")
    made.take_detail(detail("t0", "t0"))
    assert "─ Flips  ▸ is ■ ─" in draw(made)
    assert "Every other row is compared with this one." in draw(made)


def test_what_was_found_for_another_row_is_not_shown() -> None:
    made = state()
    made.listing.go_to("t5")
    assert "q009" not in draw(made)
    made.take_detail(detail("t5", "t3"))
    assert "q009" not in draw(made)


def test_failures_stand_in_the_place_of_flips() -> None:
    made = state()
    made.show_failures()
    drawn_text = draw(made)
    assert "━ Failures  ▸ fails 3 of 52 ━" in drawn_text
    assert "▸✗ q003     –  how long till the money" in drawn_text
    assert " ! q060 " in drawn_text


def test_while_it_is_measured_the_header_says_how_far_and_the_last_row_runs() -> None:
    made = state(view(6, running="small_to_big(child=256,parent=512)"))
    made.measuring = True
    made.busy = Busy("19 of 27 done, about 2 min left")
    lines = draw(made).splitlines()
    assert lines[0].endswith("19 of 27 done, about 2 min left   c cancels")
    assert any(line == "   small_to_big(child=256,parent=512)  … running" for line in lines)
    made.measuring = False
    assert "running" not in draw(made)


def test_without_rows_one_sentence_says_what_helps() -> None:
    nothing = view(0, rows=(), columns=(), n=0)
    assert "No sweep yet. ctrl+r measures the 27 configurations of [sweep]." in draw(state(nothing))
    assert "No sweep yet. Name values under [sweep] in ragtriage.toml" in draw(state(replace(nothing, again="")))
    made = SweepState(failed="the grid: nope")
    assert "the grid: nope" in draw(made)
    assert "━ Configurations  reading ━" in draw(SweepState())


def test_a_filter_stands_in_the_title() -> None:
    made = state()
    made.filter_by("fixed")
    assert "━ Configurations  3 of 12  /fixed ━" in draw(made)
    made.filter_by("nothing like that")
    assert "Nothing matches /nothing like that. esc clears." in draw(made)


def test_hostile_names_and_questions_stay_in_their_place() -> None:
    ours = rows(2)
    name = "recursive(size=1) model=[/x]\u202e[red]" + "w" * 300
    made = state(view(rows=(ours[0], replace(ours[1], name=name, dominated=name, notes=(name,)))))
    for cells, height in SIZES:
        drawing = draw_sweep(made, cells, height - 1)
        assert all(length(line) <= cells for line in drawing.lines)
    assert "[/x]" in draw(made)


def plain(lines: tuple[Line, ...]) -> list[str]:
    return ["".join(part for part, _ in line) for line in lines]


def test_a_chart_has_its_axis_its_marks_and_no_control_codes() -> None:
    points = ((1000.0, 0.66), (2000.0, 0.81), (4000.0, 0.86))
    lines = plain(drawn((Series(points, "▸", "mark"),), ((1000.0, "1k"), (4000.0, "4k")), 40, 10))
    assert len(lines) == 10
    assert not any("\x1b" in line or "\ue000" in line for line in lines)
    assert all(len(line) <= 40 for line in lines)
    assert lines[0].startswith(".90┤")
    assert sum("▸" in line for line in lines) == 3
    assert {role for line in drawn((Series(points, "▸", "mark"),), ((1000.0, "1k"),), 40, 10) for _, role in line} == {
        "mark", "dim",
    }  # fmt: skip


@pytest.mark.parametrize("points", [((1.0, 0.5),), ((1.0, 0.0), (1.0, 1.0)), ((0.0, 1.0), (5.0, 1.0))])
def test_few_points_are_a_chart_as_well(points: tuple[tuple[float, float], ...]) -> None:
    assert any("▸" in line for line in plain(drawn((Series(points, "▸", "mark"),), ((1.0, "1"),), 30, 8)))


@pytest.mark.parametrize(("value", "ends"), [(1.0, ["1.00", ".99"]), (0.0, [".01", ".00"]), (0.5, [".51", ".50"])])
def test_where_all_is_alike_no_share_is_above_one(value: float, ends: list[str]) -> None:
    points = ((1000.0, value), (2000.0, value))
    lines = plain(drawn((Series(points, "▸", "mark"),), ((1000.0, "1k"),), 40, 10))
    assert [line.split("┤")[0].strip() for line in lines if "┤" in line] == ends


@pytest.mark.parametrize(
    ("low", "high", "written"),
    [
        (12.0, 19.0, ["12", "14", "16", "18"]),
        (0.11, 0.62, ["0.2", "0.4", "0.6"]),
        (9.5, 1203.0, ["500", "1,000"]),
        (3.0, 3.0, ["3.0"]),
        (0.0, 1.0, ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]),
    ],
)
def test_milliseconds_are_marked_at_round_numbers(low: float, high: float, written: list[str]) -> None:
    found = round_ticks(low, high)
    assert [text for _, text in found] == written
    assert all(low - 1e-6 <= at <= high + 1e-6 for at, _ in found)


@given(st.floats(0, 1e6), st.floats(0, 1e6))
def test_any_times_can_be_marked(one: float, other: float) -> None:
    assert 1 <= len(round_ticks(min(one, other), max(one, other))) <= 7


def test_names_that_are_cut_stay_apart() -> None:
    made = view()
    long = tuple(
        replace(row, name=f"small_to_big(size={100 + at},overlap=16,child_size=25) hybrid zscore rerank=lexical")
        for at, row in enumerate(made.rows)
    )
    lines = draw(state(replace(made, rows=long))).splitlines()
    shown = [line[3:40].split("  ")[0] for line in lines[3 : 3 + 8]]
    assert len(set(shown)) == len(shown)
    assert all(f"size={size}" in " ".join(lines) for size in (101, 102))


def test_many_flips_are_whole() -> None:
    made = view()
    many = {name: one._replace(won=10, lost=19) for name, one in made.against.items()}
    assert "+10−19" in draw(state(replace(made, against=many)))


def test_an_interval_is_whole_where_there_is_no_room_for_its_correction() -> None:
    made = state(found=detail("t1", "t0", budget=2000, at_k=0.3))
    assert "p .45 after Holm" in draw(made, 80, 24)
    assert "p .45 after" not in (wide := draw(made, 120, 36))
    assert "recall in 2,000 tokens +.06, 95 % −.02 to +.14, p .45\n" in wide


def test_where_there_is_no_room_or_no_point_there_is_no_chart() -> None:
    assert drawn((Series((), "▸", "mark"),), (), 40, 10) == ()
    assert drawn((Series(((1.0, 0.5),), "▸", "mark"),), (), 10, 3) == ()


def test_the_second_chart_has_all_rows_by_what_a_search_takes() -> None:
    made = state()
    made.chart = 1
    drawn_text = draw(made, 120, 36)
    assert "Evidence recall  by milliseconds of a search" in drawn_text
    ticks = drawn_text.splitlines()[-1].split("│")[0]
    assert ticks.split() == ["12", "14", "16", "18"]
    made.take_view(view(rows=tuple(replace(row, values={**row.values, "query_ms": None}) for row in rows())))
    assert "Nothing to draw here." in draw(made, 120, 36)


# What if


def levers(count: int = 6, qid: str = "q017") -> WhatIfState:
    out = WhatIfState(qid=qid)
    out.take_view(Levers()._view(qid, count))
    return out


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("made", [levers(), levers(0), levers(qid=""), WhatIfState(), WhatIfState(failed="no question " * 9)])
def test_every_row_of_what_if_fits(size: tuple[int, int], made: WhatIfState) -> None:
    cells, height = size
    drawing = draw_what_if(made, cells, height - 1)
    assert len(drawing.lines) == height - 1
    assert all(length(line) <= cells for line in drawing.lines)


def test_the_cheapest_lever_that_works_stands_first_and_bold() -> None:
    drawing = draw_what_if(levers(), 80, 23)
    lines = text(drawing).splitlines()
    assert lines[0].endswith("12 of 60 lost")
    assert lines[1].startswith("─ q017  evidence at 7, k = 5 ─")
    assert lines[3].startswith("━ Levers  5 tried, 1 need texts embedded ━")
    assert lines[4].split() == ["lever", "rank", "cost", "mends", "breaks"]
    assert lines[5].startswith("▸* dense ")
    assert lines[5].split()[1:] == ["dense", "4", "none", "5", "3"]
    assert lines[6].startswith(" ✓ rerank lexical")
    assert " ! model broken/model" in text(drawing)
    assert "embed 381 texts, about 24 s" in text(drawing)
    at = next(number for number, line in enumerate(lines) if line.startswith("─ Advice ─"))
    assert at == 11
    assert lines[at + 1].startswith(" Dense brings it inside k, the cheapest of 2 levers that do.")


def test_without_a_question_there_is_no_rank() -> None:
    lines = text(draw_what_if(levers(qid=""), 80, 23)).splitlines()
    assert "rank" not in lines[2].split()
    assert lines[2].split() == ["lever", "cost", "mends", "breaks"]


def test_a_question_that_passes_needs_no_lever() -> None:
    made = levers()
    assert made.view is not None
    assert made.view.asked is not None
    made.take_view(replace(made.view, asked=made.view.asked._replace(lost=False)))
    assert "✓ Its evidence is inside k: nothing has to be found." in text(draw_what_if(made, 80, 23))


def test_levers_that_are_still_tried_are_counted() -> None:
    assert "Levers  4 still to be tried" in text(draw_what_if(levers(2), 80, 23))
