"""A list whose rows have ids: filter, cursor and what of it is in view; the cursor stays on its id. No Textual in here."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar

__all__ = ["Listing", "Window", "from_the_end"]

Row = TypeVar("Row")


@dataclass
class Window:
    """Which rows of a list are in view; moves no further than it must."""

    top: int = 0

    def show(self, cursor: int, total: int, height: int) -> range:
        """The rows in view when `cursor` must be among them."""
        if height <= 0:
            return range(0)
        self.top = min(max(self.top, cursor - height + 1), max(cursor, 0), max(total - height, 0))
        self.top = max(self.top, 0)
        return range(self.top, min(self.top + height, total))


@dataclass
class Listing(Generic[Row]):
    """Rows in their order, and those of them that a filter lets through.

    `wanted` is the id the user went to; `cursor` is where that is among `visible`, or the nearest to it.
    """

    rows: list[Row] = field(default_factory=list)
    visible: list[Row] = field(default_factory=list)
    text: str = ""
    wanted: str = ""
    cursor: int = 0
    window: Window = field(default_factory=Window)

    # what a list gives

    def id_of(self, row: Row) -> str:
        """What a row is known by."""
        raise NotImplementedError

    def step(self, step: int) -> str:
        """To the next (1) or previous (-1) row that is to be dealt with; wraps. What to say: empty, or why."""
        raise NotImplementedError

    # where one is

    @property
    def current(self) -> Row | None:
        return self.visible[self.cursor] if 0 <= self.cursor < len(self.visible) else None

    @property
    def here(self) -> str:
        """The id of the row under the cursor, empty where there is none."""
        row = self.current
        return "" if row is None else self.id_of(row)

    def place_of(self, row_id: str) -> int | None:
        """Where a row is among those in view."""
        return next((at for at, row in enumerate(self.visible) if self.id_of(row) == row_id), None)

    def row_of(self, row_id: str) -> Row | None:
        """A row by its id, in view or not."""
        return next((row for row in self.rows if self.id_of(row) == row_id), None)

    @property
    def position(self) -> str:
        """`3/14`, empty where nothing is in view."""
        return f"{self.cursor + 1}/{len(self.visible)}" if self.visible else ""

    # moving

    def show(self, rows: Iterable[Row]) -> None:
        """Let these be in view; the cursor stays on its row, or where that was."""
        self.visible = list(rows)
        at = self.place_of(self.wanted)
        self.cursor = max(min(self.cursor if at is None else at, len(self.visible) - 1), 0)
        if at is None and self.visible:
            self.wanted = self.here

    def stay(self) -> None:
        """The user did something on the row under the cursor: it is where they went."""
        if self.visible and self.row_of(self.wanted) is None:
            self.wanted = self.here

    def move(self, step: int) -> bool:
        """Move by rows, stopping at the ends; whether it moved."""
        return self.go(self.cursor + step)

    def go(self, at: int) -> bool:
        """Move to a row, stopping at the ends; whether it moved."""
        if not self.visible:
            return False
        at = min(max(at, 0), len(self.visible) - 1)
        moved = at != self.cursor
        self.cursor = at
        self.wanted = self.here
        return moved

    def go_to(self, row_id: str) -> bool:
        """Move to a row by its id; False where it is not in view."""
        at = self.place_of(row_id)
        if at is not None:
            self.go(at)
        return at is not None

    def step_among(self, places: Sequence[int], step: int) -> bool:
        """To the next (1) or previous (-1) of some places, of which there is one at least; False where that meant to wrap."""
        ahead = [at for at in places if (at - self.cursor) * step > 0]
        self.go((ahead or places)[0 if step > 0 else -1])
        return bool(ahead)


def from_the_end(step: int, what: str = "") -> str:
    """What is said after a step that wrapped: `From the first flip again`."""
    return " ".join(["From the", "first" if step > 0 else "last", *([what] if what else []), "again"])
