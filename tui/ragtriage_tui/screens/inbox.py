"""Inbox: what production got wrong becomes questions, and labels that no longer fit get their new place."""

from __future__ import annotations

from functools import partial
from typing import ClassVar

from ragtriage_tui.actions import Action
from ragtriage_tui.add_state import DraftFor, Target
from ragtriage_tui.bridge.drafts import kept_drafts
from ragtriage_tui.drawing.inbox import candidate_height, draw_inbox
from ragtriage_tui.inbox_state import InboxState, Kept
from ragtriage_tui.inbox_views import InboxDoor, InboxView, LabelDetail, LabelRow, ReportDetail, ReportRow, SafeRow
from ragtriage_tui.rows import Drawing, Line
from ragtriage_tui.screens.inbox_deeds import Deeds
from ragtriage_tui.screens.inbox_ways import fix_row, open_row
from ragtriage_tui.screens.list_screen import ListScreen
from ragtriage_tui.screens.under import door_of

__all__ = ["InboxScreen"]

_WATCH_S = 10.0


class InboxScreen(ListScreen):
    """Reports and labels to re-anchor at the left; what is under the cursor at the right."""

    WHERE = "Inbox"
    PANES: ClassVar = {"list": "Reports", "report": "Report", "similar": "Similar questions", "candidates": "Candidates"}
    state: InboxState

    def __init__(self, kept: Kept | None = None) -> None:
        super().__init__(InboxState())
        if kept is not None:
            self.state.listing.wanted, self.state.listing.text = kept
        self.adding = False  # Add was opened from here
        self._deeds = Deeds(self)

    @property
    def _door(self) -> InboxDoor:
        return door_of(self).inbox

    def drawing(self, width: int, height: int, field: Line) -> Drawing:
        return draw_inbox(self.state, width, height, field=field)

    def footer_state(self) -> str:
        if typing := super().footer_state():
            return typing
        row = self.state.current
        if isinstance(row, LabelRow):
            return "label"
        if isinstance(row, SafeRow):
            return "safe"
        return "closed" if row is None or row.state != "open" else ""

    def page_rows(self) -> int:
        if self.state.active == "candidates":
            return candidate_height(self.state, *self.extent)
        return super().page_rows()

    async def act(self, action: Action, key: str = "") -> None:
        self.owner.inbox_at = self.state.kept()  # every way out of here is an action
        await super().act(action, key)

    @property
    def target(self) -> Target:
        """What Document and Find mark evidence for: the question that the report may become."""
        report = self.state.report
        if report is None:
            return Target(self.state.label.qid if self.state.label else "")
        if report.state != "open":
            return Target(report.qid)
        name = report.source
        return Target("", DraftFor(name, report.question, self.state.marked, partial(self.state.marks.add, report.id)))

    # data

    def on_mount(self) -> None:
        super().on_mount()
        self.load()
        self.set_interval(_WATCH_S, self._look_again)

    def on_screen_resume(self) -> None:
        super().on_screen_resume()
        if self.adding:  # what was marked is dealt with: the next thing is the next row
            self.adding = False
            self.state.active = "list"
        if self.state.view is not None:  # a question was saved in Add, say
            self.load()

    def load(self) -> None:
        """Read the list again."""
        door, root = self._door, self.owner.root
        self.jobs.start("inbox", lambda progress: (door.view(), frozenset(kept_drafts(root))), self._came)

    def _came(self, found: tuple[InboxView, frozenset[str]]) -> None:
        view, drafts = found
        first = self.state.view is None
        self.state.drafts = drafts
        self.state.take_view(view)
        self.fetch_now()
        if first and view.read_only:
            self.say(view.read_only, "plain")
        if not view.looked and not self.jobs.running("labels"):
            self.jobs.start("labels", self._door.labels, self._looked)
        self.paint()

    def _looked(self, view: InboxView) -> None:
        had = bool(self.state.listing.visible)
        self.state.take_view(view)
        if not had:
            self.fetch_now()
        self.paint()

    def _look_again(self) -> None:
        if self.is_current and self.state.view is not None and self._door.changed():
            self.load()

    def job_failed(self, group: str, text: str) -> None:
        if group == "report dense" and self.state.report is not None and self.state.report.results is not None:
            self.state.only_bm25(text)
            self.paint()
            return
        super().job_failed(group, text)

    def ask_for(self) -> None:
        row, door = self.state.current, self._door
        self.jobs.cancel("report dense")
        if isinstance(row, ReportRow):
            self.jobs.start("report", lambda progress: door.report(row.id, progress, wait=False), partial(self._told, row.id))
        elif isinstance(row, LabelRow):
            self.jobs.start("report", lambda progress: door.label(row.id), partial(self._told_label, row.id))
        else:
            self.jobs.cancel("report")
            self.state.take_safe()

    def _told(self, report_id: str, detail: ReportDetail | None) -> None:
        if not self.is_at(report_id):
            return
        self.state.take_report(detail)
        if detail is not None and detail.results is not None and not detail.results.complete:
            door = self._door
            self.jobs.start(
                "report dense", lambda progress: door.report(report_id, progress, wait=True), partial(self._whole, report_id)
            )
        self.paint()

    def _whole(self, report_id: str, detail: ReportDetail | None) -> None:
        if self.is_at(report_id) and detail is not None:
            self.state.take_report(detail)
            self.paint()

    def _told_label(self, label_id: str, detail: LabelDetail | None) -> None:
        if self.is_at(label_id):
            self.state.take_label(detail)
            self.paint()

    # what becomes of the row

    def do_add(self) -> None:
        self._deeds.add()

    def do_duplicate(self) -> None:
        self._deeds.duplicate()

    def do_not_relevant(self) -> None:
        self._deeds.no()

    def do_save(self) -> None:
        self._deeds.save()

    def do_edit(self) -> None:
        self._deeds.edit()

    def do_undo(self) -> None:
        self._deeds.undo()

    def do_redo(self) -> None:
        self._deeds.redo()

    def offers(self) -> list[tuple[str, str, str]]:
        safe = self.state.view.safe if self.state.view else ()
        if not safe:
            return []
        return [("mend", "s", f"Mend {len(safe)} safe {'label' if len(safe) == 1 else 'labels'}; asks first")]

    def take_offer(self, offer_id: str) -> None:
        if offer_id == "mend" and self.state.listing.go_to("safe"):
            self.fetch()
            self.do_save()

    def do_mark(self) -> None:
        if why := self.state.toggle():
            self.say(why, "plain")

    # other screens and programs

    def open_row(self) -> None:
        open_row(self)

    def do_fix(self) -> None:
        fix_row(self)

    def do_cancel(self) -> None:
        if self.jobs.cancel("labels"):
            self.say("cancelled; the labels are looked at when the screen is opened again", "plain")
        elif self.jobs.cancel("report dense"):
            self.state.only_bm25("bm25 alone")
        else:
            self.owner.do_cancel()

    def do_measure(self) -> None:
        self.say("T goes to Triage, where ctrl+r measures", "plain")
