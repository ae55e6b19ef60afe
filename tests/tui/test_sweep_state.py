"""Sweep and What if as pure state: order, filter, the marked row, panes; and how cells are written."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.tui.demo_sweep import COLUMNS, LEVERS, beside, detail, rows, view

from ragtriage_tui.geometry import geometry
from ragtriage_tui.sweep_cells import cell, change_text, fitting, p_text, share_text
from ragtriage_tui.sweep_state import SweepState
from ragtriage_tui.sweep_views import Against, LeverView
from ragtriage_tui.what_if_state import WhatIfState

WIDE, NARROW, SINGLE = geometry(120, 36), geometry(80, 24), geometry(50, 14)


def state(count: int = 99) -> SweepState:
    made = SweepState()
    made.take_view(view(count))
    return made


def names(made: SweepState) -> list[str]:
    return [row.id for row in made.listing.visible]


@pytest.mark.parametrize(
    ("value", "share", "change"),
    [(None, "–", "–"), (0.0, ".00", ".00"), (0.875, ".88", "+.88"), (1.0, "1.00", "+1.00"), (-0.0204, "-.02", "−.02"),
     (-0.001, "-.00", ".00")],
)  # fmt: skip
def test_figures_have_two_decimals_and_no_zero_before_them(value: float | None, share: str, change: str) -> None:
    if value is None or value >= 0:
        assert share_text(value) == share
    assert change_text(value) == change


def test_a_small_p_is_not_rounded_to_nothing() -> None:
    assert (p_text(0.004), p_text(0.45), p_text(1.0)) == ("<.01", ".45", "1.00")


def test_rows_stand_in_the_order_of_the_sort_column_the_best_first() -> None:
    made = state()
    assert names(made)[:3] == ["t1", "t2", "t3"]
    shown = [column for column in COLUMNS if column.key in ("name", "recall@k", "query_ms", "note")]
    made.sort_by(1, shown)
    assert made.sort == "query_ms"
    assert names(made)[0] == "t10"  # 12 ms, the quickest
    assert names(made)[-1] == "t11"  # not measured
    made.sort_by(1, shown)
    assert made.sort == "name"
    assert made.listing.visible[0].name.startswith("fixed(size=128")
    made.sort_by(-1, shown)
    made.sort_by(-1, shown)
    assert made.sort == "recall@k"


def test_the_cursor_stays_on_its_row_whatever_the_order() -> None:
    made = state()
    made.listing.go_to("t4")
    made.sort_by(1, COLUMNS)
    assert made.listing.here == "t4"
    made.filter_by("size=256")
    assert made.listing.here == "t4"
    assert all("size=256" in row.name for row in made.listing.visible)
    made.filter_by("in use")
    assert names(made) == ["t0"]
    made.filter_by("nothing like it")
    assert made.current is None
    made.filter_by("")
    assert made.listing.here == "t4"


def test_space_marks_a_row_and_takes_the_mark_back_to_the_one_in_use() -> None:
    made = state()
    made.listing.go_to("t2")
    assert not made.stale
    assert made.compare_with() == ""
    assert made.base == "t2"
    assert made.stale
    made.take_against("t1", {"t0": Against(1.0, 1, 1, 1.0)})  # what was asked for before
    assert made.stale
    made.take_against("t2", beside("t2", rows()))
    assert not made.stale
    assert made.against["t0"].change == -0.04
    assert made.compare_with() == ""
    assert made.base == "t0"
    assert not made.stale
    assert SweepState().compare_with() == "No row to compare with"


def test_the_marked_row_stays_while_rows_come_and_follows_the_one_in_use_where_nobody_moved_it() -> None:
    made = state(4)
    made.listing.go_to("t2")
    made.compare_with()
    made.take_view(view(9))
    assert made.base == "t2"
    assert made.stale  # the new ones were not compared yet
    other = state()
    found = tuple(replace(row, in_use=row.id == "t3") for row in rows())
    other.take_view(replace(view(), rows=found, base="t3", against=beside("t3", found)))
    assert other.base == "t3"


def test_the_lower_pane_has_a_cursor_of_its_own() -> None:
    made = state()
    made.take_detail(detail("t1", "t0"))
    made.active = "flips"
    assert made.question == "q009"
    made.move(3)
    made.move(1)
    assert made.question == "q052"
    made.move(99)
    assert made.question == "q019"
    made.take_detail(detail("t1", "t2"))
    assert made.question == "q019"
    made.take_detail(detail("t2", "t2"))
    assert made.question == ""
    made.show_failures()
    made.move(2)
    assert made.question == "q060"
    assert made.text_under_cursor() == "q060 what could not be measured"
    assert made.close_innermost()
    assert (made.failing, made.active) == (False, "list")
    assert not made.close_innermost()


def test_panes_and_charts_at_each_width() -> None:
    made = state()
    assert made.panes(WIDE) == made.panes(SINGLE) == ("list", "chart", "flips")
    assert made.panes(NARROW) == ("list", "flips")
    made.other_view(WIDE)
    assert (made.chart, made.charted) == (1, False)
    made.other_view(WIDE)
    assert made.chart == 0
    seen = []
    for _ in range(4):
        made.other_view(NARROW)
        seen.append((made.charted, made.chart))
    assert seen == [(True, 0), (True, 1), (False, 1), (True, 0)]
    assert made.panes(NARROW) == ("list", "chart")
    assert made.close_innermost()
    assert not made.charted


def test_columns_are_left_out_by_rank_and_the_sort_column_never() -> None:
    long = [row.name for row in rows()]
    assert [column.key for column in fitting(COLUMNS, "recall@k", long, 80)[0]] == [
        "name", "recall@k", "change", "flips", "hit@k", "recall@2000_tokens", "query_ms",
    ]  # fmt: skip
    assert {column.key for column in fitting(COLUMNS, "p_holm", long, 80)[0]} >= {"name", "p_holm", "recall@k"}
    wide = [column.key for column in fitting(COLUMNS, "recall@k", long, 120)[0]]
    assert wide == [column.key for column in COLUMNS if column.key != "p_holm"]
    assert [column.key for column in fitting(COLUMNS, "chunks", long, 40)[0]] == ["name", "chunks"]


def test_a_cell_that_has_nothing_to_say_is_empty() -> None:
    row = rows()[0]
    said = {column.key: cell(column, row, None) for column in COLUMNS}
    assert said["change"] == said["flips"] == said["p_holm"] == ""
    assert (said["chunks"], said["build_s"], said["note"]) == ("612", "8.1", "in use")
    assert cell(COLUMNS[3], row, Against(0.1, 5, 2, 0.5)) == "+5 −2"


def test_the_pager_has_the_whole_table() -> None:
    made = state()
    made.take_detail(detail("t1", "t0"))
    text = made.as_text()
    assert text.splitlines()[0].startswith("configuration")
    assert len([line for line in text.splitlines() if "(size=" in line or "(child" in line]) >= 12
    assert "✓ q009  webhook fires twice" in text
    assert made.text_under_cursor() == "small_to_big(child=128,parent=512)"
    assert SweepState().as_text() == ""


def lever_view(count: int) -> LeverView:
    return LeverView("p", "hybrid k=5", rows=LEVERS[:count], todo=len(LEVERS) - count)


def test_levers_stay_under_the_cursor_only_when_somebody_went_there() -> None:
    made = WhatIfState(qid="q017")
    made.take_view(replace(lever_view(2), rows=LEVERS[1:2]))
    assert made.listing.here == "rerank lexical"
    made.take_view(lever_view(3))  # a cheaper one came and stands first
    assert made.listing.here == "dense"
    made.move(2)
    made.take_view(replace(lever_view(6), rows=tuple(reversed(LEVERS))))
    assert made.listing.here == "bm25"
    assert made.text_under_cursor() == "bm25"
    assert "mends 5, breaks 3" in made.as_text()
