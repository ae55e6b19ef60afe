"""Review as it is looked at: what is drawn, its panes and their other views. What is fetched and written: see `review`."""

from __future__ import annotations

from typing import ClassVar

from ragtriage_tui.drawing.review import chunk_height, draw_review
from ragtriage_tui.drawing.review_chunks import shown_ids
from ragtriage_tui.drawing.review_list import flip_at
from ragtriage_tui.review_state import ReviewState
from ragtriage_tui.review_views import ReviewView as Flips
from ragtriage_tui.rows import Drawing, Line
from ragtriage_tui.screens.ranked_screen import RankedScreen

__all__ = ["ReviewView"]


class ReviewView(RankedScreen[Flips]):
    """The state, its drawing, and the keys that change nothing but what is seen."""

    PANES: ClassVar = {"list": "Flips", "question": "Question", "chunks": "Base and head", "answers": "Answers"}
    state: ReviewState

    def __init__(self, state: ReviewState) -> None:
        super().__init__(state)

    def fetch_texts(self) -> None:
        """Bring the chunk texts to the chunk under the cursor, where they are shown."""
        raise NotImplementedError

    def drawing(self, width: int, height: int, field: Line) -> Drawing:
        return draw_review(self.state, width, height, field=field)

    def footer_state(self) -> str:
        if typing := super().footer_state():
            return typing
        if self.state.view is None:
            return "failed" if self.state.failed else "busy"
        if self.state.zoomed:
            return "zoomed"
        if not self.state.view.to_review:
            return "empty"
        if "text" in self.state.views:
            return "texts"
        return "chunks" if self.state.active == "chunks" else ""

    def row_at(self, line: int) -> int | None:
        return flip_at(self.state, self.geo, line)

    # moving

    def move(self, step: int) -> bool:
        shown = shown_ids(self.state, chunk_height(self.state, *self.extent)) if self.state.active == "chunks" else ()
        return self.state.move(step, shown)

    def step(self, step: int) -> None:
        super().step(step)
        self.fetch_texts()

    def step_part(self, step: int) -> None:
        super().step_part(step)
        self.fetch_texts()

    def do_list(self) -> None:
        self.state.go_pane("list", self.geo)

    def do_chunks(self) -> None:
        self.state.go_pane("chunks", self.geo)
        self.fetch_texts()

    def do_answers(self) -> None:
        self.state.go_pane("answers", self.geo)

    def do_view(self) -> None:
        self.state.toggle_text()
        self.fetch_texts()

    # filter

    def do_filter(self) -> None:
        if self.state.view is not None:
            super().do_filter()
