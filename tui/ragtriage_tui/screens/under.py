"""What a screen may know of those it was opened from: Triage at the bottom, and for which question evidence is marked."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from ragtriage_tui.add_state import Target
from ragtriage_tui.doors import AppDoor
from ragtriage_tui.screens.base import FrameScreen

if TYPE_CHECKING:
    from ragtriage_tui.screens.triage import TriageScreen

__all__ = ["door_of", "target_under", "triage_under", "words_of"]


def door_of(screen: FrameScreen) -> AppDoor:
    """The door, with the parts that Triage does not need."""
    return cast(AppDoor, screen.owner.door)


def triage_under(screen: FrameScreen) -> TriageScreen:
    """The screen that all others are opened from."""
    return cast("TriageScreen", screen.owner.screen_stack[0])


def target_under(screen: FrameScreen) -> Target:
    """For which question `screen` marks evidence: the draft that is open, else the question one came from."""
    for below in reversed(screen.owner.screen_stack[:-1]):
        if isinstance(target := getattr(below, "target", None), Target):
            return target
    row = triage_under(screen).state.current
    return Target(row.qid if row else "")


def words_of(screen: FrameScreen, target: Target) -> str:
    """The question itself, as far as it is known here."""
    if target.draft:
        return target.draft.text
    overview = triage_under(screen).state.overview
    return next((row.text for row in overview.questions if row.qid == target.qid), "") if overview else ""
