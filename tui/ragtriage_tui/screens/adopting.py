"""Lists of configurations, any of which may be written into the project's file after a question."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from ragtriage_tui.screens.list_screen import ListScreen
from ragtriage_tui.screens.under import triage_under
from ragtriage_tui.sweep_views import Offer
from ragtriage_tui.text import clip, width
from ragtriage_tui.views import Change

__all__ = ["AdoptingScreen"]

_AROUND = 42  # cells of the question beside its two names, the keys included


class AdoptingScreen(ListScreen):
    """Takes a row over, and undoes that."""

    def offer(self, work: Callable[[], Offer], adopt: Callable[[], Change]) -> None:
        """Work out what is to be written, and ask; on disk before it is shown."""
        act = partial(self.jobs.queue, "write", adopt, self._changed)
        self.jobs.start("offer", lambda progress: work(), partial(self._ask_to_write, act))

    def rewritten(self) -> None:
        """The file says something else now."""

    def _ask_to_write(self, act: Callable[[], None], offered: Offer) -> None:
        if not self.is_current:
            return
        room = max(self.extent[0] - _AROUND - width(offered.file), 12)
        whole = width(offered.name) <= room
        lines = offered.lines if whole else (f"{offered.name}: {offered.keys}.", *offered.lines)
        self.ask(f"Write {clip(offered.name, room)} to {offered.file}?", act, lines)

    def _changed(self, change: Change) -> None:
        """Say what is in the file now, or that nothing was done."""
        self.rewritten()
        triage_under(self).reload()
        kind = "plain" if not change.qid else "warn" if change.warn else "done"
        self.say(change.message, kind, "changed" if change.qid else "")

    def do_undo(self) -> None:
        self.jobs.queue("write", self.owner.door.undo, self._changed)

    def do_redo(self) -> None:
        self.jobs.queue("write", self.owner.door.redo, self._changed)
