"""What happens from `s` on: on disk, then shown, then measured at once, then kept as a guard, dropped or undone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragtriage_tui.add_state import AddState
from ragtriage_tui.add_views import AddDoor, Measured, SavedView
from ragtriage_tui.screens.under import door_of, triage_under
from ragtriage_tui.workers import DoorError

if TYPE_CHECKING:
    from ragtriage_tui.screens.add import AddScreen

__all__ = ["Saving"]


class Saving:
    """The saving of one Add screen. Writes are queued, so that one that was pressed is on disk before one leaves."""

    def __init__(self, screen: AddScreen) -> None:
        self._screen = screen

    @property
    def _state(self) -> AddState:
        return self._screen.state

    @property
    def _door(self) -> AddDoor:
        return door_of(self._screen).adder

    def save(self) -> None:
        """Write the draft as a question, and measure that."""
        door, draft = self._door, self._state.draft
        self._screen.jobs.queue("write", lambda: door.save(draft), self._saved)

    def _saved(self, saved: SavedView) -> None:
        screen = self._screen
        self._state.take_saved(saved)
        screen.keeper.drop(self._state.draft.qid)
        triage_under(screen).reload(saved.qid)
        screen.say(f"{saved.qid} saved; measuring", "done", "changed")
        screen.jobs.start("today", lambda progress: self._measure(saved.qid), self._measured)

    def _measure(self, qid: str) -> Measured:
        try:
            return self._door.measure(qid)
        except DoorError as error:  # it is saved, whatever measuring says
            return Measured(qid, "unmeasured", "", str(error))

    def _measured(self, measured: Measured) -> None:
        saved = self._state.saved
        if saved is None or saved.qid != measured.qid:
            return
        self._state.measured = measured
        triage_under(self._screen).reload(measured.qid)
        if measured.state == "passes":
            self._screen.say(f"{measured.qid} {measured.proof}", "warn", "passes")
        else:
            self._screen.say(f"{measured.qid} saved: {measured.proof}", "done", "changed")

    def guard(self) -> None:
        """Keep a question that passes, as a guard."""
        saved, door = self._state.saved, self._door
        if saved is None or not self._state.passes:
            self._screen.say("It is saved; a adds another", "plain", "changed")
            return
        self._screen.jobs.queue("write", lambda: door.guard(saved.qid), lambda _: self._guarded(saved.qid))

    def _guarded(self, qid: str) -> None:
        if self._state.measured:
            self._state.measured = self._state.measured._replace(state="nothing")
        self._screen.say(f"{qid} is kept as a guard", "done", "changed")

    def drop(self) -> None:
        """Take a question that passes out again, and go back."""
        if self._state.passes:
            self._screen.jobs.queue("write", self._door.unsave, self._dropped)

    def _dropped(self, message: str) -> None:
        owner = self._screen.owner
        triage_under(self._screen).reload()
        owner.do_back()
        owner.front.say(message)

    def undo(self) -> None:
        """Take the save back; the draft is there again."""
        self._screen.jobs.queue("write", self._door.unsave, self._unsaved)

    def _unsaved(self, message: str) -> None:
        self._state.take_unsaved()
        self._screen.keeper.write(self._state.draft)
        triage_under(self._screen).reload()
        self._screen.say(message)
