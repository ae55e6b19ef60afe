"""How long a sweep still takes, for the app and the command line. No Textual in here."""

from __future__ import annotations

import time
from collections.abc import Callable

__all__ = ["SweepPace"]


class SweepPace:
    """From the trials that a sweep made itself; one that was there already takes no time."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._at = clock()
        self._took_s = 0.0
        self.made = 0

    def came(self, *, found: bool) -> None:
        """A trial is there now; `found`: it had been made before."""
        now = self._clock()
        if not found:
            self.made += 1
            self._took_s += now - self._at
        self._at = now

    def left_s(self, todo: int) -> float | None:
        """Seconds until `todo` more are there, as if each took the mean of those; None where none was made."""
        return self._took_s / self.made * todo if self.made else None
