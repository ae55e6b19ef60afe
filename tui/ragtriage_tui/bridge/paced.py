"""Two calls a second at most: what a quick job tells of itself, as a screen can take it."""

from __future__ import annotations

import time
from collections.abc import Callable

from ragtriage_tui.views import Progress

__all__ = ["Paced", "paced"]

_EVERY_S = 0.5


class Paced:
    """Whether it is time again. `cost_s` is what the last time took: what is dear is done less often."""

    def __init__(self, every_s: float = _EVERY_S, clock: Callable[[], float] = time.monotonic) -> None:
        self._every_s = every_s
        self._clock = clock
        self._next = 0.0

    def due(self) -> bool:
        return self._clock() >= self._next

    def did(self, cost_s: float = 0.0) -> None:
        self._next = self._clock() + max(self._every_s, cost_s * 4)


def paced(progress: Progress, every_s: float = _EVERY_S) -> Progress:
    """`progress`, whose stage changes twice a second at most; each call reaches it, for it may stop the job."""
    pace = Paced(every_s)
    last: tuple[str, int, int] = ("", 0, 0)

    def told(stage: str, done: int, total: int) -> None:
        nonlocal last
        if stage == last[0] or pace.due():
            if stage != last[0]:
                pace.did()
            last = (stage, done, total)
        progress(*last)

    return told
