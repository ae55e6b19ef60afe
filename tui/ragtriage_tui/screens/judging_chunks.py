"""The keys r and x: a passage is judged for a question, on disk before it is shown; then the label may get another place."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from ragtriage_tui.judgement_views import Also, Judged
from ragtriage_tui.screens.base import FrameScreen
from ragtriage_tui.screens.under import door_of, triage_under
from ragtriage_tui.text import one_line
from ragtriage_tui.views import Change

__all__ = ["judge_chunk"]


def judge_chunk(screen: FrameScreen, qid: str, chunk_id: str, *, relevant: bool, shown: Callable[[str], None]) -> None:
    """Write a judgement down, then call `shown` with the question, and offer what follows from it."""
    door = door_of(screen).judgements
    screen.jobs.queue("write", lambda: door.judge(qid, chunk_id, relevant=relevant), partial(_judged, screen, shown))


def _judged(screen: FrameScreen, shown: Callable[[str], None], judged: Judged) -> None:
    if judged.qid:
        shown(judged.qid)
    screen.say(judged.message, "done" if judged.qid else "plain", "changed" if judged.qid else "")
    if judged.also is not None:
        also = judged.also
        what = "another place of its evidence" if also.item is not None else "the evidence it has none of"
        lines = (f"“{one_line(also.quote)}”", *([f"{judged.message}: {also.why}."] if also.why else [f"{judged.message}."]))
        screen.ask(f"Make it {what} ?", partial(_add, screen, shown, judged.qid, also), lines)


def _add(screen: FrameScreen, shown: Callable[[str], None], qid: str, also: Also) -> None:
    door = door_of(screen).judgements
    screen.jobs.queue("write", lambda: door.add_place(qid, also), partial(_added, screen, shown))


def _added(screen: FrameScreen, shown: Callable[[str], None], change: Change) -> None:
    shown(change.qid)
    triage_under(screen).reload(change.qid)
    screen.say(change.message, "done", "changed")
