"""What was done in this session, in order, whatever it was: a label, an edit, a judgement, a report that was dealt with."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, Protocol

from ragtriage_tui.workers import DoorError

__all__ = ["Journal", "Overtaken", "Step", "Undone"]


class Overtaken(DoorError):
    """Somebody else changed the same thing since: what was to be written is about something that is no longer there."""


class Undone(NamedTuple):
    """What undoing or doing again did: a sentence, and what it was about, a question or a row of Inbox. Both empty: nothing."""

    message: str
    qid: str = ""
    row: str = ""


class Step(Protocol):
    """Something that was done. What is raised by either leaves it as it is; after Overtaken it is forgotten."""

    def undo(self) -> Undone: ...

    def redo(self) -> Undone: ...


class Journal:
    """The newest step is undone first, on whatever screen one is."""

    def __init__(self) -> None:
        self.done: list[Step] = []
        self.undone: list[Step] = []

    def did(self, step: Step) -> None:
        """A step is on disk."""
        self.done.append(step)
        self.undone.clear()

    def undo(self, before: Callable[[], Undone]) -> Undone:
        """Take the newest step back; `before` does where nothing of this session is left."""
        return self.take_back(self.done[-1]) if self.done else before()

    def take_back(self, step: Step) -> Undone:
        """Take back a step, which need not be the newest."""
        try:
            undone = step.undo()
        except Overtaken as error:
            self.done.remove(step)
            more = "; u goes on with the change before" if self.done else ""
            raise Overtaken(f"{error}, and that change is not undone{more}") from None
        self.done.remove(step)
        self.undone.append(step)
        return undone

    def redo(self) -> Undone:
        """Do again what was undone last."""
        if not self.undone:
            return Undone("Nothing to do again")
        step = self.undone[-1]
        try:
            done = step.redo()
        except Overtaken as error:
            self.undone.remove(step)
            raise Overtaken(f"{error}, and that change is not made again") from None
        self.undone.remove(step)
        self.done.append(step)
        return done
