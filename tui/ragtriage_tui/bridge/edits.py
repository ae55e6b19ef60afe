"""Changes of the golden set made in this session, so that they can be undone and done again."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from ragtriage_tui.bridge.journal import Journal, Overtaken, Step, Undone
from ragtriage_tui.bridge.measuring import measure_all
from ragtriage_tui.views import Change
from ragtriage_tui.workers import DoorError

if TYPE_CHECKING:
    from ragtriage_tui.bridge.holder import Holder

__all__ = ["Edit", "Edits", "Overtaken"]


class Edit(NamedTuple):
    """What one change did to the line of a question; None: there was, or is, no such line. `qid` is the raw id."""

    qid: str
    before: Mapping[str, Any] | None
    after: Mapping[str, Any] | None


class Edits:
    """Writes the golden set, and can write back what was there. Nobody's later edit is overwritten: undoing is refused then,
    and that edit is forgotten, so that those before it can still be undone."""

    def __init__(self, door: Holder) -> None:
        self._door = door
        self.journal = Journal()

    @property
    def depth(self) -> int:
        """How many edits can be undone: one more after each `write`."""
        return sum(isinstance(step, _Written) for step in self.journal.done)

    def write(self, *edits: Edit, beside: Step | None = None, row: str = "", said: tuple[str, str] = ("", "")) -> None:
        """Make changes, all of them or none; on disk when this returns. Raises Overtaken, and what writing raises.

        `beside` was done for their sake and is undone with them. `row` is the row of Inbox that they are about; `said` what
        is said when they are undone and when they are done again.
        """
        step = _Written(self._door, edits, beside, row, said)
        try:
            step.apply()
        except Overtaken as error:
            raise Overtaken(f"{error}; nothing was written") from None
        self.journal.did(step)

    def undo(self) -> Change:
        """Take the last edit back, whatever else was done since. Raises Overtaken where somebody changed the question."""
        step = next((one for one in reversed(self.journal.done) if isinstance(one, _Written)), None)
        if step is None:
            return Change("", "Nothing to undo")
        undone = self.journal.take_back(step)
        return Change(undone.qid, undone.message)

    def beside(self, step: Step) -> None:
        """Something that goes with the last edit was done after it."""
        last = self.journal.done[-1] if self.journal.done else None
        if isinstance(last, _Written):
            last.beside = step


class _Written:
    """Edits that were made as one."""

    def __init__(self, door: Holder, edits: Sequence[Edit], beside: Step | None, row: str, said: tuple[str, str]) -> None:
        self._door = door
        self._edits = tuple(edits)
        self.beside = beside
        self._row = row
        self._said = said

    def apply(self) -> None:
        self._write([(edit.qid, edit.before, edit.after) for edit in self._edits])

    def undo(self) -> Undone:
        self._write([(edit.qid, edit.after, edit.before) for edit in self._edits])
        self._measure([edit.before for edit in self._edits])
        first = self._edits[0]
        qid = self._door.names.shown(first.qid)
        said = self._said[0] or (f"{qid} is no longer in the golden set" if first.before is None else f"{qid} is as before")
        return Undone(said + self._with(undo=True), qid, self._row)

    def redo(self) -> Undone:
        from ragtriage.errors import GoldenError

        try:
            self.apply()
        except GoldenError as error:  # its id is taken
            raise Overtaken(str(error)) from None
        self._measure([edit.after for edit in self._edits])
        first = self._edits[0]
        qid = self._door.names.shown(first.qid)
        said = self._said[1] or (f"{qid} is in the golden set again" if first.before is None else f"{qid} is changed again")
        return Undone(said + self._with(undo=False), qid, self._row)

    def _with(self, *, undo: bool) -> str:
        """What goes with it is undone too, as far as that can be: what became of it."""
        from ragtriage.errors import RagtriageError

        if self.beside is None:
            return ""
        try:
            done = self.beside.undo() if undo else self.beside.redo()
        except (DoorError, RagtriageError) as error:
            return f", but {error}"
        return f"; {done.message}"

    def _measure(self, lines: Sequence[Mapping[str, Any] | None]) -> None:
        """What is shown of a question is what its line now does."""
        from ragtriage.golden.dialects import qid_of

        names = [qid_of(line) for line in lines if line is not None]
        if names and self._door.run is not None:
            with contextlib.suppress(DoorError):  # the line is written, whatever measuring says
                measure_all(self._door, names)

    def _write(self, changes: Sequence[tuple[str, Mapping[str, Any] | None, Mapping[str, Any] | None]]) -> None:
        """Write what is to be where each line is what it was, as they stand on disk at this moment."""
        from ragtriage.golden.dialects import qid_of
        from ragtriage.golden.file import Replacement, append_question, read_golden, remove_question, replace_questions

        self._door.must_write()
        with self._door.held() as project:
            if project.beir:
                raise DoorError("a BEIR folder is only looked at; its questions are not changed here")
            path = project.golden_path
            golden = None
            replacements: dict[str, Replacement] = {}
            for qid, before, after in changes:
                if before is None and after is not None:
                    append_question(path, after)
                    continue
                golden = golden or read_golden(path, needs=project.config.golden.needs)
                name = qid_of(before or {})  # an edit may have given it another one
                now = golden.get(name)
                if now is None or dict(now.raw) != before:
                    what = "is gone from the golden set" if now is None else "was changed meanwhile"
                    raise Overtaken(f"{self._door.names.shown(qid)} {what}")
                if after is None:
                    remove_question(path, name, expected=before)
                else:
                    replacements[name] = Replacement(after, before)
            if replacements:
                replace_questions(path, replacements)
            self._door.wrote()
