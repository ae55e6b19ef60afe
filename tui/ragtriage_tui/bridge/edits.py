"""Changes of the golden set made in this session, so that they can be undone and done again, one question at a time."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from ragtriage_tui.bridge.measuring import measure_one
from ragtriage_tui.views import Change
from ragtriage_tui.workers import DoorError

if TYPE_CHECKING:
    from ragtriage_tui.bridge.door import Door

__all__ = ["Edit", "Edits", "Overtaken"]


class Edit(NamedTuple):
    """What one change did to the line of a question; None: there was, or is, no such line. `qid` is the raw id."""

    qid: str
    before: Mapping[str, Any] | None
    after: Mapping[str, Any] | None


class Overtaken(DoorError):
    """Somebody else changed the question since: what was to be written is about a line that is no longer there."""


class Edits:
    """Writes the golden set, and can write back what was there. Nobody's later edit is overwritten: undoing is refused then,
    and that edit is forgotten, so that those before it can still be undone."""

    def __init__(self, door: Door) -> None:
        self._door = door
        self._done: list[Edit] = []
        self._undone: list[Edit] = []
        self._labels = 0  # given since the last edit, and not taken back

    @property
    def newest(self) -> bool:
        """Whether the last thing that can be undone is an edit, and no label came after it."""
        return bool(self._done) and self._labels <= 0

    @property
    def undone(self) -> bool:
        """Whether the last thing that was undone is an edit."""
        return bool(self._undone) and self._labels <= 0

    @property
    def depth(self) -> int:
        """How many edits can be undone: one more after each `write`."""
        return len(self._done)

    def passed(self, labels: int = 1) -> None:
        """A label was given since (-1: and taken back): undo is for that one first."""
        self._labels += labels

    def write(self, edit: Edit) -> None:
        """Make a change; on disk when this returns. Raises Overtaken, and what writing raises."""
        try:
            self._apply(edit.qid, edit.before, edit.after)
        except Overtaken as error:
            raise Overtaken(f"{error}; nothing was written") from None
        self._done.append(edit)
        self._undone.clear()
        self._labels = 0

    def undo(self) -> Change:
        """Take the last change back. Raises Overtaken where somebody changed the question since."""
        if not self._done:
            return Change("", "Nothing to undo")
        edit = self._done[-1]
        try:
            self._apply(edit.qid, edit.after, edit.before)
        except Overtaken as error:
            self._done.pop()
            more = "; u goes on with the change before" if self._done else ""
            raise Overtaken(f"{error}, and that change is not undone{more}") from None
        self._undone.append(self._done.pop())
        self._measure(edit.before)
        qid = self._door.names.shown(edit.qid)
        return Change(qid, f"{qid} is no longer in the golden set" if edit.before is None else f"{qid} is as before")

    def redo(self) -> Change:
        """Make the change again that was undone last. Raises Overtaken where somebody changed the question since."""
        from ragtriage.errors import GoldenError

        if not self._undone:
            return Change("", "Nothing to do again")
        edit = self._undone[-1]
        try:
            self._apply(edit.qid, edit.before, edit.after)
        except (Overtaken, GoldenError) as error:  # GoldenError: its id is taken
            self._undone.pop()
            raise Overtaken(f"{error}, and that change is not made again") from None
        self._done.append(self._undone.pop())
        self._measure(edit.after)
        qid = self._door.names.shown(edit.qid)
        return Change(qid, f"{qid} is in the golden set again" if edit.before is None else f"{qid} is changed again")

    def _measure(self, line: Mapping[str, Any] | None) -> None:
        """What is shown of a question is what its line now does."""
        from ragtriage.golden.dialects import qid_of

        if line is not None and self._door.run is not None:
            with contextlib.suppress(DoorError):  # the line is written, whatever measuring says
                measure_one(self._door, qid_of(line))

    def _apply(self, qid: str, before: Mapping[str, Any] | None, after: Mapping[str, Any] | None) -> None:
        """Write `after` where the line is `before` as it stands on disk at this moment."""
        from ragtriage.golden.dialects import qid_of
        from ragtriage.golden.file import append_question, read_golden, remove_question, replace_question

        self._door.must_write()
        with self._door.held() as project:
            if project.beir:
                raise DoorError("a BEIR folder is only looked at; its questions are not changed here")
            path = project.golden_path
            if before is None and after is not None:
                append_question(path, after)
            else:
                name = qid_of(before or {})  # an edit may have given it another one
                now = read_golden(path, needs=project.config.golden.needs).get(name)
                if now is None or dict(now.raw) != before:
                    what = "is gone from the golden set" if now is None else "was changed meanwhile"
                    raise Overtaken(f"{self._door.names.shown(qid)} {what}")
                if after is None:
                    remove_question(path, name, expected=before)
                else:
                    replace_question(path, name, after, expected=before)
            self._door.wrote()
