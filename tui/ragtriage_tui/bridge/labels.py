"""Labels: what a person decides about a failing question, and taking it back."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragtriage_tui.bridge.guard import guarded
from ragtriage_tui.bridge.journal import Undone
from ragtriage_tui.views import Change

if TYPE_CHECKING:
    from ragtriage.triage.verdicts import Verdict
    from ragtriage_tui.bridge.holder import Holder

__all__ = ["Labels"]


class Labels:
    """Records through the verdict log of a door's project."""

    def __init__(self, door: Holder) -> None:
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
            door.edits.journal.did(_Given(self))
        if category is None:
            return Change(qid, f"{qid} has no label now")
        label = f"{category.key} {category.short}"
        if note is None:
            return Change(qid, f"{qid} is now {label}")
        return Change(qid, f"note kept: {qid} is {label}" if note else f"{qid} is {label}, without a note")

    @guarded
    def undo(self) -> Change:
        """Take back the newest change, whatever it was; before those of this session, the person's own labels."""
        door = self._door
        door.must_write()
        with door.held():
            door.reread()
            undone = door.edits.journal.undo(self._undo_earlier)
        return Change(undone.qid, undone.message)

    @guarded
    def redo(self) -> Change:
        """Make again what was undone."""
        door = self._door
        door.must_write()
        with door.held():
            door.reread()
            done = door.edits.journal.redo()
        return Change(done.qid, done.message)

    def _undo_earlier(self) -> Undone:
        undone = self.take_back()
        if undone.qid:
            self._door.edits.journal.undone.append(_Given(self))
        return undone

    def take_back(self) -> Undone:
        """Take the newest label back."""
        event = self._door.log.undo()
        self._door.wrote_log()
        return self._after(event, "Nothing to undo")

    def give_again(self) -> Undone:
        """Give the label again that was taken back last."""
        event = self._door.log.redo()
        self._door.wrote_log()
        return self._after(event, "Nothing to do again")

    def _after(self, event: Verdict | None, nothing: str) -> Undone:
        from ragtriage.triage.categories import CATEGORIES

        if event is None:
            return Undone(nothing)
        now = self._door.verdict(event.qid)
        category = next((one for one in CATEGORIES if now and one.slug == now.category), None)
        qid = self._door.names.shown(event.qid)
        return Undone(f"{qid} is {category.key} {category.short} again" if category else f"{qid} has no label now", qid)


class _Given:
    """A label, as a step of the session: the log knows the order of its own."""

    def __init__(self, labels: Labels) -> None:
        self._labels = labels

    def undo(self) -> Undone:
        return self._labels.take_back()

    def redo(self) -> Undone:
        return self._labels.give_again()
