"""What happens from `s` on: on disk, then shown, then measured at once, then kept as a guard, dropped or undone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragtriage_tui.add_state import AddState
from ragtriage_tui.add_views import AddDoor, Clash, Measured, SavedView, Unsaved
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
        door, draft = self._door, self._state.to_save
        self._screen.jobs.queue("write", lambda: door.save(draft), self._saved)

    def _saved(self, saved: SavedView | Clash) -> None:
        screen = self._screen
        if isinstance(saved, Clash):
            self._state.take_clash(saved)
            screen.say(f"{saved.qid} was changed meanwhile; s again saves over it: {saved.text}", "warn")
            return
        self._state.take_saved(saved)
        screen.keeper.drop(self._state.draft.key)
        triage_under(screen).reload(saved.qid)
        if saved.unsaid:
            screen.say(_but(saved), "warn", "changed")
        else:
            screen.say(f"{self._name(saved)}; measuring", "done", "changed")
        self._measure_again(saved)

    def _name(self, saved: SavedView) -> str:
        name = f"{saved.qid} saved" + (", and what changed meanwhile stays" if saved.merged else "")
        return f"{name}, {saved.beside}" if saved.beside else name

    def _measure_again(self, saved: SavedView) -> None:
        self._screen.jobs.start("today", lambda progress: self._measure(saved.qid), self._measured)

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
        state = "passes" if self._state.passes else "changed"
        if saved.unsaid:
            self._screen.say(f"{_but(saved)}; {measured.proof}", "warn", state)
        elif self._state.passes:
            beside = f"; {saved.beside}" if saved.beside else ""
            self._screen.say(f"{measured.qid} {measured.proof}{beside}", "warn", state)
        else:
            self._screen.say(f"{self._name(saved)}: {measured.proof}", "done", state)

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
        triage_under(self._screen).reload(qid)
        self._screen.say(f"{qid} is kept as a guard", "done", "changed")

    def drop(self) -> None:
        """Take a question that passes out again, and go back."""
        saved, door = self._state.saved, self._door
        if saved is not None and self._state.passes:
            self._screen.jobs.queue("write", lambda: door.unsave(saved), self._dropped)
        elif self._state.phase == "saved":
            self._screen.say("It is saved; u takes that back", "plain", "changed")

    def _dropped(self, undone: Unsaved) -> None:
        if not undone.whole:  # evidence was marked for it meanwhile, say
            self._unsaved(undone)
            return
        owner = self._screen.owner
        triage_under(self._screen).reload()
        owner.do_back()
        owner.front.say(f"{undone.message}; U brings it back")

    def undo(self) -> None:
        """Take the last thing back that was done from the save on; when that is the save itself, the draft is there again."""
        saved, door = self._state.saved, self._door
        if saved is not None:
            self._screen.jobs.queue("write", lambda: door.unsave(saved), self._unsaved)

    def _unsaved(self, undone: Unsaved) -> None:
        saved = self._state.saved
        if undone.whole or saved is None:
            self._state.take_unsaved()
            self._screen.keeper.write(self._state.draft)
            triage_under(self._screen).reload()
            self._screen.say(undone.message)
        else:
            self._screen.say(undone.message, "done", "changed")
            self._measure_again(saved)


def _but(saved: SavedView) -> str:
    return f"saved, but {saved.unsaid}"
