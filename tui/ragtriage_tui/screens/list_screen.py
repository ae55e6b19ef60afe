"""Base of the screens with a list at the left and what is under its cursor at the right.

A new one gives, besides what `base` says of every screen:

1. Its rows as a `listing.Listing` (`id_of`, `step`, and an `update` that ends in `show`) and its state as a
   `list_state.ListState` (`panes`, `take_detail`, `refilter`, and what it has of `notice`, `step_part`, `text_under_cursor`,
   `as_text`).
2. A class with `WHERE`, `PANES` (what the help calls each pane), `state: ItsState`, and `super().__init__(ItsState())`.
3. `drawing(width, height, field)`, put together by `drawing.lists`; `footer_state`, where `super().footer_state()` is first.
4. `JOB` and `finder`: how the detail of a row is read, in a worker. `fetch()` after anything that may have moved the cursor,
   `fetch(again=True)` or `fetch_now()` where the row itself has changed.
5. `open_row()`, and `do_` methods of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, ClassVar

from ragtriage_tui.editor import Editor
from ragtriage_tui.external import page_text
from ragtriage_tui.geometry import Geometry, geometry, too_small
from ragtriage_tui.list_state import ListState
from ragtriage_tui.rows import BLANK, Drawing, Line
from ragtriage_tui.screens.base import FrameScreen
from ragtriage_tui.screens.held_key import HeldKey
from ragtriage_tui.screens.outside import outside

__all__ = ["ListScreen"]

_END = 10**9  # rows: further than any list goes


class ListScreen(FrameScreen):
    """Moving, panes, filter, and fetching the detail; the cursor is the state's."""

    PANES: ClassVar[Mapping[str, str]] = {}
    JOB = ""

    def __init__(self, state: ListState) -> None:
        super().__init__()
        self.state = state
        self._filter: Editor | None = None
        self._held = HeldKey(self, self.fetch_now)
        self._fetched = ""

    # what a screen gives

    def drawing(self, width: int, height: int, field: Line) -> Drawing:
        """Header and body; `field` is the filter while it is typed, else blank."""
        raise NotImplementedError

    @property
    def finder(self) -> Callable[[str], Any]:
        """Reads the detail of a row by its id, in a worker, where no screen can be asked for anything."""
        raise NotImplementedError

    def open_row(self) -> None:
        """Enter, on a row or in a pane of its detail."""

    def move(self, step: int) -> bool:
        """Move in the active pane; whether another row is under the cursor now."""
        return self.state.move(step)

    def page_rows(self) -> int:
        """How far PgDn goes."""
        return max(self.extent[1] // 2, 1)

    def row_at(self, line: int) -> int | None:
        """Which of the rows in the list is drawn in a line of it; None for a heading."""
        return line

    # the frame

    @property
    def geo(self) -> Geometry:
        return geometry(*self.extent)

    def draw(self, width: int, height: int) -> Drawing:
        self.state.busy = self.owner.busy
        field = BLANK
        if self._filter is not None:
            cells = (width if self.geo.single or self.state.zoomed else self.geo.left) - 3
            field = self._filter.draw(cells, caret=self.field is self._filter)[0]
        return self.drawing(width, height, field)

    def footer_state(self) -> str:
        return "typing" if self._filter is not None else ""

    def pane_name(self) -> str:
        return self.PANES[self.state.active]

    # the detail

    def fetch(self, *, again: bool = False) -> None:
        """Bring the detail to the row under the cursor, at once or when the key is let go; `again`: even if it is there."""
        if again:
            self._fetched = ""
        here = self.state.listing.here
        if not here:
            self.fetch_now()
        elif here != self._fetched:
            self._held.pressed()

    def fetch_now(self) -> None:
        """Bring the detail to the row under the cursor, whether it is there or not."""
        self._fetched = self.state.listing.here
        self.ask_for()

    def ask_for(self) -> None:
        """Start the job that brings the detail of the row under the cursor; where there is no row, show none."""
        row_id = self.state.listing.here
        if not row_id:
            self.state.take_detail(None)
            return
        find = self.finder
        self.jobs.start(self.JOB, lambda progress: find(row_id), partial(self._found, row_id))

    def _found(self, row_id: str, detail: Any) -> None:
        if self.is_at(row_id):
            self.state.take_detail(detail)
            self.detail_came()
            self.paint()

    def detail_came(self) -> None:
        """The detail of the row under the cursor is in the state."""

    def is_at(self, row_id: str) -> bool:
        """Whether the cursor is still on a row that something was fetched for."""
        return bool(row_id) and self.state.listing.here == row_id

    # moving

    def step(self, step: int) -> None:
        """By rows in the active pane."""
        if self.move(step):
            self.fetch()

    def do_move_down(self) -> None:
        self.step(1)

    def do_move_up(self) -> None:
        self.step(-1)

    def do_page_down(self) -> None:
        self.step(self.page_rows())

    def do_page_up(self) -> None:
        self.step(-self.page_rows())

    def do_first(self) -> None:
        self.step(-_END)

    def do_last(self) -> None:
        self.step(_END)

    def do_next(self) -> None:
        self._to_do(1)

    def do_previous(self) -> None:
        self._to_do(-1)

    def _to_do(self, step: int) -> None:
        said = self.state.listing.step(step)
        self.fetch()
        if said:
            self.say(said, "plain")

    def do_next_part(self) -> None:
        self.step_part(1)

    def do_previous_part(self) -> None:
        self.step_part(-1)

    def step_part(self, step: int) -> None:
        """To another part of the detail."""
        if said := self.state.step_part(step):
            self.say(said, "plain")

    def do_next_pane(self) -> None:
        self.state.next_pane(self.geo, 1)

    def do_previous_pane(self) -> None:
        self.state.next_pane(self.geo, -1)

    def do_zoom(self) -> None:
        self.state.zoomed = not self.state.zoomed

    def picked(self, x: int, y: int, *, twice: bool) -> None:
        if (self.geo.single or x <= self.geo.left) and not self.state.zoomed:
            self.state.active = "list"
            top = 3 if self.state.notice else 2
            at = self.row_at(self.state.listing.window.top + y - top)
            if at is not None and 0 <= at < len(self.state.listing.visible) and self.state.listing.go(at):
                self.fetch()
        self.paint()

    # filter, and out

    def do_filter(self) -> None:
        self.state.active = "list"
        self._filter = self.field = Editor(self.state.listing.text)

    def field_changed(self) -> None:
        if self._filter is not None:
            self.filter_by(self._filter.text.strip())

    def filter_by(self, text: str) -> None:
        """Show the rows that a filter lets through."""
        self.state.filter_by(text)
        self.fetch()
        self.paint()

    def do_close(self) -> None:
        if self._filter is not None or (not self.state.close_innermost() and self.state.listing.text):
            self._filter = self.field = None
            self.filter_by("")

    def do_back(self) -> None:
        if too_small(*self.extent) or not self.state.close_innermost():
            self.owner.do_back()

    def do_open(self) -> None:
        if self._filter is not None:
            self._filter = self.field = None
        else:
            self.open_row()

    # other programs

    def do_copy(self) -> None:
        if text := self.state.text_under_cursor():
            self.owner.copy_text(text)

    def do_page(self) -> None:
        if text := self.state.as_text():
            outside(self, lambda: page_text(self.app, text))
