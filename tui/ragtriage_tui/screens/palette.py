"""The palette: find any action by its name."""

from __future__ import annotations

from ragtriage_tui.drawing.palette import Offer, draw_palette, found
from ragtriage_tui.editor import Editor
from ragtriage_tui.keymap import show_key
from ragtriage_tui.listing import Window
from ragtriage_tui.rows import Drawing
from ragtriage_tui.screens.base import FrameScreen

__all__ = ["PaletteScreen"]

_NOT_HERE = {"palette", "yes", "move-down", "move-up", "page-down", "page-up", "first", "last", "open", "close"}


class PaletteScreen(FrameScreen):
    """Offers what `screen`, the one it was opened from, can do."""

    WHERE = "Palette"

    def __init__(self, screen: FrameScreen) -> None:
        super().__init__()
        self._from = screen
        keymap = screen.owner.keymap
        actions = [*keymap.on(screen.WHERE), *keymap.everywhere()]
        offered = [
            Offer(item.id, " ".join(map(show_key, item.keys)), item.help) for item in actions if item.id not in _NOT_HERE
        ]
        self._offers = [*(Offer(*offer) for offer in screen.offers()), *offered]
        self._at = 0
        self._window = Window()
        self._editor = self.field = Editor()

    @property
    def _found(self) -> list[Offer]:
        return found(self._offers, self._editor.text)

    def draw(self, width: int, height: int) -> Drawing:
        field = self._editor.draw(width - 5, caret=True)[0]
        offers = self._found
        self._at = min(self._at, max(len(offers) - 1, 0))
        return draw_palette(offers, len(self._offers), self._at, self._window, field, width, height)

    def footer_state(self) -> str:
        return "typing"

    def field_changed(self) -> None:
        self._at = 0

    def do_move_down(self) -> None:
        self._at += 1

    def do_move_up(self) -> None:
        self._at = max(self._at - 1, 0)

    def do_page_down(self) -> None:
        self._at += self.extent[1] // 2

    def do_page_up(self) -> None:
        self._at = max(self._at - self.extent[1] // 2, 0)

    async def do_open(self) -> None:
        offers = self._found
        if not offers:
            return
        offer = offers[self._at]
        screen = self._from
        self.app.pop_screen()  # not awaited: it would wait for what has this screen open to be done, which may be this very key
        if action := self.owner.keymap.get(offer.id):
            await screen.act(action)
        else:
            screen.take_offer(offer.id)

    def do_close(self) -> None:
        self.owner.do_back()
