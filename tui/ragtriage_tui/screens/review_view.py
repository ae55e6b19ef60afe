"""Review as it is looked at: what is drawn, the cursor and its panes, the filter. What is fetched and written: see `review`."""

from __future__ import annotations

from ragtriage_tui.drawing.review import chunk_height, draw_review
from ragtriage_tui.drawing.review_chunks import shown_ids
from ragtriage_tui.editor import Editor
from ragtriage_tui.geometry import Geometry, geometry, too_small
from ragtriage_tui.review_flips import entries
from ragtriage_tui.review_state import ReviewState
from ragtriage_tui.rows import BLANK, Drawing
from ragtriage_tui.screens.base import FrameScreen

__all__ = ["ReviewView"]

_NAMES = {"list": "Flips", "question": "Question", "chunks": "Base and head", "answers": "Answers"}


class ReviewView(FrameScreen):
    """The state, its drawing, and the keys that change nothing but what is seen."""

    def __init__(self, state: ReviewState) -> None:
        super().__init__()
        self.state = state
        self._filter: Editor | None = None

    def _fetch(self) -> None:
        """Bring the right half to the flip under the cursor; at once, or when the key is let go."""
        raise NotImplementedError

    def _fetch_texts(self) -> None:
        """Bring the chunk texts to the chunk under the cursor, where they are shown."""
        raise NotImplementedError

    def draw(self, width: int, height: int) -> Drawing:
        self.state.busy = self.owner.busy
        field = BLANK
        if self._filter is not None:
            cells = (width if self._geo.single or self.state.zoomed else self._geo.left) - 3
            field = self._filter.draw(cells, caret=self.field is self._filter)[0]
        return draw_review(self.state, width, height, field=field)

    def footer_state(self) -> str:
        if self._filter is not None:
            return "typing"
        if self.state.view is None:
            return "failed" if self.state.failed else "busy"
        if self.state.zoomed:
            return "zoomed"
        if not self.state.view.to_review:
            return "empty"
        if self.state.active == "chunks":
            return "texts" if "text" in self.state.views else "chunks"
        return "texts" if "text" in self.state.views else ""

    def pane_name(self) -> str:
        return _NAMES[self.state.active]

    @property
    def _geo(self) -> Geometry:
        return geometry(*self.extent)

    def _shown(self) -> list[str]:
        return shown_ids(self.state, chunk_height(self.state, *self.extent))

    # moving

    def _step(self, step: int) -> None:
        before = (self.state.side, self.state.chunk_id)
        if self.state.move(step, self._shown() if self.state.active == "chunks" else ()):
            self._fetch()
        elif before != (self.state.side, self.state.chunk_id):
            self._fetch_texts()

    def do_move_down(self) -> None:
        self._step(1)

    def do_move_up(self) -> None:
        self._step(-1)

    def do_page_down(self) -> None:
        self._step(self._page())

    def do_page_up(self) -> None:
        self._step(-self._page())

    def _page(self) -> int:
        return max(self.extent[1] // 2, 1)

    def do_first(self) -> None:
        self._step(-(10**9))

    def do_last(self) -> None:
        self._step(10**9)

    def do_next(self) -> None:
        self._flip(1)

    def do_previous(self) -> None:
        self._flip(-1)

    def _flip(self, step: int) -> None:
        said = self.state.flips.step(step)
        self._fetch()
        if said:
            self.say(said, "plain")

    def do_next_pane(self) -> None:
        self.state.next_pane(self._geo, 1)

    def do_previous_pane(self) -> None:
        self.state.next_pane(self._geo, -1)

    def do_list(self) -> None:
        self.state.go_pane("list", self._geo)

    def do_chunks(self) -> None:
        self.state.go_pane("chunks", self._geo)
        self._fetch_texts()

    def do_answers(self) -> None:
        self.state.go_pane("answers", self._geo)

    def do_zoom(self) -> None:
        self.state.zoomed = not self.state.zoomed

    def do_unfold(self) -> None:
        self.state.unfolded = not self.state.unfolded

    def do_fold(self) -> None:
        self.state.unfolded = False

    def do_view(self) -> None:
        self.state.toggle_text()
        self._fetch_texts()

    def do_next_part(self) -> None:
        self._part(1)

    def do_previous_part(self) -> None:
        self._part(-1)

    def _part(self, step: int) -> None:
        said = self.state.cite(step)
        self._fetch_texts()
        if said:
            self.say(said, "plain")

    def picked(self, x: int, y: int, *, twice: bool) -> None:
        if self.state.view is not None and (self._geo.single or x <= self._geo.left):
            lines = entries(self.state.flips.visible, headings=self._geo.height >= 30)
            at = self.state.flips.window.top + y - 2 - (1 if self.state.view.warning else 0)
            self.state.active = "list"
            if 0 <= at < len(lines) and lines[at].at >= 0 and self.state.flips.go(lines[at].at):
                self._fetch()
        self.paint()

    # filter, and out

    def do_filter(self) -> None:
        if self.state.view is not None:
            self.state.active = "list"
            self._filter = self.field = Editor(self.state.flips.text)

    def field_changed(self) -> None:
        if self._filter is not None:
            self.filter_by(self._filter.text.strip())

    def filter_by(self, text: str) -> None:
        """Show the flips that a filter lets through."""
        self.state.flips.text = text
        if self.state.view is not None:
            self.state.flips.update(self.state.view)
        self._fetch()
        self.paint()

    def do_close(self) -> None:
        if self._filter is not None or (not self.state.close_innermost() and self.state.flips.text):
            self._filter = self.field = None
            self.filter_by("")

    def do_back(self) -> None:
        if too_small(*self.extent) or not self.state.close_innermost():
            self.owner.do_back()

    def do_open(self) -> None:
        if self._filter is not None:
            self._filter = self.field = None
            return
        place = self.state.place_to_open()
        if place is None:
            self.say(self.state.why_not_open(), "plain")
            return
        self.owner.go("Document", doc_id=place.doc_id, chunk_id=place.chunk_id, at=place.at, qid=place.qid)
