"""The app's frame: what all screens share, and how it ends."""

from __future__ import annotations

import os
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any, cast

from textual import events
from textual.app import App
from textual.driver import Driver
from textual.screen import Screen

from ragtriage_tui.app import SCREENS
from ragtriage_tui.bridge.places import state_folder, write_file
from ragtriage_tui.inbox_state import Kept
from ragtriage_tui.keymap import Keymap, Settings
from ragtriage_tui.lifecycle import Lifecycle, explain_crash
from ragtriage_tui.review_state import ReviewState
from ragtriage_tui.screens.base import FrameScreen
from ragtriage_tui.session import load_session, save_session
from ragtriage_tui.styles.roles import BACKGROUND
from ragtriage_tui.sweep_state import SweepState
from ragtriage_tui.telling import Busy
from ragtriage_tui.terminal import clipboard_sequence
from ragtriage_tui.views import TriageDoor
from ragtriage_tui.workers import DoorError, Jobs

__all__ = ["RagtriageApp"]


class RagtriageApp(App[int], inherit_bindings=False):
    """Holds the door to the engine, the jobs, the keys and the look; screens hold everything else."""

    ENABLE_COMMAND_PALETTE = False
    ESCAPE_TO_MINIMIZE = False
    ALLOW_SELECT = False
    CSS = """
    FrameScreen { layout: horizontal; overflow: hidden; background: $backdrop; }
    Canvas { height: 100%; width: 1fr; background: $backdrop; }
    """

    def __init__(
        self, root: Path, door: TriageDoor, *, settings: Settings, look: str, plain: bool, encoding: str = "utf-8"
    ) -> None:
        self.root = root
        self.door = door
        self.settings = settings
        self.look = look
        self.plain = plain
        self.encoding = encoding
        self.keymap = Keymap(SCREENS, settings.keys)
        self.jobs = Jobs(self._post, self._job_failed, self._job_busy)
        self.busy: Busy | None = None
        self.inbox_at: Kept | None = None
        self.review_at: ReviewState | None = None
        self.sweep_at: SweepState | None = None
        self.opens: tuple[str, dict[str, Any]] | None = None  # the screen that is opened at the start, and what it is told
        self.leaving = False
        self.farewell = ""
        self._lifecycle = Lifecycle(self._ended)
        super().__init__(ansi_color=look == "ansi")

    def get_theme_variable_defaults(self) -> dict[str, str]:
        return {"backdrop": BACKGROUND[self.look]}

    def get_driver_class(self) -> type[Driver]:
        from ragtriage_tui.driver import TerminalDriver

        return TerminalDriver

    def get_default_screen(self) -> Screen[Any]:
        return cast("Screen[Any]", self._make("Triage", session=load_session(self.root)))

    def on_load(self) -> None:
        self._lifecycle.install()  # before the terminal is taken: who ends the app in between must not find it spoilt

    def on_mount(self) -> None:
        self.app_resume_signal.subscribe(self, lambda app: self.call_later(self.do_redraw))
        if self.opens is not None:
            name, context = self.opens
            self.call_after_refresh(self.go, name, **context)

    # going to screens

    def _make(self, name: str, **context: Any) -> FrameScreen:
        module, class_name = SCREENS[name]
        made: FrameScreen = getattr(import_module(module), class_name)(**context)
        return made

    def go(self, name: str, **context: Any) -> None:
        """Open a screen on top of this one, with what it needs to know."""
        if name in SCREENS:
            self.push_screen(self._make(name, **context))

    @property
    def front(self) -> FrameScreen:
        return cast(FrameScreen, self.screen)

    def do_back(self) -> None:
        if len(self.screen_stack) > 1:
            self.pop_screen()
        else:
            self.leave(0)

    def do_go_triage(self) -> None:
        while len(self.screen_stack) > 1:
            self.pop_screen()

    def do_go_find(self) -> None:
        if self.front.WHERE != "Find":
            self.go("Find")

    def do_go_inbox(self) -> None:
        if all(cast(FrameScreen, screen).WHERE != "Inbox" for screen in self.screen_stack):
            self.go("Inbox", kept=self.inbox_at)
        while self.front.WHERE != "Inbox":  # the one that is open already
            self.pop_screen()

    def do_go_review(self) -> None:
        if all(cast(FrameScreen, screen).WHERE != "Review" for screen in self.screen_stack):
            self.go("Review", kept=self.review_at)
        while self.front.WHERE != "Review":  # the one that is open already
            self.pop_screen()

    def do_go_judge(self) -> None:
        if all(cast(FrameScreen, screen).WHERE != "Judge" for screen in self.screen_stack):
            self.go("Judge")
        while self.front.WHERE != "Judge":  # the one that is open already
            self.pop_screen()

    def do_go_sweep(self) -> None:
        if all(cast(FrameScreen, screen).WHERE != "Sweep" for screen in self.screen_stack):
            self.go("Sweep", kept=self.sweep_at)
        while self.front.WHERE != "Sweep":  # the one that is open already
            self.pop_screen()

    def do_add(self) -> None:
        if all(cast(FrameScreen, screen).WHERE != "Add" for screen in self.screen_stack):
            self.go("Add")
        while self.front.WHERE != "Add":  # the draft that is open already
            self.pop_screen()

    def do_help(self) -> None:
        if self.front.WHERE not in ("Help", "Palette"):
            self.go("Help", where=self.front.WHERE, pane=self.front.pane_name())

    def do_palette(self) -> None:
        if self.front.WHERE != "Palette":
            self.go("Palette", screen=self.front)

    # what every screen can do

    def do_redraw(self) -> None:
        self.refresh(layout=True)
        self.front.redraw()

    def do_suspend(self) -> None:
        self.action_suspend_process()

    def do_leave(self) -> None:
        if self.leaving:
            self.leave(0)
            return
        self.leaving = True
        self.front.say("ctrl+c again leaves; nothing is lost", "plain")

    def do_cancel(self) -> None:
        if self.jobs.cancel("ask"):
            self.front.say("cancelled; answers that had come are kept", "plain")
        elif self.jobs.cancel("review"):
            self.front.say("cancelled; nothing was compared, what was embedded is kept", "plain")
        elif self.jobs.cancel("sweep"):
            self.front.say("cancelled; what was measured is kept: the same sweep goes on there", "plain")
        elif self.jobs.cancel("levers"):
            self.front.say("cancelled; levers that were tried are kept", "plain")
        elif self.jobs.cancel("measure"):
            self.front.say("cancelled; what was measured before stays", "plain")

    def copy_text(self, text: str) -> None:
        """Put text on the clipboard of the terminal, and in a file for where that does not arrive."""
        data = text.encode("utf-8", "replace")
        path = state_folder() / "copied.txt"
        kept = ""
        try:
            write_file(path, data)
            kept = _home(path)
        except DoorError:
            pass
        sequence = clipboard_sequence(text, os.environ)
        if sequence is None:
            where = f"; they are in {kept}" if kept else ""
            self.front.say(f"{len(data):,} bytes are too many for a terminal's clipboard{where}", "warn")
            return
        if self._driver is not None:
            self._driver.write(sequence)
        self.front.say(f"{len(data):,} bytes sent to the clipboard" + (f", also in {kept}" if kept else ""))

    # jobs

    def _post(self, call: Callable[[], None]) -> None:
        self.call_later(call)

    def _job_busy(self, group: str, busy: Busy | None) -> None:
        self.busy = busy
        self.front.paint()

    def _job_failed(self, group: str, error: Exception) -> None:
        text = str(error) if isinstance(error, DoorError) else explain_crash(error)
        self.front.job_failed(group, text)

    # ending

    def leave(self, code: int, farewell: str = "") -> None:
        """Save the session, finish what was promised to be on disk, and end."""
        self.farewell = farewell or self.farewell
        self.save_session()
        self.jobs.stop()  # or closing the encoder waits until all that it was asked for is embedded
        self.jobs.settle(5.0)
        self.exit(code, return_code=code)

    def save_session(self) -> None:
        """Keep where the user is, for the next start."""
        triage = self.screen_stack[0] if self.screen_stack else None
        keep = getattr(triage, "restored", None)
        if keep is not None:
            save_session(self.root, keep())

    def _ended(self, code: int) -> None:
        for screen in self.screen_stack:
            if isinstance(screen, FrameScreen):
                screen.keep()
        self.leave(code)

    def _fatal_error(self) -> None:
        # Textual's own report prints the values of local variables, and so the corpus, to the terminal
        error = self._exception or RuntimeError("unknown")
        self.farewell = f"ragtriage stopped: {explain_crash(error)}"
        self._close_messages_no_wait()

    def _set_pointer_shape(self, shape: str) -> None:
        """Textual names the shape of the mouse pointer by OSC 22, which consoles print; there is nothing to point at."""

    async def on_event(self, event: events.Event) -> None:
        # a terminal that tells of its focus asks for a repaint of the whole screen; nothing here depends on focus
        if isinstance(event, (events.AppFocus, events.AppBlur)):
            return
        if isinstance(event, events.Resize):
            sized = getattr(self._driver, "sized", None)  # the driver of tests has no terminal to ask
            event = sized() if sized else event
        # one after the other, here: Textual puts keys into the queue of the screen in front, and what is typed behind one that
        # opens another screen would be done on the old one - label, open the editor - rather than typed into the new one
        if isinstance(event, (events.Key, events.Paste)) and not event.is_forwarded and self.screen_stack:
            await (self.front.on_key(event) if isinstance(event, events.Key) else self.front.on_paste(event))
            return
        await super().on_event(event)


def _home(path: Path) -> str:
    try:
        return f"~/{path.relative_to(Path.home())}"
    except ValueError:
        return str(path)
