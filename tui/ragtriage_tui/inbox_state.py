"""What Inbox shows and where one is in it: pure view state, without Textual and without the engine."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Literal, NamedTuple

from ragtriage_tui.add_views import Candidate, Marked, Twin
from ragtriage_tui.geometry import Geometry
from ragtriage_tui.inbox_marks import Marks
from ragtriage_tui.inbox_rows import InboxRows
from ragtriage_tui.inbox_views import InboxRow, InboxView, LabelDetail, NewPlaceView, ReportDetail, ReportRow, SafeRow
from ragtriage_tui.list_state import ListState
from ragtriage_tui.listing import Window
from ragtriage_tui.pager_texts import label_text, report_text, safe_text

__all__ = ["InboxPane", "InboxState", "Kept"]

InboxPane = Literal["list", "report", "similar", "candidates"]
_PANES: tuple[InboxPane, ...] = ("list", "report", "similar", "candidates")


class Kept(NamedTuple):
    """Where one is in Inbox, for when one comes back to it."""

    row: str = ""
    filter: str = ""


@dataclass
class InboxState(ListState):
    """Everything that the drawing of Inbox depends on. The details may lag behind the cursor while they are fetched."""

    listing: InboxRows = field(default_factory=InboxRows)
    active: InboxPane = "list"
    view: InboxView | None = None
    report: ReportDetail | None = None
    label: LabelDetail | None = None
    twin: int = 0
    place: int = 0
    chunk_id: str = ""
    marks: Marks = field(default_factory=Marks)
    drafts: frozenset[str] = frozenset()
    chunk_window: Window = field(default_factory=Window)

    # the list

    def take_view(self, view: InboxView) -> None:
        """New rows; the cursor stays on its row, or where that was."""
        self.view = view
        self.refilter()

    def refilter(self) -> None:
        if self.view is not None:
            self.listing.update(self.view)

    @property
    def notice(self) -> str:
        return self.view.problem if self.view else ""

    @property
    def current(self) -> InboxRow | None:
        return self.listing.current

    @property
    def open(self) -> int:
        """How many reports wait."""
        return sum(row.state == "open" for row in self.view.reports) if self.view else 0

    @property
    def closed(self) -> int:
        """How many reports are done with."""
        return len(self.view.reports) - self.open if self.view else 0

    @property
    def to_anchor(self) -> int:
        """How many labels no longer fit."""
        return len(self.view.labels) + len(self.view.safe) if self.view else 0

    # details

    def only_bm25(self, why: str) -> None:
        """What the report's candidates are by now is all that there will be."""
        report = self.report
        if report is not None and report.results is not None:
            self.report = replace(report, results=report.results._replace(complete=True, problem=why))

    def take_report(self, detail: ReportDetail | None) -> None:
        """What belongs to the report under the cursor; of the same one only what is new, with the cursors where they are."""
        same = detail is not None and self.report is not None and detail.id == self.report.id
        moved = same and self.chunk_id != self._first(self.report)
        self.report, self.label = detail, None
        if detail is None:
            return
        if not same:
            self._from_the_top()
        known = any(one.chunk.chunk_id == self.chunk_id for one in detail.candidates)
        if not (moved and known):
            self.chunk_id = self._first(detail)
        self.twin = min(self.twin, max(len(detail.twins) - 1, 0))

    def take_label(self, detail: LabelDetail | None) -> None:
        """What belongs to the label under the cursor."""
        same = detail is not None and self.label is not None and detail.id == self.label.id
        self.label, self.report = detail, None
        if not same:
            self._from_the_top()

    def take_safe(self) -> None:
        """The cursor is on the labels that may be mended unread."""
        self.label = self.report = None
        self._from_the_top()

    def _from_the_top(self) -> None:
        self.twin = self.place = 0
        self.scroll.clear()
        self.chunk_window = Window()
        if self.active != "list" and self.active not in self._panes:
            self.active = "report"

    def _first(self, detail: ReportDetail | None) -> str:
        return detail.candidates[0].chunk.chunk_id if detail and detail.candidates else ""

    @property
    def candidates(self) -> tuple[Candidate, ...]:
        return self.report.candidates if self.report else ()

    @property
    def at(self) -> int:
        """Index of the candidate under the cursor."""
        return next((index for index, one in enumerate(self.candidates) if one.chunk.chunk_id == self.chunk_id), 0)

    @property
    def candidate(self) -> Candidate | None:
        return self.candidates[self.at] if self.candidates else None

    @property
    def chosen_twin(self) -> Twin | None:
        twins = self.report.twins if self.report else ()
        return twins[min(self.twin, len(twins) - 1)] if twins else None

    @property
    def chosen_place(self) -> NewPlaceView | None:
        places = self.label.places if self.label else ()
        return places[min(self.place, len(places) - 1)] if places else None

    # moving

    @property
    def _panes(self) -> tuple[InboxPane, ...]:
        return _PANES if isinstance(self.current, ReportRow) else ("list", "report")

    def panes(self, geo: Geometry) -> tuple[InboxPane, ...]:
        """The panes that there are for what is under the cursor."""
        return self._panes

    def move(self, step: int) -> bool:
        if self.active == "similar" and self.report:
            self.twin = min(max(self.twin + step, 0), max(len(self.report.twins) - 1, 0))
        elif self.active == "candidates":
            self._step_candidate(step, stop=True)
        else:
            return super().move(step)
        return False

    @property
    def scroll_key(self) -> str:
        return "report"

    def step_part(self, step: int) -> str:
        """To the next candidate of a report, or the next place of a label; what to say: empty, or why there is none."""
        if self.label is None:
            return self._step_candidate(step)
        count = len(self.label.places)
        if count < 2:
            return "There is one new place" if count else "There is no new place: f fixes it by hand"
        self.place = (self.place + step) % count
        self.scroll.clear()
        return ""

    def _step_candidate(self, step: int, *, stop: bool = False) -> str:
        if not self.candidates:
            return "There is nothing to choose from here"
        at = self.at + step
        at = min(max(at, 0), len(self.candidates) - 1) if stop else at % len(self.candidates)
        self.chunk_id = self.candidates[at].chunk.chunk_id
        return ""

    def close_innermost(self) -> bool:
        """Back from the zoom, or to the list; False where nothing is open."""
        if self.zoomed:
            self.zoomed = False
        elif self.active != "list":
            self.active = "list"
        else:
            return False
        return True

    # marks

    def marked(self) -> tuple[Marked, ...]:
        """What was marked as evidence for the report under the cursor."""
        return self.marks.of(self.report.id) if self.report else ()

    def marked_in(self, candidate: Candidate) -> list[Marked]:
        """Marks that lie in a candidate, whole or in part."""
        return self.marks.within(self.report.id, candidate) if self.report else []

    def toggle(self) -> str:
        """Mark the best sentence of the candidate under the cursor as evidence, or take it off; why not, or nothing."""
        report, candidate = self.report, self.candidate
        if report is None:
            return "s accepts the place that is shown" if self.label else "Nothing to mark here"
        if report.state != "open":
            return f"{report.source} is {report.state}: u takes that back"
        if candidate is None:
            return "There is no passage to mark; a goes on without, and F searches every document"
        return self.marks.toggle(report.id, candidate)

    # what is under the cursor

    def text_under_cursor(self) -> str:
        """What `y` copies: the report, the similar question, the passage; a label's old or new text."""
        if self.label is not None:
            place = self.chosen_place
            return place.text if place and self.active == "report" else self.label.old
        if self.report is None:
            return ""
        if self.active == "similar" and self.chosen_twin:
            return self.chosen_twin.text
        if self.active == "candidates" and self.candidate:
            return self.candidate.chunk.text
        return self.report.text

    def as_text(self) -> str:
        """Everything about the row, for the pager."""
        row = self.current
        if isinstance(row, SafeRow):
            return safe_text(row)
        if self.label is not None:
            return label_text(self.label)
        return report_text(self.report) if self.report else ""

    def kept(self) -> Kept:
        return Kept(self.listing.wanted, self.listing.text)
