"""What Sweep shows and where one is in it: pure view state, without Textual and without the engine."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from ragtriage_tui.geometry import Geometry
from ragtriage_tui.list_state import ListState
from ragtriage_tui.listing import Listing
from ragtriage_tui.sweep_cells import cell, sort_key, value_of
from ragtriage_tui.sweep_views import Against, FailLine, FlipLine, SweepColumn, SweepDetail, SweepRow, SweepView

__all__ = ["CHARTS", "WIDE", "SweepPane", "SweepState"]

SweepPane = Literal["list", "chart", "flips"]
WIDE = 100
"""From so many columns on there is room for chart and flips side by side."""
CHARTS = 2


@dataclass
class Configurations(Listing[SweepRow]):
    """The rows in the order of the column that they are sorted by."""

    def id_of(self, row: SweepRow) -> str:
        return row.id

    def step(self, step: int) -> str:
        return ""

    def show(self, rows: Iterable[SweepRow]) -> None:
        """See Listing; a row that a filter hides is gone back to with the filter."""
        wanted = self.wanted
        super().show(rows)
        if self.row_of(wanted) is not None:
            self.wanted = wanted


@dataclass
class SweepState(ListState):
    """Everything that the drawing of Sweep depends on. `base` is the row that all are compared with; `against` what came of
    that; `detail` may lag behind the cursor while it is fetched. `failing`: the failures of the row stand in the place of its
    flips; `charted`: the chart stands there, where there is room for one of both. `measuring`: a sweep runs."""

    listing: Configurations = field(default_factory=Configurations)
    active: SweepPane = "list"
    view: SweepView | None = None
    detail: SweepDetail | None = None
    sort: str = "recall@k"
    base: str = ""
    against: Mapping[str, Against] = field(default_factory=dict)
    chart: int = 0
    charted: bool = False
    failing: bool = False
    line: int = 0
    failed: str = ""
    measuring: bool = False

    # data

    def begin(self) -> None:
        """Come back to it: in the table, with nothing opened."""
        self.active, self.zoomed, self.failing = "list", False, False

    @property
    def notice(self) -> str:
        return self.view.notice if self.view else ""

    def take_view(self, view: SweepView) -> None:
        """A table, or more of it; cursor, filter, order and the row that is compared with stay."""
        old, self.view = self.view, view
        moved = bool(self.base) and old is not None and self.base != old.base
        if not (moved and any(row.id == self.base for row in view.rows)):
            self.base, self.against = view.base, view.against
        if not any(column.key == self.sort for column in view.columns) and view.columns:
            self.sort = "recall@k"
        self.listing.rows = list(view.rows)
        self.refilter()

    @property
    def running(self) -> str:
        """The configuration that is measured now, empty: none is, or is any more."""
        return self.view.running if self.view and self.measuring else ""

    @property
    def stale(self) -> bool:
        """Whether rows have come that were not compared with the marked one yet."""
        return any(row.id not in self.against and row.id != self.base for row in self.listing.rows)

    def take_against(self, base: str, found: Mapping[str, Against]) -> None:
        """All rows beside the marked one."""
        if base == self.base:
            self.against = found
            self.refilter()

    def refilter(self) -> None:
        words = self.listing.text.casefold().split()
        rows = [row for row in self.listing.rows if all(word in f"{row.name} {row.note}".casefold() for word in words)]
        column = self.column
        if column is not None:
            rows.sort(key=lambda row: sort_key(column, value_of(column, row, self.against.get(row.id))))
        self.listing.show(rows)

    def take_detail(self, detail: SweepDetail | None) -> None:
        same = detail is not None and self.detail is not None and detail.row_id == self.detail.row_id
        self.detail = detail
        if not same:
            self.line = 0
            self.scroll.pop("flips", None)
        self.line = max(min(self.line, len(self.lines) - 1), 0)

    # what there is

    @property
    def current(self) -> SweepRow | None:
        return self.listing.current

    @property
    def marked(self) -> SweepRow | None:
        """The row that all are compared with."""
        return self.listing.row_of(self.base)

    @property
    def column(self) -> SweepColumn | None:
        """The column that rows are sorted by."""
        return next((column for column in self.view.columns if column.key == self.sort), None) if self.view else None

    @property
    def lines(self) -> Sequence[FlipLine | FailLine]:
        """The questions under the table: those that flip, or all that the row fails."""
        if self.detail is None:
            return ()
        return self.detail.failing if self.failing else self.detail.flips

    @property
    def question(self) -> str:
        """The question under the cursor of the lower pane, empty: none."""
        return self.lines[self.line].qid if self.line < len(self.lines) else ""

    # moving

    def panes(self, geo: Geometry) -> tuple[SweepPane, ...]:
        if geo.single or geo.width >= WIDE:
            return ("list", "chart", "flips")
        return ("list", "chart" if self.charted else "flips")

    def move(self, step: int) -> bool:
        if self.active == "flips":
            self.line = max(min(self.line + step, len(self.lines) - 1), 0)
            return False
        return self.listing.move(step)

    def sort_by(self, step: int, shown: Sequence[SweepColumn]) -> str:
        """Sort by the column right (1) or left (-1) of the one rows are sorted by; what to say."""
        keys = [column.key for column in shown if column.key != "note"]
        if not keys:
            return "Nothing to sort yet"
        at = keys.index(self.sort) if self.sort in keys else 0
        self.sort = keys[(at + step) % len(keys)]
        self.refilter()
        return ""

    def compare_with(self) -> str:
        """Compare all rows with the one under the cursor, or with the one in use again; why not."""
        row = self.current
        if row is None or self.view is None:
            return "No row to compare with"
        self.base = self.view.base if row.id == self.base else row.id
        self.against = self.view.against if self.base == self.view.base else {}
        self.refilter()
        return ""

    def other_view(self, geo: Geometry) -> None:
        """The other chart; where there is room for chart or flips only, each in turn."""
        if geo.width >= WIDE and not geo.single:
            self.chart = (self.chart + 1) % CHARTS
            return
        if not self.charted:
            self.charted, self.chart = True, 0
        elif self.chart + 1 < CHARTS:
            self.chart += 1
        else:
            self.charted = False
        if self.active != "list" or geo.single:
            self.active = "chart" if self.charted else "flips"

    def show_failures(self) -> None:
        """What the row under the cursor fails, in the place of what flips."""
        self.failing, self.active, self.charted, self.line = True, "flips", False, 0

    def close_innermost(self) -> bool:
        if self.zoomed:
            self.zoomed = False
        elif self.failing:
            self.failing, self.active, self.line = False, "list", 0
        elif self.charted:
            self.charted = False
            self.active = "list" if self.active == "chart" else self.active
        elif self.active != "list":
            self.active = "list"
        else:
            return False
        return True

    # for other programs

    def text_under_cursor(self) -> str:
        if self.active == "flips" and self.line < len(self.lines):
            line = self.lines[self.line]
            return f"{line.qid} {line.text}"
        return self.current.name if self.current else ""

    def as_text(self) -> str:
        """The whole table, one line a row, and what flips under the cursor."""
        if self.view is None:
            return ""
        rows = self.listing.visible
        heads = [column.head or "note" for column in self.view.columns]
        table = [heads, *([cell(column, row, self.against.get(row.id)) for column in self.view.columns] for row in rows)]
        sizes = [max(len(line[at]) for line in table) for at in range(len(heads))]
        out = ["  ".join(text.ljust(size) for text, size in zip(line, sizes, strict=True)).rstrip() for line in table]
        out += [f"! {row.name}: {note}" for row in rows for note in row.notes]
        if self.detail is not None and self.current is not None:
            out += ["", f"{self.current.name}: {self.detail.won} won, {self.detail.lost} lost"]
            out += [f"{'✓' if flip.won else '✗'} {flip.qid}  {flip.text}" for flip in self.detail.flips]
        return "\n".join(out) + "\n"
