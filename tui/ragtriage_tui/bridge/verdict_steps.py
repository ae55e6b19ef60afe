"""Verdicts as steps of the session: written through the log of a project, and undone in their order with all else."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from ragtriage_tui.bridge.guard import guarded
from ragtriage_tui.bridge.journal import Undone
from ragtriage_tui.views import Change

if TYPE_CHECKING:
    from ragtriage.triage.categories import Category
    from ragtriage.triage.verdicts import Verdict
    from ragtriage_tui.bridge.holder import Holder

__all__ = ["VerdictSteps", "category_of_key", "category_of_slug", "labelled", "redo_newest", "undo_newest"]


def undo_newest(door: Holder, before: Callable[[], Undone]) -> Undone:
    """Take back the newest change of the session, whatever it was; `before` does where none is left. Raises DoorError."""
    door.must_write()
    with door.held():
        door.reread()
        return door.edits.journal.undo(before)


def redo_newest(door: Holder) -> Undone:
    """Make again what was undone last. Raises DoorError."""
    door.must_write()
    with door.held():
        door.reread()
        return door.edits.journal.redo()


def category_of_key(key: int) -> Category | None:
    """The cause that a key stands for; None for 0."""
    from ragtriage.triage.categories import CATEGORIES

    return next((one for one in CATEGORIES if one.key == str(key)), None)


def category_of_slug(slug: str | None) -> Category | None:
    """The cause that a verdict names."""
    from ragtriage.triage.categories import CATEGORIES

    return next((one for one in CATEGORIES if one.slug == slug), None)


def labelled(qid: str, category: Category, note: str | None) -> Change:
    """What is said when a question has a label now; `note` None: only the label was given."""
    label = f"{category.key} {category.short}"
    if note is None:
        return Change(qid, f"{qid} is now {label}")
    return Change(qid, f"note kept: {qid} is {label}" if note else f"{qid} is {label}, without a note")


class VerdictSteps:
    """What is the same of every kind of verdict: it is a step, and before those of this session come the person's own."""

    def __init__(self, door: Holder) -> None:
        self._door = door

    def standing(self, raw: str) -> str:
        """What counts of a question, by its raw id, after a step was undone or done again: a sentence."""
        raise NotImplementedError

    @guarded
    def undo(self) -> Change:
        """Take back the newest change, whatever it was."""
        undone = undo_newest(self._door, self._undo_earlier)
        return Change(undone.qid, undone.message)

    @guarded
    def redo(self) -> Change:
        """Make again what was undone."""
        done = redo_newest(self._door)
        return Change(done.qid, done.message)

    def did(self, events: int = 1) -> None:
        """The newest events of the log are a step of this session."""
        self._door.wrote_log()
        self._door.edits.journal.did(_Given(self, events))

    def take_back(self, events: int) -> Undone:
        """Take the newest events of the log back."""
        return self._after([self._door.log.undo() for _ in range(events)], "Nothing to undo")

    def give_again(self, events: int) -> Undone:
        """Give again what was taken back last."""
        return self._after([self._door.log.redo() for _ in range(events)], "Nothing to do again")

    def _undo_earlier(self) -> Undone:
        undone = self.take_back(1)
        if undone.qid:
            self._door.edits.journal.undone.append(_Given(self, 1))
        return undone

    def _after(self, events: list[Verdict | None], nothing: str) -> Undone:
        self._door.wrote_log()
        event = events[-1]
        return Undone(nothing) if event is None else Undone(self.standing(event.qid), self._door.names.shown(event.qid))


class _Given:
    """A verdict, as a step of the session: the log knows the order of its events, of which `events` belong to it."""

    def __init__(self, verdicts: VerdictSteps, events: int) -> None:
        self._verdicts = verdicts
        self._events = events

    def undo(self) -> Undone:
        return self._verdicts.take_back(self._events)

    def redo(self) -> Undone:
        return self._verdicts.give_again(self._events)
