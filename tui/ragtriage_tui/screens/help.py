"""Help: the keys of the pane one came from, one sentence each."""

from __future__ import annotations

from ragtriage_tui.drawing.help import draw_help
from ragtriage_tui.editor import Editor
from ragtriage_tui.rows import BLANK, Drawing
from ragtriage_tui.screens.base import FrameScreen

__all__ = ["HelpScreen"]

_SECTIONS = 3


class HelpScreen(FrameScreen):
    """`where` and `pane` say which keys come first."""

    WHERE = "Help"

    def __init__(self, where: str, pane: str) -> None:
        super().__init__()
        self._about = (where, pane)
        self._top = 0
        self._section = 0
        self._find: Editor | None = None

    def draw(self, width: int, height: int) -> Drawing:
        where, pane = self._about
        find = self._find.text if self._find else ""
        field = self._find.draw(30, caret=self.field is not None)[0] if self._find else BLANK
        drawing, self._top = draw_help(
            self.owner.keymap, where, pane, width, height, top=self._top, section=self._section, find=find, field=field
        )
        return drawing

    def footer_state(self) -> str:
        return "typing" if self.field is not None else ""

    def do_move_down(self) -> None:
        self._top += 1

    def do_move_up(self) -> None:
        self._top = max(self._top - 1, 0)

    def do_page_down(self) -> None:
        self._top += self.extent[1] // 2

    def do_page_up(self) -> None:
        self._top = max(self._top - self.extent[1] // 2, 0)

    def do_first(self) -> None:
        self._top = 0

    def do_last(self) -> None:
        self._top = 10_000

    def do_next_pane(self) -> None:
        self._section = (self._section + 1) % _SECTIONS

    def do_previous_pane(self) -> None:
        self._section = (self._section - 1) % _SECTIONS

    def do_filter(self) -> None:
        self._find = self.field = self._find or Editor()

    def do_open(self) -> None:
        self.field = None

    def do_close(self) -> None:
        if self._find is not None:
            self._find = self.field = None
        else:
            self.owner.do_back()

    def do_help(self) -> None:
        self.owner.do_back()
