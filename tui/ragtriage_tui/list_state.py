"""What every screen with a list at the left and a detail at the right keeps: pure view state, without Textual."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from ragtriage_tui.geometry import Geometry
from ragtriage_tui.listing import Listing
from ragtriage_tui.telling import Busy

__all__ = ["ListState", "next_of"]


@dataclass
class ListState:
    """The list, the pane one is in, and how far panes are scrolled. A subclass narrows `listing` and adds its detail, which
    may lag behind the cursor while it is fetched."""

    listing: Listing[Any] = field(default_factory=Listing)
    active: str = "list"
    zoomed: bool = False
    scroll: dict[str, int] = field(default_factory=dict)
    busy: Busy | None = None

    # what a screen's state gives

    @property
    def notice(self) -> str:
        """What stands in a row of its own under the header, empty: nothing."""
        return ""

    def panes(self, geo: Geometry) -> Sequence[str]:
        """The panes that Tab goes through at this size, the list first."""
        raise NotImplementedError

    def take_detail(self, detail: Any) -> None:
        """What belongs to the row under the cursor, None: nothing does."""
        raise NotImplementedError

    def refilter(self) -> None:
        """Another filter is in `listing.text`: show the rows that it lets through."""

    def step_part(self, step: int) -> str:
        """To the part of the detail after (1) or before (-1): chunk, citation, candidate. What to say, or empty."""
        return ""

    def text_under_cursor(self) -> str:
        """What `y` copies."""
        return ""

    def as_text(self) -> str:
        """All of the detail, for the pager."""
        return ""

    # moving

    def filter_by(self, text: str) -> None:
        """Show the rows that a filter lets through."""
        self.listing.text = text
        self.refilter()

    def next_pane(self, geo: Geometry, step: int) -> None:
        panes = self.panes(geo)
        at = panes.index(self.active) if self.active in panes else 0
        self.active = panes[(at + step) % len(panes)]

    @property
    def scroll_key(self) -> str:
        """Under which name the active pane is scrolled."""
        return self.active

    def move(self, step: int) -> bool:
        """Move in the active pane; whether another row is under the cursor now."""
        if self.active == "list":
            return self.listing.move(step)
        self.scroll_by(step)
        return False

    def scroll_by(self, step: int) -> None:
        """Scroll the active pane; how far it can go the drawing knows, by `scrolled`."""
        self.scroll[self.scroll_key] = max(self.scroll.get(self.scroll_key, 0) + step, 0)

    def scrolled(self, key: str, total: int, height: int, at: int | None = None) -> int:
        """The first of `total` rows of a pane that is in view, with the row `at` among them, and keep it there: nobody
        scrolls past the end."""
        top = self.scroll.get(key, 0)
        if at is not None:
            top = min(max(top, at - height + 1), at)
        self.scroll[key] = top = max(min(top, total - height), 0)
        return top

    def close_innermost(self) -> bool:
        """Back from what was opened last; False where nothing is open."""
        was, self.zoomed = self.zoomed, False
        return was


def next_of(numbers: Sequence[int], here: int, step: int) -> int:
    """The number after (1) or before (-1) `here`, from the other end after the last; from none: the first, or the last."""
    at = numbers.index(here) if here in numbers else -1 if step > 0 else 0
    return numbers[(at + step) % len(numbers)]
