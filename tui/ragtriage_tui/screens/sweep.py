"""Sweep: choose a configuration, and see what it costs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, ClassVar

from ragtriage_tui.drawing.chart import ready
from ragtriage_tui.drawing.sweep import draw_sweep, table_height
from ragtriage_tui.drawing.sweep_table import shown_columns
from ragtriage_tui.rows import Drawing, Line
from ragtriage_tui.screens.adopting import AdoptingScreen
from ragtriage_tui.screens.ranked_screen import WATCH_S
from ragtriage_tui.screens.under import door_of, triage_under
from ragtriage_tui.screens.waiting import wait
from ragtriage_tui.sweep_state import SweepState
from ragtriage_tui.sweep_views import Against, SweepDetail, SweepDoor, SweepView
from ragtriage_tui.views import News, Progress

if TYPE_CHECKING:
    from ragtriage_tui.window import RagtriageApp

__all__ = ["SweepScreen"]


class SweepScreen(AdoptingScreen):
    """The table above; chart and flips below. `kept` is the state that an earlier visit left."""

    WHERE = "Sweep"
    JOB = "sweep row"
    PANES: ClassVar = {"list": "Configurations", "chart": "Chart", "flips": "Flips"}
    state: SweepState

    def __init__(self, kept: SweepState | None = None) -> None:
        super().__init__(kept or SweepState())
        self.state.begin()

    @property
    def _door(self) -> SweepDoor:
        return door_of(self).sweeps

    def draw(self, width: int, height: int) -> Drawing:
        self.state.measuring = self.jobs.running("sweep")
        return super().draw(width, height)

    def drawing(self, width: int, height: int, field: Line) -> Drawing:
        return draw_sweep(self.state, width, height, field=field)

    def footer_state(self) -> str:
        if typing := super().footer_state():
            return typing
        if self.state.view is None or not self.state.listing.rows:
            reading = self.state.view is None and not self.state.failed
            return "first" if reading or self.jobs.running("sweep") else "empty"
        if self.state.zoomed:
            return "zoomed"
        if self.state.active == "flips":
            return "flips"
        return "busy" if self.jobs.running("sweep") else ""

    def page_rows(self) -> int:
        return max(table_height(self.state, *self.extent) - 1, 1)

    # data

    def on_mount(self) -> None:
        super().on_mount()
        self.owner.sweep_at = self.state
        if self.state.view is None:
            self._load()  # else it is loaded because it comes into view
        self.set_interval(WATCH_S, self._look_again)

    def on_screen_resume(self) -> None:
        super().on_screen_resume()
        if self.state.view is not None:
            self._load()

    def _load(self) -> None:
        door, triage = self._door, triage_under(self).state

        def work(progress: Progress) -> SweepView:
            wait(lambda: triage.overview is not None, "reading", progress)
            found = door.view(progress)
            ready()
            return found

        self.jobs.start("sweep view", work, self._came)

    def _came(self, view: SweepView) -> None:
        first = self.state.view is None
        self.taken(view)
        if first and view.read_only:
            self.say(view.read_only, "plain")

    def taken(self, view: SweepView) -> None:
        """A table, or more of it."""
        self.state.take_view(view)
        detail = self.state.detail
        if self.state.stale:
            self._compare()
        self.fetch(again=detail is None or bool(view.running) or detail.base_id != self.state.base)
        self.paint()

    @property
    def finder(self) -> Callable[[str], SweepDetail | None]:
        door, base = self._door, self.state.base
        return lambda row_id: door.row(row_id, base)

    def _compare(self) -> None:
        """All rows with the marked one."""
        door, base = self._door, self.state.base
        if base:
            self.jobs.start("against", lambda progress: door.against(base), partial(self._compared, base))

    def _compared(self, base: str, found: Mapping[str, Against]) -> None:
        self.state.take_against(base, found)
        self.paint()

    def _look_again(self) -> None:
        if self.is_current and self.state.view is not None and not self.jobs.running("watch"):
            door = self.owner.door
            self.jobs.start("watch", lambda progress: door.changed(), self._looked)

    def _looked(self, news: News) -> None:
        if news.text:
            self._load()
            triage_under(self).reload()
            self.say(news.text, "warn" if news.wrong else "plain")

    def job_failed(self, group: str, text: str) -> None:
        if group == "open":
            self.owner.leave(2, text)
            return
        if group in ("sweep", "sweep view") and not self.state.listing.rows:
            self.state.failed = text
            self.paint()
        super().job_failed(group, text)

    # the sweep

    def do_measure(self) -> None:
        view = self.state.view
        if self.jobs.running("sweep"):
            self.say("already measuring; c cancels", "plain")
        elif view is None:
            self.say("not read yet", "plain")
        elif not view.again:
            self.say("no values to combine: name them under [sweep] in ragtriage.toml", "plain")
        else:
            self.state.failed = ""
            door, owner = self._door, self.owner

            def come(found: SweepView) -> None:
                owner.call_later(partial(_more, owner, found))

            def work(progress: Progress) -> SweepView:
                return door.sweep(progress, come)

            self.jobs.start("sweep", work, partial(_over, owner))
            self.paint()

    def do_cancel(self) -> None:
        if self.jobs.cancel("sweep"):
            rows = len(self.state.listing.rows)
            self.say(f"cancelled; {rows} rows are kept, and ctrl+r goes on there", "plain")
            self._load()
        else:
            self.owner.do_cancel()

    # what is seen

    def step_part(self, step: int) -> None:
        self.state.active = "list"
        if said := self.state.sort_by(step, shown_columns(self.state, self.extent[0])[0]):
            self.say(said, "plain")

    def do_mark(self) -> None:
        if why := self.state.compare_with():
            self.say(why, "plain")
            return
        if self.state.stale:
            self._compare()
        self.fetch(again=True)

    def do_view(self) -> None:
        self.state.other_view(self.geo)

    def move(self, step: int) -> bool:
        return self.state.active != "chart" and self.state.move(step)

    def open_row(self) -> None:
        if self.state.active != "flips":
            if self.state.current is not None:
                self.state.show_failures()
            return
        qid = self.state.question
        if not qid:
            return
        self.owner.do_go_triage()
        triage = triage_under(self)
        if triage.state.listing.place_of(qid) is None:
            triage.filter_by("")
        triage.reload(qid)
        triage.say(f"{qid}, as the configuration in use finds it", "plain")

    # taking a row over

    def do_save(self) -> None:
        if (row := self.state.current) is not None:
            door = self._door
            self.offer(lambda: door.offer(row.id), door.adopt)

    def rewritten(self) -> None:
        self._load()


def _open(owner: RagtriageApp) -> SweepScreen | None:
    return next((screen for screen in owner.screen_stack if isinstance(screen, SweepScreen)), None)


def _more(owner: RagtriageApp, view: SweepView) -> None:
    """Rows have come, wherever the user is now."""
    screen = _open(owner)
    if screen is not None and owner.jobs.running("sweep"):
        screen.taken(view)


def _over(owner: RagtriageApp, view: SweepView) -> None:
    """The sweep is over."""
    said = f"{len(view.rows)} configurations measured"
    best = next((row for row in view.rows if row.best), None)
    said += f"; {best.name} finds most by {view.by}" if best else "; nothing beats the one in use"
    if (screen := _open(owner)) is not None:
        screen.taken(view)
        owner.front.say(said if screen is owner.front else f"{said}: S shows it")
    else:
        owner.front.say(f"{said}: S shows it")
