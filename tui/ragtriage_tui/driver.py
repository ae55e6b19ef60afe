"""Textual's driver of the terminal, for what terminals and people really send: bytes that are no UTF-8, ctrl+z twice."""

from __future__ import annotations

import asyncio
import codecs
import contextlib
import os
import signal
import termios
from functools import partial
from typing import Any

from textual import events
from textual.drivers import linux_driver
from textual.drivers.linux_driver import LinuxDriver
from textual.geometry import Size

__all__ = ["TerminalDriver"]


def _lenient(encoding: str) -> partial[codecs.IncrementalDecoder]:
    return partial(codecs.getincrementaldecoder(encoding), errors="replace")


# Its reader decodes strictly: one byte of another encoding (a Latin-1 paste, a meta key of 8 bits) would end the app.
linux_driver.getincrementaldecoder = _lenient  # type: ignore[assignment, attr-defined]  # a name it imports


class TerminalDriver(LinuxDriver):
    """Reads bytes that are no UTF-8 as U+FFFD, and takes a stop only while it is neither stopping nor coming back."""

    def sized(self) -> events.Resize:
        """The size that the terminal has now. Of two changes at once Textual may tell the first one last."""
        size = Size(*self._get_terminal_size())
        return events.Resize(size, size)

    def _get_terminal_size(self) -> tuple[int, int]:
        # asked of the terminal: Textual prefers COLUMNS and LINES, which stay what they were when somebody exported them
        with contextlib.suppress(OSError):
            columns, rows = os.get_terminal_size(self.fileno)
            if columns > 0 and rows > 0:
                return columns, rows
        return super()._get_terminal_size()

    def resume_application_mode(self) -> None:
        # What was typed into a shell, an editor or a pager that did not read it has lost what that terminal mode erases: half
        # a paste would swallow every key from here on.
        with contextlib.suppress(OSError, termios.error):
            termios.tcflush(self.fileno, termios.TCIFLUSH)
        super().resume_application_mode()

    def _run_input_thread(self) -> None:
        try:
            self.run_input_thread()
        except Exception as error:  # the app's own report: Textual's would print what variables hold
            self._app.call_later(self._app._handle_exception, error)

    def _sigtstp_application(self, *told: Any) -> None:
        if self._at_work():
            with_stop_ignored(partial(super()._sigtstp_application, *told), self._sigtstp_application)
        else:  # the terminal was given back already
            os.kill(os.getpid(), signal.SIGSTOP)

    def _sigcont_application(self, *told: Any) -> None:
        if self._at_work():
            with_stop_ignored(partial(super()._sigcont_application, *told), self._sigtstp_application)

    @staticmethod
    def _at_work() -> bool:
        """Whether the app's loop still runs: a stop may also come while it closes what it has open."""
        try:
            return asyncio.get_running_loop().is_running()
        except RuntimeError:
            return False


def with_stop_ignored(act: partial[None], handler: Any) -> None:
    """Call `act` while SIGTSTP does nothing: a second ctrl+z meanwhile would meet a driver whose threads are half started."""
    signal.signal(signal.SIGTSTP, signal.SIG_IGN)
    try:
        act()
    finally:
        signal.signal(signal.SIGTSTP, handler)
