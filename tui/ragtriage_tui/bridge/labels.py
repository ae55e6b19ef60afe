"""Labels: what a person decides about a failing question, and taking it back."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragtriage_tui.bridge.guard import guarded
from ragtriage_tui.views import Change

if TYPE_CHECKING:
    from ragtriage.triage.verdicts import Verdict
    from ragtriage_tui.bridge.door import Door

__all__ = ["Labels"]


class Labels:
    """Records through the verdict log of a door's project. What was edited last is undone first, whatever it was."""

    def __init__(self, door: Door) -> None:
        self._door = door

    @guarded
    def record(self, qid: str, key: int, note: str | None) -> Change:
        """Label a question (0 clears); on disk when this returns. `note` None: the note there is stays. Raises DoorError."""
        from ragtriage.triage.categories import CATEGORIES

        door = self._door
        door.must_write()
        with door.held():
            door.reread()
            category = next((one for one in CATEGORIES if one.key == str(key)), None)
            raw = door.names.raw(qid)
            given = door.verdict(raw)
            kept = note if note is not None else given.note if given and category else ""
            slug = category.slug if category else None
            door.log.record(raw, slug, run=door.kept_run, seen=door.seen(raw), note=kept)
            door.wrote_log()
            door.edits.passed()
        if category is None:
            return Change(qid, f"{qid} has no label now")
        label = f"{category.key} {category.short}"
        if note is None:
            return Change(qid, f"{qid} is now {label}")
        return Change(qid, f"note kept: {qid} is {label}" if note else f"{qid} is {label}, without a note")

    @guarded
    def undo(self) -> Change:
        """Take back the newest change, a label or an edit."""
        door = self._door
        door.must_write()
        with door.held():
            door.reread()
            if door.edits.newest:
                return door.edits.undo()
            event = door.log.undo()
            door.wrote_log()
            if event is not None:
                door.edits.passed(-1)
            return self._after(event, "Nothing to undo")

    @guarded
    def redo(self) -> Change:
        """Make again what was undone."""
        door = self._door
        door.must_write()
        with door.held():
            door.reread()
            if door.edits.undone:
                return door.edits.redo()
            event = door.log.redo()
            door.wrote_log()
            if event is not None:
                door.edits.passed()
            return self._after(event, "Nothing to do again")

    def _after(self, event: Verdict | None, nothing: str) -> Change:
        from ragtriage.triage.categories import CATEGORIES

        if event is None:
            return Change("", nothing)
        now = self._door.verdict(event.qid)
        category = next((one for one in CATEGORIES if now and one.slug == now.category), None)
        qid = self._door.names.shown(event.qid)
        return Change(qid, f"{qid} is {category.key} {category.short} again" if category else f"{qid} has no label now")
