"""A held key moves the list at once; what belongs to the row under the cursor is fetched when the key is let go."""

from __future__ import annotations

import time
from collections.abc import Callable

from textual.screen import Screen
from textual.timer import Timer

__all__ = ["HeldKey"]

_REPEAT_S = 0.09  # keys that follow each other faster than this are one that is held


class HeldKey:
    """Calls `act` at once for a single press, and once after the last of many."""

    def __init__(self, screen: Screen[None], act: Callable[[], None]) -> None:
        self._screen = screen
        self._act = act
        self._pressed_at = 0.0
        self._waiting: Timer | None = None

    def pressed(self) -> None:
        """The row under the cursor is another one now."""
        now = time.monotonic()
        held = now - self._pressed_at < _REPEAT_S
        self._pressed_at = now
        if self._waiting is not None:
            self._waiting.stop()
            self._waiting = None
        if held:
            self._waiting = self._screen.set_timer(_REPEAT_S, self._act)
        else:
            self._act()
