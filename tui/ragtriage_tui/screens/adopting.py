"""The question before a configuration is written, and writing it: for the screens that measure some."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from ragtriage_tui.screens.base import FrameScreen
from ragtriage_tui.sweep_views import Offer
from ragtriage_tui.text import clip, width
from ragtriage_tui.views import Change

__all__ = ["adopt", "offer", "tell"]

_AROUND = 42  # cells of the question beside its two names, the keys included


def offer(screen: FrameScreen, work: Callable[[], Offer], act: Callable[[], None]) -> None:
    """Work out what is to be written, and ask."""
    screen.jobs.start("offer", lambda progress: work(), partial(_ask, screen, act))


def _ask(screen: FrameScreen, act: Callable[[], None], offered: Offer) -> None:
    if not screen.is_current:
        return
    room = max(screen.extent[0] - _AROUND - width(offered.file), 12)
    whole = width(offered.name) <= room
    lines = offered.lines if whole else (f"{offered.name}: {offered.keys}.", *offered.lines)
    screen.ask(f"Write {clip(offered.name, room)} to {offered.file}?", act, lines)


def adopt(screen: FrameScreen, work: Callable[[], Change], done: Callable[[Change], None]) -> None:
    """Write what was offered; on disk before it is shown."""
    screen.jobs.queue("write", work, done)


def tell(screen: FrameScreen, change: Change) -> None:
    """Say what is in the file now, or that nothing was done."""
    kind = "plain" if not change.qid else "warn" if change.warn else "done"
    screen.say(change.message, kind, "changed" if change.qid else "")
