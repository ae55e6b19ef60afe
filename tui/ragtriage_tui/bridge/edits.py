"""Changes of the golden set made in this session, so that they can be undone and done again, one question at a time."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from ragtriage_tui.views import Change
from ragtriage_tui.workers import DoorError

if TYPE_CHECKING:
    from ragtriage_tui.bridge.door import Door

__all__ = ["Edit", "Edits"]


class Edit(NamedTuple):
    """What one change did to the line of a question; None: there was, or is, no such line. `qid` is the raw id."""

    qid: str
    before: Mapping[str, Any] | None
    after: Mapping[str, Any] | None


class Edits:
    """Writes the golden set, and can write back what was there. Nobody's later edit is overwritten: undoing is refused then."""

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

    def passed(self, labels: int = 1) -> None:
        """A label was given since (-1: and taken back): undo is for that one first."""
        self._labels += labels

    def write(self, edit: Edit) -> None:
        """Make a change; on disk when this returns. Raises what writing raises."""
        self._apply(edit.qid, edit.before, edit.after)
        self._done.append(edit)
        self._undone.clear()
        self._labels = 0

    def undo(self) -> Change:
        """Take the last change back. Raises DoorError where somebody changed the question since."""
        if not self._done:
            return Change("", "Nothing to undo")
        edit = self._done[-1]
        self._apply(edit.qid, edit.after, edit.before)
        self._undone.append(self._done.pop())
        qid = self._door.names.shown(edit.qid)
        return Change(qid, f"{qid} is no longer in the golden set" if edit.before is None else f"{qid} is as before")

    def redo(self) -> Change:
        """Make the change again that was undone last."""
        if not self._undone:
            return Change("", "Nothing to do again")
        edit = self._undone[-1]
        self._apply(edit.qid, edit.before, edit.after)
        self._done.append(self._undone.pop())
        qid = self._door.names.shown(edit.qid)
        return Change(qid, f"{qid} is in the golden set again" if edit.before is None else f"{qid} is changed again")

    def _apply(self, qid: str, before: Mapping[str, Any] | None, after: Mapping[str, Any] | None) -> None:
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
                    raise DoorError(f"{self._door.names.shown(qid)} was changed meanwhile; it stays as it is")
                if after is None:
                    remove_question(path, name)
                else:
                    replace_question(path, name, after)
            self._door.wrote()
