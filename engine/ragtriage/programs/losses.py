"""When a program is not asked any more: nothing that was asked lately was answered, so that the rest would only take as long.

A time-out or a death alone is one request's own failure. Several conversations with the same program share one of these: an
answer to any of them shows that it can answer.
"""

from __future__ import annotations

import threading

from ragtriage.errors import SystemFailed

__all__ = ["Losses"]

_IN_A_ROW = 3


class Losses:
    """How many requests in a row were lost, of `at_once` conversations. Safe from several threads.

    It takes three times as many as are asked at once: slow requests meet, since each of them holds up one conversation while
    the others go on to the next slow one. A program that cannot be started is given up after three.
    """

    def __init__(self, at_once: int = 1) -> None:
        self._most = _IN_A_ROW * at_once
        self._lock = threading.Lock()
        self._lost = 0
        self._unstarted = 0
        self._why = ""

    def look(self) -> None:
        """Raises SystemFailed where nothing is asked any more."""
        with self._lock:
            if self._unstarted >= _IN_A_ROW:
                raise SystemFailed(f"not asked: {self._why}, {self._unstarted} times in a row")
            if self._lost >= self._most:
                raise SystemFailed(
                    f"not asked: the {self._lost} before it were lost, and nothing answered in between ({self._why})"
                )

    def lost(self, why: str, *, started: bool) -> None:
        """A request was lost: the program died, kept silent until its time was over, or was not even `started`."""
        with self._lock:
            self._lost += 1
            self._unstarted = 0 if started else self._unstarted + 1
            self._why = why

    def answered(self) -> None:
        """It answered, if only that it failed; or it is to be asked again, however often it was lost."""
        with self._lock:
            self._lost = self._unstarted = 0
