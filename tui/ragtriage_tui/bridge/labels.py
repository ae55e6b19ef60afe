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
    def record(self, qid: str, key: int, note: str) -> Change:
        """Label a question (0 clears); on disk when this returns. Raises DoorError."""
        from ragtriage.triage.categories import CATEGORIES

        door = self._door
        door.must_write()
        with door.held():
            door.reread()
            category = next((one for one in CATEGORIES if one.key == str(key)), None)
            raw = door.names.raw(qid)
            result = door.result(raw)
            slug, seen = (category.slug if category else None), (result.seen if result else "")
            door.log.record(raw, slug, run=door.kept_run, seen=seen, note=note)
            door.wrote_log()
            door.edits.passed()
        return Change(qid, f"{qid} is now {category.key} {category.short}" if category else f"{qid} has no label now")

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
