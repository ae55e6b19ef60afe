"""What What if shows and where one is in it: pure view state, without Textual and without the engine."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from ragtriage_tui.geometry import Geometry
from ragtriage_tui.list_state import ListState
from ragtriage_tui.listing import Listing
from ragtriage_tui.sweep_views import LeverRow, LeverView

__all__ = ["WhatIfState"]


@dataclass
class Levers(Listing[LeverRow]):
    """The levers, those that find it first. As long as nobody went anywhere the cursor is on the first."""

    def id_of(self, row: LeverRow) -> str:
        return row.id

    def step(self, step: int) -> str:
        return ""


@dataclass
class WhatIfState(ListState):
    """`qid` is the question that is asked about, empty: all that is lost. `moved`: somebody went to a row; until then the
    cursor stays on the first, whatever comes to stand there."""

    listing: Levers = field(default_factory=Levers)
    qid: str = ""
    view: LeverView | None = None
    failed: str = ""
    moved: bool = False

    def take_view(self, view: LeverView) -> None:
        """More of the levers; the cursor stays on its row, and while they are tried again those stay that were there."""
        if view.todo and self.view is not None and len(view.rows) < len(self.view.rows):
            new = {row.id: row for row in view.rows}
            view = replace(view, rows=tuple(new.get(row.id, row) for row in self.view.rows))
        self.view = view
        if not self.moved:
            self.listing.wanted = view.rows[0].id if view.rows else ""
        self.listing.rows = list(view.rows)
        self.listing.show(self.listing.rows)

    def take_detail(self, detail: object) -> None:
        """A lever has nothing but its row."""

    def panes(self, geo: Geometry) -> tuple[str, ...]:
        return ("list",)

    def move(self, step: int) -> bool:
        self.moved = True
        return super().move(step)

    @property
    def current(self) -> LeverRow | None:
        return self.listing.current

    def text_under_cursor(self) -> str:
        return self.current.id if self.current else ""

    def as_text(self) -> str:
        """All levers, and what follows."""
        view = self.view
        if view is None:
            return ""
        out = [f"{view.asked.qid}  {view.asked.text}", f"today: {view.asked.ranks}, k = {view.k}", ""] if view.asked else []
        size = max((len(row.id) for row in view.rows), default=0)
        for row in view.rows:
            figures = "" if row.mends is None else f"  mends {row.mends}, breaks {row.breaks}"
            out.append(f"{'▸' if row.best else ' '} {row.id.ljust(size)}  {row.rank or '–'}  {row.cost}{figures}")
        return "\n".join([*out, "", *view.advice]) + "\n"
