"""How the app ends when it is not asked to: signals, a terminal that is gone, an error nobody foresaw."""

from __future__ import annotations

import asyncio
import contextlib
import os
import select
import signal
import sys
import threading
import time
from collections.abc import Callable

__all__ = ["Lifecycle", "explain_crash"]

_PATIENCE_S = 3.0


class Lifecycle:
    """Watches for the signals and for the end of the terminal.

    `end(code)` asks the app, on its loop, to save and leave; when it has not within three seconds the process ends anyway.
    """

    def __init__(self, end: Callable[[int], None]) -> None:
        self._end = end
        self._ending = False
        self._loop: asyncio.AbstractEventLoop | None = None

    def install(self) -> None:
        """Call on the loop that the app runs in."""
        self._loop = asyncio.get_running_loop()
        for number, code in ((signal.SIGTERM, 143), (signal.SIGHUP, 129)):
            with contextlib.suppress(RuntimeError, ValueError):  # not in the main thread: somebody else's process
                self._loop.add_signal_handler(number, self._leave, code)
        with contextlib.suppress(ValueError):
            signal.signal(signal.SIGINT, self._interrupt)  # not by the loop: while an editor runs it is set aside
        if sys.__stdin__ is not None and sys.__stdin__.isatty():
            descriptor = sys.__stdin__.fileno()
            threading.Thread(target=self._watch, args=(descriptor,), name="ragtriage-terminal", daemon=True).start()

    def _interrupt(self, *_: object) -> None:
        # from outside: ctrl+c comes as a key. Python's own way would stop in the middle of giving the terminal back
        if self._loop is None or not self._loop.is_running():
            raise KeyboardInterrupt
        self._loop.call_soon_threadsafe(self._leave, 130)

    def _leave(self, code: int) -> None:
        if self._ending:
            return
        self._ending = True
        threading.Thread(target=_force, args=(code,), name="ragtriage-end", daemon=True).start()
        self._end(code)

    def _watch(self, descriptor: int) -> None:
        # asks for nothing: returns only when the other side of the terminal has gone
        poll = select.poll()
        poll.register(descriptor, 0)
        while True:
            try:
                found = poll.poll()
            except OSError:
                return
            if found:
                break
        if self._loop is not None:
            with contextlib.suppress(RuntimeError):
                self._loop.call_soon_threadsafe(self._leave, 129)
        _force(129)  # writing to a lost terminal may hold the loop for ever


def _force(code: int) -> None:
    time.sleep(_PATIENCE_S)
    os._exit(code)


def explain_crash(error: BaseException) -> str:
    """Keep the traceback in the log, without the values of variables, and return what to tell the user."""
    from ragtriage_tui.crash import write_crash

    path = write_crash(error)
    kind = type(error).__name__
    where = f"; the details are in {path}" if path else ""
    return f"unexpected {kind}{where}"
