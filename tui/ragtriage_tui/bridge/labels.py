"""Labels: what a person decides about a failing question."""

from __future__ import annotations

from ragtriage_tui.bridge.guard import guarded
from ragtriage_tui.bridge.verdict_steps import VerdictSteps, category_of_key, category_of_slug, labelled
from ragtriage_tui.views import Change

__all__ = ["Labels"]


class Labels(VerdictSteps):
    """Records through the verdict log of a door's project."""

    @guarded
    def record(self, qid: str, key: int, note: str | None) -> Change:
        """Label a question (0 clears); on disk when this returns. `note` None: the note there is stays. Raises DoorError."""
        door = self._door
        door.must_write()
        with door.held():
            door.reread()
            category = category_of_key(key)
            raw = door.names.raw(qid)
            given = door.verdict(raw)
            kept = note if note is not None else given.note if given and category else ""
            door.log.record(raw, category.slug if category else None, run=door.kept_run, seen=door.seen(raw), note=kept)
            self.did()
        return labelled(qid, category, note) if category else Change(qid, f"{qid} has no label now")

    def standing(self, raw: str) -> str:
        now = self._door.verdict(raw)
        category = category_of_slug(now.category) if now else None
        qid = self._door.names.shown(raw)
        return f"{qid} is {category.key} {category.short} again" if category else f"{qid} has no label now"
