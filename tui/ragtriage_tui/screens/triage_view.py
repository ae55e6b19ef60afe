"""Triage as it is looked at: what is drawn, the cursor and its panes, the filter. What is fetched and written: see `triage`."""

from __future__ import annotations

from ragtriage_tui.actions import Action
from ragtriage_tui.drawing.triage import chunk_height, draw
from ragtriage_tui.editor import Editor
from ragtriage_tui.geometry import Geometry, geometry, too_small
from ragtriage_tui.rows import BLANK, Drawing
from ragtriage_tui.screens.base import FrameScreen
from ragtriage_tui.state import TriageState

__all__ = ["TriageView"]

# What says nothing of the row under the cursor: after these it may still become another one, the first failure.
_ELSEWHERE = ("measure", "bm25-only", "cancel", "redraw", "help", "palette", "back", "suspend", "leave", "undo", "redo", "add")
_NAMES = {"list": "Questions", "question": "Question", "chunks": "Ranked chunks", "answers": "Answers"}


class TriageView(FrameScreen):
    """The state, its drawing, and the keys that change nothing but what is seen."""

    def __init__(self) -> None:
        super().__init__()
        self.state = TriageState()
        self._filter: Editor | None = None

    def _fetch(self) -> None:
        """Bring the right half to the question under the cursor; at once, or when the key is let go."""
        raise NotImplementedError

    def draw(self, width: int, height: int) -> Drawing:
        self.state.busy = self.owner.busy
        field = BLANK
        if self._filter is not None:
            cells = (width if self._geo.single or self.state.zoomed else self._geo.left) - 3
            field = self._filter.draw(cells, caret=self.field is self._filter)[0]
        return draw(self.state, width, height, field=field)

    def footer_state(self) -> str:
        if self._filter is not None:
            return "typing"
        if self.state.zoomed:
            return "zoomed"
        if self.state.active == "chunks" and self.state.chunks:
            return "chunks"
        return "busy" if self.owner.busy and self.state.overview is None else ""

    def pane_name(self) -> str:
        return _NAMES[self.state.active]

    @property
    def _geo(self) -> Geometry:
        return geometry(*self.extent)

    @property
    def _rows(self) -> int:
        return chunk_height(self.state, *self.extent)

    async def act(self, action: Action, key: str = "") -> None:
        if action.id not in _ELSEWHERE:
            self.state.listing.stay()
        await super().act(action, key)

    def _step(self, moved: bool) -> None:
        if moved:
            self._fetch()

    def do_move_down(self) -> None:
        self._step(self.state.move(1, self._rows))

    def do_move_up(self) -> None:
        self._step(self.state.move(-1, self._rows))

    def do_page_down(self) -> None:
        self._step(self.state.move(self._page(), self._rows))

    def do_page_up(self) -> None:
        self._step(self.state.move(-self._page(), self._rows))

    def _page(self) -> int:
        return max(self.extent[1] // 2, 1)

    def do_first(self) -> None:
        self._step(self.state.go_end(last=False, height=self._rows))

    def do_last(self) -> None:
        self._step(self.state.go_end(last=True, height=self._rows))

    def do_next(self) -> None:
        self._failure(1)

    def do_previous(self) -> None:
        self._failure(-1)

    def _failure(self, step: int) -> None:
        said = self.state.listing.step_failure(step)
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

    def do_answers(self) -> None:
        self.state.go_pane("answers", self._geo)

    def do_zoom(self) -> None:
        self.state.zoomed = not self.state.zoomed

    def do_unfold(self) -> None:
        self.state.unfolded = not self.state.unfolded

    def do_fold(self) -> None:
        self.state.unfolded = False

    def do_view(self) -> None:
        self.state.toggle_view(self._geo)

    def do_next_part(self) -> None:
        self._cite(1)

    def do_previous_part(self) -> None:
        self._cite(-1)

    def _cite(self, step: int) -> None:
        if said := self.state.cite(step):
            answer = self.state.answer if self.state.active == "answers" else None
            opens = answer is not None and answer.passage(self.state.citation) is not None
            self.say(said, "plain", "cited" if opens else "")

    def picked(self, x: int, y: int, *, twice: bool) -> None:
        if self._geo.single or x <= self._geo.left:
            index = self.state.listing.window.top + y - 2 - (1 if self.state.overview and self.state.overview.notice else 0)
            self.state.active = "list"
            if 0 <= index < len(self.state.listing.visible):
                self._step(self.state.listing.go(index))
        self.paint()

    # filter

    def do_filter(self) -> None:
        self.state.active = "list"
        self._filter = self.field = Editor(self.state.listing.text)

    def field_changed(self) -> None:
        if self._filter is not None and self.state.overview is not None:
            self.state.listing.text = self._filter.text.strip()
            self.state.listing.update(self.state.overview)
            self._fetch()

    def do_close(self) -> None:
        if self._filter is not None or (not self.state.close_innermost() and self.state.listing.text):
            self._filter = self.field = None
            self.filter_by("")

    def do_back(self) -> None:
        if too_small(*self.extent) or not self.state.close_innermost():
            self.owner.do_back()

    def filter_by(self, text: str) -> None:
        """Show the questions that a filter lets through."""
        self.state.listing.text = text
        if self.state.overview is not None:
            self.state.listing.update(self.state.overview)
        self._fetch()
        self.paint()

    def do_open(self) -> None:
        if self._filter is not None:
            self._filter = self.field = None
            return
        place = self.state.place_to_open()
        if place is None:
            self.say(self.state.why_not_open(), "plain")
            return
        self.owner.go("Document", doc_id=place.doc_id, chunk_id=place.chunk_id, at=place.at, qid=place.qid)

    def offers(self) -> list[tuple[str, str, str]]:
        advice = self.state.overview.advice if self.state.overview else ()
        return [(f"set:{index}", "", f"Show: {item.text}") for index, item in enumerate(advice, start=1) if item.qids]

    def take_offer(self, offer_id: str) -> None:
        self.filter_by(offer_id)
