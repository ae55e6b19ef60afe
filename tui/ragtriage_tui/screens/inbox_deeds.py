"""What becomes of a row of Inbox: a question, a duplicate, nothing, a label in its new place; on disk before it is shown."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING

from ragtriage_tui.add_views import Draft, Marked
from ragtriage_tui.external import edit_text
from ragtriage_tui.inbox_state import InboxState
from ragtriage_tui.inbox_views import DraftOf, InboxChange, InboxDoor, LabelRow, ReportRow, SafeRow
from ragtriage_tui.screens.outside import outside
from ragtriage_tui.screens.under import door_of, triage_under
from ragtriage_tui.text import clip, one_line

if TYPE_CHECKING:
    from ragtriage_tui.screens.inbox import InboxScreen

__all__ = ["Deeds"]

_NAMED = 24  # cells of a report's words in a question about it


class Deeds:
    """The keys of one Inbox screen that write. Writes are queued, so that one that was pressed is on disk before one leaves."""

    def __init__(self, screen: InboxScreen) -> None:
        self._screen = screen

    @property
    def _state(self) -> InboxState:
        return self._screen.state

    @property
    def _door(self) -> InboxDoor:
        return door_of(self._screen).inbox

    def add(self) -> None:
        """The report as a question to be."""
        row = self._state.current
        if not isinstance(row, ReportRow):
            self._screen.owner.do_add()
            return
        door, marks = self._door, self._state.marked()
        self._screen.jobs.start("draft of", lambda progress: door.draft(row.id), partial(self._begin, marks))

    def _begin(self, marks: tuple[Marked, ...], made: DraftOf) -> None:
        if made.draft is None:
            self._screen.say(made.why, "plain")
            return
        self._screen.adding = True
        self._screen.owner.go("Add", draft=made.draft, marks=marks, reword=made.reword)

    def duplicate(self) -> None:
        row, report = self._state.current, self._state.report
        if not isinstance(row, ReportRow) or report is None or report.id != row.id:
            self._screen.say("A label is nobody's duplicate: s accepts its new place, x says that it is asked no more", "plain")
            return
        twin = self._state.chosen_twin
        door = self._door
        self._screen.prompt(
            f"{row.source} asks the same as", twin.qid if twin else "",
            lambda qid: self._screen.jobs.queue("write", lambda: door.duplicate(row.id, qid), self._changed),
        )  # fmt: skip

    def no(self) -> None:
        """A report is dismissed; the question of a label is asked no more, for a reason."""
        row, door = self._state.current, self._door
        if isinstance(row, ReportRow):
            dismiss = partial(self._screen.jobs.queue, "write", lambda: door.dismiss(row.id), self._changed)
            if self._state.active == "list":
                dismiss()
            else:  # the cursor is on something else
                self._screen.ask(f'Dismiss the report "{clip(one_line(row.text), _NAMED)}" ?', dismiss)
        elif isinstance(row, LabelRow):
            self._screen.prompt(
                f"{row.qid} is obsolete since, or because", f"{datetime.now(UTC):%Y-%m-%d}",
                lambda reason: self._screen.jobs.queue("write", lambda: door.obsolete(row.id, reason), self._changed),
            )  # fmt: skip
        elif row is not None:
            self._screen.say("Nothing is wrong with these: s mends them", "plain")

    def save(self) -> None:
        """Accept the place that is shown, or mend all that is safe."""
        row, door = self._state.current, self._door
        if isinstance(row, SafeRow):
            count = len(row.labels)
            self._screen.ask(f"Mend {count} safe {'label' if count == 1 else 'labels'} ?", self._mend)
        elif isinstance(row, LabelRow):
            place = self._state.place
            if self._state.label is not None and self._state.label.id == row.id:
                self._screen.jobs.queue("write", lambda: door.accept(row.id, place), self._changed)
        elif row is not None:
            self._screen.say("a makes a question of it, and s saves that", "plain")

    def _mend(self) -> None:
        self._screen.jobs.queue("write", self._door.mend, self._changed)

    def _changed(self, change: InboxChange) -> None:
        nothing = not (change.id or change.qid)
        if change.id:  # what was undone comes back, and one is where it was
            self._state.listing.go_to(change.id)
        self._screen.load()
        if change.qid or change.id == "safe":
            triage_under(self._screen).reload()
        kind = "plain" if nothing else "warn" if change.warn else "done"
        self._screen.say(change.message, kind, "" if nothing else "changed")

    def undo(self) -> None:
        self._screen.jobs.queue("write", self._door.undo, self._changed)

    def redo(self) -> None:
        self._screen.jobs.queue("write", self._door.redo, self._changed)

    def edit(self) -> None:
        """The question of a label in $EDITOR, or the words of the question to be."""
        row, report = self._state.current, self._state.report
        if isinstance(row, LabelRow):
            outside(self._screen, partial(self._edit_line, row.qid))
        elif isinstance(row, ReportRow) and report is not None and report.id == row.id:
            outside(self._screen, partial(self._edit_words, row, report.question))

    def _edit_line(self, qid: str) -> None:
        door = door_of(self._screen)
        edited = edit_text(self._screen.app, door.raw(qid), ".json")
        if edited is None:
            self._screen.say("nothing was changed", "plain")
            return

        def write() -> InboxChange:
            change = door.replace(qid, edited)
            return InboxChange(change.message, qid=change.qid, warn=change.warn)

        self._screen.jobs.queue("write", write, self._changed)

    def _edit_words(self, row: ReportRow, words: str) -> None:
        edited = edit_text(self._screen.app, words, ".txt")
        if edited is None or not edited.strip():
            self._screen.say("nothing was changed", "plain")
            return
        text, marks, door = edited.strip(), self._state.marked(), self._door

        def begin(made: DraftOf) -> None:
            draft: Draft | None = replace(made.draft, text=text) if made.draft else None
            self._begin(marks, DraftOf(draft, made.why))

        self._screen.jobs.start("draft of", lambda progress: door.draft(row.id), begin)
