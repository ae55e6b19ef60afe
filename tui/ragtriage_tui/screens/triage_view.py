"""Triage as it is looked at: what is drawn, its panes and their other views. What is fetched and written: see `triage`."""

from __future__ import annotations

from typing import ClassVar

from ragtriage_tui.actions import Action
from ragtriage_tui.drawing.triage import chunk_height, draw
from ragtriage_tui.rows import Drawing, Line
from ragtriage_tui.screens.ranked_screen import RankedScreen
from ragtriage_tui.state import TriageState
from ragtriage_tui.triage_questions import HOLES
from ragtriage_tui.views import Overview

__all__ = ["TriageView"]

# What says nothing of the row under the cursor: after these it may still become another one, the first failure.
_ELSEWHERE = ("measure", "bm25-only", "cancel", "redraw", "help", "palette", "back", "suspend", "leave", "undo", "redo", "add")


class TriageView(RankedScreen[Overview]):
    """The state, its drawing, and the keys that change nothing but what is seen."""

    PANES: ClassVar = {"list": "Questions", "question": "Question", "chunks": "Ranked chunks", "answers": "Answers"}
    state: TriageState

    def __init__(self) -> None:
        super().__init__(TriageState())

    def drawing(self, width: int, height: int, field: Line) -> Drawing:
        return draw(self.state, width, height, field=field)

    def footer_state(self) -> str:
        if typing := super().footer_state():
            return typing
        if self.state.zoomed:
            return "zoomed"
        if self.state.active == "chunks" and self.state.chunks:
            return "chunks"
        return "busy" if self.owner.busy and self.state.overview is None else ""

    async def act(self, action: Action, key: str = "") -> None:
        if action.id not in _ELSEWHERE:
            self.state.listing.stay()
        await super().act(action, key)

    def move(self, step: int) -> bool:
        return self.state.move(step, chunk_height(self.state, *self.extent))

    def do_list(self) -> None:
        self.state.go_pane("list", self.geo)

    def do_chunks(self) -> None:
        self.state.go_pane("chunks", self.geo)

    def do_answers(self) -> None:
        self.state.go_pane("answers", self.geo)

    def do_view(self) -> None:
        self.state.toggle_view(self.geo)

    def step_part(self, step: int) -> None:
        if said := self.state.step_part(step):
            answer = self.state.answer if self.state.active == "answers" else None
            opens = answer is not None and answer.passage(self.state.citation) is not None
            self.say(said, "plain", "cited" if opens else "")

    def offers(self) -> list[tuple[str, str, str]]:
        advice = self.state.overview.advice if self.state.overview else ()
        out = [(f"set:{index}", "", f"Show: {item.text}") for index, item in enumerate(advice, start=1) if item.qids]
        if count := sum(1 for row in self.state.listing.rows if row.look):
            what = "1 question" if count == 1 else f"{count} questions"
            out.append((HOLES, "", f"Show: {what} with unjudged passages above the evidence"))
        return out

    def take_offer(self, offer_id: str) -> None:
        self.filter_by(offer_id)
