"""What a person says of a flip, and taking that back: events of the verdict log, on disk when each call returns."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import date
from typing import TYPE_CHECKING

from ragtriage_tui.bridge.guard import guarded
from ragtriage_tui.bridge.journal import Undone
from ragtriage_tui.bridge.review_words import day_words
from ragtriage_tui.views import Change

if TYPE_CHECKING:
    from ragtriage.compare.flips import Flip
    from ragtriage.triage.verdicts import Verdict
    from ragtriage_tui.bridge.door import Door

__all__ = ["FlipVerdicts"]


class FlipVerdicts:
    """Writes through the log of a door's project. `run` is the id of the run a flip was shown from, "" where it is not kept."""

    def __init__(self, door: Door, today: Callable[[], date]) -> None:
        self._door = door
        self._today = today

    @guarded
    def label(self, flip: Flip, key: int, note: str | None, run: str) -> Change:
        """Say why the question fails; 0 takes back what was decided. `note` None: the note there is stays."""
        from ragtriage.triage.categories import CATEGORIES

        door = self._door
        qid = door.names.shown(flip.qid)
        self._may_write()
        category = next((one for one in CATEGORIES if one.key == str(key)), None)
        with door.held():
            current = door.log.current()
            given, meant = current.get(flip.qid), _intended(current, flip.qid)
            if category is None and given is None and meant is None:
                return Change("", f"{qid} has no verdict to take back")
            written = 0
            try:
                if category is not None or given is not None:
                    kept = note if note is not None else given.note if given and category and given.fits(flip.head.seen) else ""
                    slug = category.slug if category else None
                    door.log.record(flip.qid, slug, run=run, seen=flip.head.seen, note=kept)
                    written += 1
                if meant is not None:  # it was intended: the new word takes its place
                    door.log.withdraw(meant)
                    written += 1
            finally:
                if written:
                    self._did(flip.qid, written)
        if category is None:
            return Change(qid, f"{qid} has no verdict now")
        label = f"{category.key} {category.short}"
        if note is None:
            return Change(qid, f"{qid} is now {label}")
        return Change(qid, f"note kept: {qid} is {label}" if note else f"{qid} is {label}, without a note")

    @guarded
    def intended(self, flip: Flip, reason: str, run: str) -> Change:
        """Accept the flip, for a reason and as long as decisions hold."""
        from ragtriage.review.decisions import record_intended

        door = self._door
        self._may_write()
        today = self._today()
        with door.held():
            event = record_intended(door.log, flip, reason, today=today, run=run)
            self._did(flip.qid, 1)
        qid = door.names.shown(flip.qid)
        return Change(qid, f"{qid} is intended until {day_words(event.expires, today)}")

    @guarded
    def undo(self) -> Change:
        """Take back the newest change, whatever it was; before those of this session, the person's own verdicts."""
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

    # what a step of the session does

    def take_back(self, raw: str, events: int) -> Undone:
        """Take the newest events of the log back."""
        for _ in range(events):
            self._door.log.undo()
        return self._after(raw)

    def give_again(self, raw: str, events: int) -> Undone:
        """Give again what was taken back last."""
        for _ in range(events):
            self._door.log.redo()
        return self._after(raw)

    def _after(self, raw: str) -> Undone:
        self._door.wrote_log()
        return Undone(self._standing(raw), self._door.names.shown(raw))

    def _undo_earlier(self) -> Undone:
        """A verdict of an earlier session."""
        event = self._door.log.undo()
        if event is None:
            return Undone("Nothing to undo")
        self._door.edits.journal.undone.append(_Said(self, event.qid, 1))
        return self._after(event.qid)

    def _standing(self, raw: str) -> str:
        """What counts of a question now, as a sentence."""
        from ragtriage.triage.categories import CATEGORIES

        shown = self._door.names.shown(raw)
        current = self._door.log.current()
        if (meant := _intended(current, raw)) is not None:
            return f"{shown} is intended again, until {day_words(meant.expires, self._today()) or 'further notice'}"
        verdict = current.get(raw)
        category = next((one for one in CATEGORIES if verdict and one.slug == verdict.category), None)
        return f"{shown} is {category.key} {category.short} again" if category else f"{shown} has no verdict now"

    def _may_write(self) -> None:
        self._door.must_write()
        self._door.reread()

    def _did(self, raw: str, events: int) -> None:
        self._door.wrote_log()
        self._door.edits.journal.did(_Said(self, raw, events))


class _Said:
    """What was said of a flip, as a step of the session; `events` of the log belong to it."""

    def __init__(self, verdicts: FlipVerdicts, raw: str, events: int) -> None:
        self._verdicts = verdicts
        self._raw = raw
        self._events = events

    def undo(self) -> Undone:
        return self._verdicts.take_back(self._raw, self._events)

    def redo(self) -> Undone:
        return self._verdicts.give_again(self._raw, self._events)


def _intended(current: Mapping[str, Verdict], raw: str) -> Verdict | None:
    from ragtriage.review.decisions import INTENDED

    return next((one for one in current.values() if one.qid == raw and one.decision == INTENDED), None)
