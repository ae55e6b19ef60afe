"""Textual's driver of the terminal, for what terminals and people really send: bytes that are no UTF-8, ctrl+z twice."""

from __future__ import annotations

import codecs
import signal
from functools import partial
from typing import Any

from textual.drivers import linux_driver
from textual.drivers.linux_driver import LinuxDriver

__all__ = ["TerminalDriver"]


def _lenient(encoding: str) -> partial[codecs.IncrementalDecoder]:
    return partial(codecs.getincrementaldecoder(encoding), errors="replace")


# Its reader decodes strictly: one byte of another encoding (a Latin-1 paste, a meta key of 8 bits) would end the app.
linux_driver.getincrementaldecoder = _lenient  # type: ignore[assignment, attr-defined]


class TerminalDriver(LinuxDriver):
    """Reads bytes that are no UTF-8 as U+FFFD, and takes a stop only while it is neither stopping nor coming back."""

    def _run_input_thread(self) -> None:
        try:
            self.run_input_thread()
        except Exception as error:  # the app's own report: Textual's would print what variables hold
            self._app.call_later(self._app._handle_exception, error)

    def _sigtstp_application(self, *told: Any) -> None:
        with_stop_ignored(partial(super()._sigtstp_application, *told), self._sigtstp_application)

    def _sigcont_application(self, *told: Any) -> None:
        with_stop_ignored(partial(super()._sigcont_application, *told), self._sigtstp_application)


def with_stop_ignored(act: partial[None], handler: Any) -> None:
    """Call `act` while SIGTSTP does nothing: a second ctrl+z meanwhile would meet a driver whose threads are half started."""
    signal.signal(signal.SIGTSTP, signal.SIG_IGN)
    try:
        act()
    finally:
        signal.signal(signal.SIGTSTP, handler)
