"""What a person says of a flip, and taking that back: events of the verdict log, on disk when each call returns."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import date
from typing import TYPE_CHECKING

from ragtriage_tui.bridge.guard import guarded
from ragtriage_tui.bridge.review_words import day_words
from ragtriage_tui.bridge.verdict_steps import VerdictSteps, category_of_key, category_of_slug, labelled
from ragtriage_tui.views import Change

if TYPE_CHECKING:
    from ragtriage.compare.flips import Flip
    from ragtriage.triage.verdicts import Verdict
    from ragtriage_tui.bridge.door import Door

__all__ = ["FlipVerdicts"]


class FlipVerdicts(VerdictSteps):
    """Writes through the log of a door's project. `run` is the id of the run a flip was shown from, "" where it is not kept."""

    def __init__(self, door: Door, today: Callable[[], date]) -> None:
        super().__init__(door)
        self._today = today

    @guarded
    def label(self, flip: Flip, key: int, note: str | None, run: str) -> Change:
        """Say why the question fails; 0 takes back what was decided. `note` None: the note there is stays."""
        door = self._door
        qid = door.names.shown(flip.qid)
        self._may_write()
        category = category_of_key(key)
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
                    self.did(written)
        return labelled(qid, category, note) if category else Change(qid, f"{qid} has no verdict now")

    @guarded
    def intended(self, flip: Flip, reason: str, run: str) -> Change:
        """Accept the flip, for a reason and as long as decisions hold."""
        from ragtriage.review.decisions import record_intended

        door = self._door
        self._may_write()
        today = self._today()
        with door.held():
            event = record_intended(door.log, flip, reason, today=today, run=run)
            self.did()
        qid = door.names.shown(flip.qid)
        return Change(qid, f"{qid} is intended until {day_words(event.expires, today)}")

    def standing(self, raw: str) -> str:
        shown = self._door.names.shown(raw)
        current = self._door.log.current()
        if (meant := _intended(current, raw)) is not None:
            return f"{shown} is intended again, until {day_words(meant.expires, self._today()) or 'further notice'}"
        verdict = current.get(raw)
        category = category_of_slug(verdict.category) if verdict else None
        return f"{shown} is {category.key} {category.short} again" if category else f"{shown} has no verdict now"

    def _may_write(self) -> None:
        self._door.must_write()
        self._door.reread()


def _intended(current: Mapping[str, Verdict], raw: str) -> Verdict | None:
    from ragtriage.review.decisions import INTENDED

    return next((one for one in current.values() if one.qid == raw and one.decision == INTENDED), None)
