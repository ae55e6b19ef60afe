"""Python's search for garbage, kept from holding the screen.

A full search goes through every object there is, and no thread runs meanwhile: 80 ms with the results of one review of 225
questions in memory. What the engine reads and measures is in no circle of references and goes without being searched for.
"""

from __future__ import annotations

import gc
import threading
from types import TracebackType

__all__ = ["Quiet", "set_aside"]

_NEVER = 1_000_000  # searches among the young, after which all would be searched


class Quiet:
    """While work goes on inside, only young objects are searched. What is there when the last of it is over is set aside, if it
    is much. For several threads at once.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._inside = 0
        self._usual = gc.get_threshold()

    def __enter__(self) -> None:
        with self._lock:
            self._inside += 1
            if self._inside == 1:
                self._usual = gc.get_threshold()
                gc.set_threshold(*self._usual[:2], _NEVER)

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None) -> None:
        with self._lock:
            self._inside -= 1
            if self._inside == 0:
                if gc.get_count()[2] > self._usual[2]:  # all would be searched next
                    set_aside()
                gc.set_threshold(*self._usual)


def set_aside() -> None:
    """Search among the young, and never again what is left now: it goes when nobody refers to it."""
    gc.collect(1)
    gc.freeze()
