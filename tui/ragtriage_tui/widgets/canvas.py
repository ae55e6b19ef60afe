"""A widget that shows lines and repaints only those that differ from what it showed before."""

from __future__ import annotations

from collections.abc import Sequence

from rich.segment import Segment
from textual import events
from textual.geometry import Region
from textual.strip import Strip
from textual.widget import Widget

from ragtriage_tui.messages import Picked, Wheel
from ragtriage_tui.rows import BLANK, Line, clip_line, length
from ragtriage_tui.styles.roles import STYLES, settle
from ragtriage_tui.text import to_ascii, width

__all__ = ["Canvas"]


class Canvas(Widget):
    """One vertical slice of a screen. Takes no focus; `show` is the only way to change it."""

    def __init__(self, *, look: str, plain: bool, encoding: str, name: str) -> None:
        super().__init__(id=name)
        self._styles_by_role = STYLES[look]
        self._ascii = plain
        self._encoding = encoding
        self._lines: list[Line] = []

    def show(self, lines: Sequence[Line]) -> None:
        """Show `lines` from the top; a row that is the same is not sent again."""
        new = [settle(line) for line in lines]
        old = self._lines
        self._lines = new
        regions = []
        for row in range(max(len(old), len(new))):
            before = old[row] if row < len(old) else BLANK
            after = new[row] if row < len(new) else BLANK
            if before != after:
                regions.append(Region(0, row, _differs_to(before, after), 1))
        if regions:
            self.refresh(*regions)

    def repaint(self) -> None:
        """Send everything again."""
        self.refresh()

    def render_line(self, y: int) -> Strip:
        line = clip_line(self._lines[y], self.size.width) if y < len(self._lines) else BLANK
        segments = [Segment(self._shown(text), self._styles_by_role[role]) for text, role in line]
        missing = self.size.width - length(line)
        if missing > 0:
            segments.append(Segment(" " * missing, self._styles_by_role["text"]))
        return Strip(segments, self.size.width)

    def _shown(self, text: str) -> str:
        return to_ascii(text, self._encoding) if self._ascii else text

    def on_click(self, event: events.Click) -> None:
        self.post_message(Picked(self.region.x + event.x, self.region.y + event.y, twice=event.chain > 1))

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        self.post_message(Wheel(self.region.x + event.x, self.region.y + event.y, 1))

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        self.post_message(Wheel(self.region.x + event.x, self.region.y + event.y, -1))


def _differs_to(before: Line, after: Line) -> int:
    """The column after the last one in which two lines differ: what is right of it need not be sent."""
    total = max(length(before), length(after), 1)
    if length(before) != length(after):
        return total
    same = 0
    for one, other in zip(reversed(before), reversed(after), strict=False):
        if one != other:
            break
        same += width(one.text)
    return max(total - same, 1)
