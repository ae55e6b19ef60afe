"""What Triage and Review share: a question at the right with its ranked chunks and its answers. No Textual in here."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple, Protocol

from ragtriage_tui.answer_views import AnswerView
from ragtriage_tui.geometry import Geometry
from ragtriage_tui.list_state import ListState
from ragtriage_tui.listing import Window
from ragtriage_tui.views import CategoryView, NeedView

__all__ = ["PANES", "OpenAt", "Pane", "RankedState"]

Pane = Literal["list", "question", "chunks", "answers"]
PANES: tuple[Pane, ...] = ("list", "question", "chunks", "answers")


class OpenAt(NamedTuple):
    """Where Document should open: a document, its chunk or the offset of its evidence, for which question."""

    doc_id: str
    chunk_id: str
    at: int | None
    qid: str


class _Worded(Protocol):
    @property
    def text(self) -> str: ...


class _Chunk(_Worded, Protocol):
    @property
    def chunk_id(self) -> str: ...


class _Question(_Worded, Protocol):
    @property
    def qid(self) -> str: ...

    @property
    def needs(self) -> tuple[NeedView, ...]: ...


@dataclass
class RankedState(ListState):
    """`views`: what panes show in the place of what they usually show. `seek`: the citation is to be brought into view."""

    active: Pane = "list"
    detail: _Question | None = None
    unfolded: bool = False
    views: set[str] = field(default_factory=set)
    chunk_id: str = ""
    chunk_window: Window = field(default_factory=Window)
    citation: int = 0
    seek: bool = False
    failed: str = ""

    # what a screen's state gives

    @property
    def categories(self) -> tuple[CategoryView, ...]:
        """The causes that a failure can be labelled with."""
        raise NotImplementedError

    @property
    def chunk(self) -> _Chunk | None:
        """The ranked chunk under the cursor."""
        raise NotImplementedError

    @property
    def answer(self) -> AnswerView | None:
        """The answer that `[`, `]` and `A` are about."""
        raise NotImplementedError

    def place_to_open(self) -> OpenAt | None:
        """Where Document should open, None: nowhere."""
        raise NotImplementedError

    def why_not_open(self) -> str:
        """Why there is nothing to open where the cursor is."""
        raise NotImplementedError

    def why_not_judged(self) -> str:
        """Why the chunk under the cursor is not to be judged, or nothing."""
        return "" if self.active == "chunks" else "C goes to the chunks, where r and x judge the one under the cursor"

    # what there is

    def category(self, key: int) -> CategoryView | None:
        return next((one for one in self.categories if one.key == key), None)

    # moving

    def panes(self, geo: Geometry) -> tuple[Pane, ...]:
        """Chunks and answers take turns where only one of them fits."""
        if geo.answers:
            return PANES
        return ("list", "question", "answers") if "answers" in self.views else ("list", "question", "chunks")

    def show_pane(self, pane: Pane, geo: Geometry) -> None:
        """To a pane by name; where only one of chunks and answers fits, that one is shown."""
        if not geo.answers and pane in ("chunks", "answers"):
            self.views.discard("answers")
            if pane == "answers":
                self.views.add("answers")
        self.active = pane

    def walk(self, everything: Sequence[str], shown: Sequence[str], step: int) -> None:
        """Move among chunks by id; walking off the end of those that are shown shows the rest."""
        if not shown:
            return
        at = shown.index(self.chunk_id) if self.chunk_id in shown else 0
        if at + step >= len(shown) and len(shown) < len(everything):
            self.unfolded = True
            here = everything.index(self.chunk_id) if self.chunk_id in everything else 0
            self.chunk_id = everything[min(here + 1, len(everything) - 1)]
            return
        self.chunk_id = shown[min(max(at + step, 0), len(shown) - 1)]

    def sought(self, key: str, total: int, height: int, at: int | None) -> int:
        """See `scrolled`; the row `at` of the citation is in view when one has just gone there."""
        goes = at if self.seek else None
        if goes is not None:
            self.seek = False
        return self.scrolled(key, total, height, goes)

    # what is under the cursor

    def text_under_cursor(self) -> str:
        """The question's words, its quotes, the chunk's text, the chosen answer."""
        detail = self.detail
        if self.active == "list" or detail is None:
            row = self.listing.current
            return row.text if row else ""
        if self.active == "question":
            return "\n".join([detail.text, *(need.quote for need in detail.needs if need.quote)])
        shown: _Worded | None = self.chunk if self.active == "chunks" else self.answer
        return shown.text if shown else ""
