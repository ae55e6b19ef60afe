"""Short turns for threads: while a job of Python computes, whoever draws and takes keys need not wait long for the interpreter.

A thread that wants the interpreter waits for one turn of the one that has it, 5 ms by default, and drawing a screen gives it
away several times: together more than a key may take to be seen.
"""

from __future__ import annotations

import sys
import threading
from types import TracebackType

__all__ = ["short_turns"]

_TURN_S = 0.0005


class _ShortTurns:
    """Turns are short inside it, and as they were when the last of the jobs that were inside together is over."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._inside = 0
        self._usual_s = 0.0

    def __enter__(self) -> None:
        with self._lock:
            if not self._inside:
                self._usual_s = sys.getswitchinterval()
                sys.setswitchinterval(min(_TURN_S, self._usual_s))
            self._inside += 1

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None) -> None:
        with self._lock:
            self._inside -= 1
            if not self._inside:
                sys.setswitchinterval(self._usual_s)


short_turns = _ShortTurns()
"""`with short_turns:` around a job."""
