"""What if: which lever would have found it, and what it would break."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

from ragtriage_tui.drawing.what_if import draw_what_if
from ragtriage_tui.rows import Drawing, Line
from ragtriage_tui.screens.adopting import AdoptingScreen
from ragtriage_tui.screens.under import door_of, triage_under
from ragtriage_tui.screens.waiting import wait
from ragtriage_tui.sweep_views import LeverDoor, LeverView
from ragtriage_tui.views import Progress
from ragtriage_tui.what_if_state import WhatIfState

if TYPE_CHECKING:
    from ragtriage_tui.window import RagtriageApp

__all__ = ["WhatIfScreen"]


class WhatIfScreen(AdoptingScreen):
    """The levers for one question; without one for all that is lost."""

    WHERE = "What if"
    PANES: ClassVar = {"list": "Levers"}
    state: WhatIfState

    def __init__(self, qid: str = "") -> None:
        super().__init__(WhatIfState(qid=qid))

    @property
    def _door(self) -> LeverDoor:
        return door_of(self).levers

    def drawing(self, width: int, height: int, field: Line) -> Drawing:
        return draw_what_if(self.state, width, height)

    def footer_state(self) -> str:
        if self.jobs.running("levers"):
            return "busy"
        if self.state.view is None:
            return "failed"
        return "embed" if self.state.current is not None and self.state.current.texts else ""

    # data

    def on_mount(self) -> None:
        super().on_mount()
        self._try()

    def ask_for(self) -> None:
        """A lever has nothing but its row."""

    @property
    def finder(self) -> Callable[[str], Any]:
        return lambda lever: None

    def _try(self, embed: frozenset[str] = frozenset()) -> None:
        door, qid, owner, triage, jobs = self._door, self.state.qid, self.owner, triage_under(self).state, self.jobs
        self.state.failed = ""

        def come(view: LeverView) -> None:
            owner.call_later(partial(_more, owner, view))

        def work(progress: Progress) -> LeverView:
            wait(lambda: triage.overview is not None, "reading", progress)
            wait(lambda: not jobs.running("measure"), "waiting for the run of today", progress)
            return door.levers(qid, progress, come, embed)

        self.jobs.start("levers", work, partial(_shown, owner))
        self.paint()

    def taken(self, view: LeverView) -> None:
        """More of the levers, or all."""
        first = self.state.view is None
        self.state.take_view(view)
        if first and view.read_only:
            self.say(view.read_only, "plain")
        self.paint()

    def job_failed(self, group: str, text: str) -> None:
        if group == "open":
            self.owner.leave(2, text)
            return
        if group == "levers" and self.state.view is None:
            self.state.failed = text
            self.paint()
            return
        super().job_failed(group, text)

    def do_back(self) -> None:
        if self.state.zoomed:
            self.state.zoomed = False
        else:
            self.jobs.cancel("levers")  # what was tried is kept
            self.owner.do_back()

    def do_measure(self) -> None:
        if self.jobs.running("levers"):
            self.say("already trying them; c cancels", "plain")
        else:
            self._try()

    def do_cancel(self) -> None:
        if self.jobs.cancel("levers"):
            self.state.failed = "cancelled: levers that were tried are kept; ctrl+r goes on"
            self.say("cancelled; levers that were tried are kept; ctrl+r goes on", "plain")
        else:
            self.owner.do_cancel()

    # a lever

    def open_row(self) -> None:
        row = self.state.current
        if row is not None:
            self.say(row.reason or row.cost, "warn" if row.reason else "plain")

    def do_save(self) -> None:
        row, door = self.state.current, self._door
        if row is None:
            return
        if row.reason:
            self.say(row.reason, "warn")
        elif row.texts:
            if self.jobs.running("levers"):
                self.say("one after the other: c cancels what is tried now", "plain")
            else:
                about = row.cost.partition(", ")[2]
                self.ask(f"Embed {row.texts:,} texts{f', {about},' if about else ''} to try it?", partial(self._embed, row.id))
        else:
            self.offer(lambda: door.offer(row.id), door.adopt)

    def _embed(self, lever: str) -> None:
        self.state.moved = True
        self._try(frozenset({lever}))


def _more(owner: RagtriageApp, view: LeverView) -> None:
    if owner.jobs.running("levers"):
        _shown(owner, view)


def _shown(owner: RagtriageApp, view: LeverView) -> None:
    """Levers were tried: show them where they are still asked about."""
    for screen in owner.screen_stack:
        if isinstance(screen, WhatIfScreen) and (view.asked is None or view.asked.qid == screen.state.qid):
            screen.taken(view)
