"""Jobs in the background: one a group at a time, with progress and cancel; what an old one brings is dropped.

Threads are daemons: leaving never waits for a job. What they do is safe to be cut off at any point (files are replaced
whole, logs appended whole).
"""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from ragtriage_tui.estimates import Pace
from ragtriage_tui.quiet import Quiet
from ragtriage_tui.telling import Busy
from ragtriage_tui.views import Progress

if TYPE_CHECKING:
    from ragtriage_tui.answer_views import Consent

__all__ = ["DoorError", "Jobs", "NeedsWord", "Stopped"]

T = TypeVar("T")

_EVERY_S = 0.5  # progress reaches the screen at most twice a second


class Stopped(Exception):
    """The user cancelled the job, or a newer one of its group took its place."""


class DoorError(Exception):
    """Something the engine said on purpose; its text is what the user reads."""


class NeedsWord(DoorError):
    """Something needs the user's word first; `consent` is what is asked. Nothing was run or sent."""

    def __init__(self, says: str, consent: Consent) -> None:
        super().__init__(says)
        self.consent = consent


class Jobs:
    """Runs functions in threads and brings their results back to the loop.

    `post` queues a callable on the loop from any thread. `on_error(group, error)` and `on_busy(group, Busy | None)` are
    called on the loop.
    """

    def __init__(
        self,
        post: Callable[[Callable[[], None]], object],
        on_error: Callable[[str, Exception], None],
        on_busy: Callable[[str, Busy | None], None],
    ) -> None:
        self._post = post
        self._on_error = on_error
        self._on_busy = on_busy
        self._current: dict[str, int] = {}
        self._serial = 0
        self._shown: set[str] = set()
        self._lines: dict[str, queue.Queue[Callable[[], None]]] = {}
        self._quiet = Quiet()

    def start(self, group: str, work: Callable[[Progress], T], done: Callable[[T], None]) -> None:
        """Run `work(progress)` in a thread, then `done(result)` on the loop, unless a newer job of the group was started."""
        self._serial += 1
        serial = self._current[group] = self._serial
        name = f"ragtriage-{group}-{serial}"
        threading.Thread(target=self._run, args=(group, serial, work, done), name=name, daemon=True).start()

    def queue(self, line: str, work: Callable[[], T], done: Callable[[T], None]) -> None:
        """Run `work()` in a thread after all that was queued on this line before, then `done(result)`; nothing is dropped."""
        if line not in self._lines:
            waiting: queue.Queue[Callable[[], None]] = queue.Queue()
            self._lines[line] = waiting
            threading.Thread(target=_serve, args=(waiting,), name=f"ragtriage-{line}", daemon=True).start()
        self._lines[line].put(partial(self._do, line, work, done))

    def settle(self, timeout_s: float) -> None:
        """Wait until everything queued is done: a label that was pressed is on disk before one leaves."""
        until = time.monotonic() + timeout_s
        for waiting in self._lines.values():
            while waiting.unfinished_tasks and time.monotonic() < until:
                time.sleep(0.005)

    def cancel(self, group: str) -> bool:
        """Stop the group's job at its next progress call; whether there was one."""
        running = group in self._current
        self._current.pop(group, None)
        if running:
            self._show(group, None)
        return running

    def stop(self) -> None:
        """Stop every job at its next progress call, and show nothing of them any more: for who leaves. What is queued stays."""
        self._current.clear()

    def running(self, group: str) -> bool:
        return group in self._current

    def _run(self, group: str, serial: int, work: Callable[[Progress], Any], done: Callable[[Any], None]) -> None:
        try:
            with self._quiet:
                result = work(self._progress(group, serial))
        except Stopped:
            return
        except Exception as error:
            self._post(partial(self._over, group, serial, partial(self._on_error, group, error)))
            return
        self._post(partial(self._over, group, serial, partial(done, result)))

    def _over(self, group: str, serial: int, tell: Callable[[], None]) -> None:
        if self._current.get(group) != serial:
            return
        del self._current[group]
        self._show(group, None)
        tell()

    def _do(self, line: str, work: Callable[[], Any], done: Callable[[Any], None]) -> None:
        try:
            result = work()
        except Exception as error:
            self._post(partial(self._on_error, line, error))
            return
        self._post(partial(done, result))

    def _show(self, group: str, busy: Busy | None) -> None:
        if busy is None and group not in self._shown:
            return
        (self._shown.discard if busy is None else self._shown.add)(group)
        self._on_busy(group, busy)

    def _progress(self, group: str, serial: int) -> Progress:
        pace = Pace()
        last, shown = 0.0, ""

        def progress(stage: str, done: int, total: int) -> None:
            nonlocal last, shown
            if self._current.get(group) != serial:
                raise Stopped
            now = time.monotonic()
            left = pace.left_s(stage, done, total, now)
            if now - last < _EVERY_S and stage == shown:
                return
            last, shown = now, stage
            self._post(partial(self._told, group, serial, Busy(stage, done, total, left)))

        return progress

    def _told(self, group: str, serial: int, busy: Busy) -> None:
        if self._current.get(group) == serial:
            self._show(group, busy)


def _serve(waiting: queue.Queue[Callable[[], None]]) -> None:
    while True:
        waiting.get()()
        waiting.task_done()
