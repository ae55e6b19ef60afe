"""Inbox: the reports that wait, with all that is proposed for each; what becomes of them; and the labels to re-anchor."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragtriage_tui.bridge.guard import guarded
from ragtriage_tui.bridge.journal import Undone
from ragtriage_tui.bridge.reanchoring import Reanchoring
from ragtriage_tui.bridge.report_draft import draft_of_report
from ragtriage_tui.bridge.reports import ReportStep, origin_of, report_detail
from ragtriage_tui.bridge.verdict_steps import redo_newest, undo_newest
from ragtriage_tui.bridge.watch import Watch
from ragtriage_tui.inbox_views import DraftOf, InboxChange, InboxView, LabelDetail, ReportDetail, ReportRow, SafeRow
from ragtriage_tui.text import one_line, scrub
from ragtriage_tui.views import Progress
from ragtriage_tui.workers import DoorError

if TYPE_CHECKING:
    from pathlib import Path

    from ragtriage.inbox.log import InboxLog, Item, State
    from ragtriage.project import Project
    from ragtriage_tui.bridge.door import Door

__all__ = ["Inbox"]

_FILE = "inbox.jsonl"
_SHOWN = 400


class Inbox:
    """`InboxDoor` for the project of a door."""

    def __init__(self, door: Door) -> None:
        self._door = door
        self._watch = Watch()
        self._labels = Reanchoring(door)
        self._counted: tuple[object, int] = (None, 0)
        self._asked: dict[str, str] = {}  # the question in each report, whose line never changes

    # what is shown

    @guarded
    def view(self) -> InboxView:
        """See InboxDoor."""
        with self._door.held() as project:
            log = self.log(project)
            self._watch.seen([log.path])
            items = log.current()
            problems = [one for one in log.problems() if one.severity == "error"]
            rows = tuple(self._row(item) for item in items)
            looked = self._labels.known(project)
            return InboxView(
                project=scrub(one_line(project.name)),
                reports=rows,
                labels=looked.labels,
                safe=looked.safe,
                looked=looked.fresh,
                problem=scrub(str(problems[0])) if problems else "",
                read_only=scrub(self._read_only(project)),
            )

    @guarded
    def labels(self, progress: Progress) -> InboxView:
        """See InboxDoor."""
        self._labels.look(progress)
        return self.view()

    def changed(self) -> bool:
        """See InboxDoor."""
        return bool(self._watch.changed())

    def waiting(self, project: Project) -> int:
        """How many reports are open; counted anew when the file has changed."""
        path = self.log(project).path
        try:
            found = path.stat()
        except OSError:
            return 0
        stamp = (path, found.st_size, found.st_mtime_ns)
        if self._counted[0] != stamp:
            self._counted = (stamp, sum(item.state == "open" for item in self.log(project).current()))
        return self._counted[1]

    @guarded
    def report(self, report_id: str, progress: Progress, *, wait: bool) -> ReportDetail | None:
        """See InboxDoor."""
        with self._door.held() as project:
            item = self.log(project).get(self._door.names.raw(report_id))
        return report_detail(self._door, item, progress, wait=wait) if item else None

    @guarded
    def label(self, label_id: str) -> LabelDetail | None:
        """See InboxDoor."""
        return self._labels.detail(label_id)

    @guarded
    def draft(self, report_id: str) -> DraftOf:
        """See InboxDoor."""
        with self._door.held() as project:
            item = self._item(project, report_id)
            return draft_of_report(self._door, project, item)

    # what is done

    @guarded
    def dismiss(self, report_id: str) -> InboxChange:
        """See InboxDoor."""
        return self._set(report_id, "dismissed", "")

    @guarded
    def duplicate(self, report_id: str, qid: str) -> InboxChange:
        """See InboxDoor."""
        if not qid.strip():
            raise DoorError("nothing written: the id of a question, as Triage shows it, says of which one it is a duplicate")
        self._door.reread()
        with self._door.held() as project:
            raw = self._door.names.raw(qid.strip())
            if project.golden.get(raw) is None:
                why = project.golden.why_unused(raw)
                raise DoorError(scrub(why) if why else f"there is no question {scrub(qid.strip())}")
        return self._set(report_id, "duplicate", raw)

    @guarded
    def accept(self, label_id: str, place: int) -> InboxChange:
        """See InboxDoor."""
        return self._labels.accept(label_id, place)

    @guarded
    def mend(self) -> InboxChange:
        """See InboxDoor."""
        return self._labels.mend(SafeRow(()).id)

    @guarded
    def obsolete(self, label_id: str, reason: str) -> InboxChange:
        """See InboxDoor."""
        return self._labels.obsolete(label_id, reason)

    @guarded
    def undo(self) -> InboxChange:
        """Take back the newest change of the session, whatever it was; before those, the person's own in the inbox."""
        return _changed(undo_newest(self._door, self._undo_earlier))

    @guarded
    def redo(self) -> InboxChange:
        """Make again what was undone."""
        return _changed(redo_newest(self._door))

    # inside

    def log(self, project: Project) -> InboxLog:
        """The file of the project's reports. Every step has an object of its own, which undoes exactly that."""
        from ragtriage.inbox.log import InboxLog

        return InboxLog(project.evals / _FILE)

    def wrote(self, path: Path) -> None:
        """This process has just written to it."""
        self._watch.seen([path])

    def _read_only(self, project: Project) -> str:
        if project.beir:
            return "a BEIR folder is only looked at; its reports are not dealt with here"
        return self._door.read_only

    def _item(self, project: Project, report_id: str) -> Item:
        item = self.log(project).get(self._door.names.raw(report_id))
        if item is None:
            raise DoorError(f"{report_id} is no longer in the inbox")
        return item

    def _row(self, item: Item) -> ReportRow:
        from ragtriage.labelling.proposals import question_of

        report = item.report
        names = self._door.names
        text = self._asked.get(report.id)
        if text is None:
            text = self._asked[report.id] = scrub(one_line(question_of(report).question[: _SHOWN * 2])[:_SHOWN])
        return ReportRow(
            names.shown(report.id), origin_of(report), text, item.state, names.shown(item.qid) if item.qid else "",
            report.synthetic,
        )  # fmt: skip

    def _set(self, report_id: str, state: State, qid: str) -> InboxChange:
        door = self._door
        door.must_write()
        with door.held() as project:
            if why := self._read_only(project):
                raise DoorError(why)
            item = self._item(project, report_id)
            if item.state == state and item.qid == qid:
                return InboxChange(f"{origin_of(item.report)} is that already", report_id)
            step = ReportStep.set(door, self.log(project), item, state, qid)
            door.edits.journal.did(step)
            self.wrote(step.path)
            return InboxChange(step.said, report_id)

    def _undo_earlier(self) -> Undone:
        with self._door.held() as project:
            log = self.log(project)
            change = log.undo()
            if change is None:
                return Undone("Nothing to undo")
            self.wrote(log.path)
            step = ReportStep.of(self._door, log, change)
            self._door.edits.journal.undone.append(step)
            return step.undone()


def _changed(undone: Undone) -> InboxChange:
    return InboxChange(undone.message, undone.row, undone.qid)
