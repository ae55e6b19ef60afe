"""Progress on standard error: on a terminal one line that redraws itself, with an estimate before a long embedding."""

from __future__ import annotations

import sys
import time
from typing import TextIO

from ragtriage_tui.estimates import EMBEDDING, duration, embedding_s

__all__ = ["ProgressLine", "ProgressLog", "duration"]

_INTERVAL_S = 0.5
_LOG_S = 10.0
_LONG = 300


class ProgressLine:
    """A Progress (see ragtriage.types) that draws `embedding ━━━━╌╌╌╌ 31 % 40 s left` in one line, and wipes it at the end."""

    def __init__(self, stream: TextIO | None = None, *, ascii_only: bool = False) -> None:
        self._stream = sys.stderr if stream is None else stream
        self._full, self._empty = "=-" if ascii_only else "━╌"
        self._stage = ""
        self._began = 0.0
        self._first = 0
        self._done = 0
        self._moved_at = 0.0
        self._drawn_at = 0.0
        self._width = 0

    def __call__(self, stage: str, done: int, total: int) -> None:
        now = time.monotonic()
        if stage != self._stage or done < self._done:  # fewer than before: another count of the same stage has begun
            self._stage, self._began, self._first, self._drawn_at = stage, now, done, 0.0
            self._done, self._moved_at = done, now
            if stage.endswith(("embed", EMBEDDING)) and total - done >= _LONG:
                left = duration(embedding_s(total - done))
                self._wipe()
                self._stream.write(f"{total - done:,} texts to embed, about {left}. Ctrl-C stops; what is embedded stays.\n")
        if done != self._done:
            self._done, self._moved_at = done, now
        if total <= 0 or (done < total and now - self._drawn_at < _INTERVAL_S):
            return
        if done >= total:
            self._wipe()
            self._stream.flush()
            return
        self._drawn_at = now
        left = ""
        if self._moved_at - self._began > 1:
            each = (self._moved_at - self._began) / (done - self._first)
            left = f"  {duration(each * (total - done) - (now - self._moved_at))} left"
        filled = 24 * done // total
        line = f"{stage} {self._full * filled}{self._empty * (24 - filled)} {100 * done // total} %{left}"
        self._stream.write("\r" + line.ljust(self._width))
        self._stream.flush()
        self._width = len(line)

    def close(self) -> None:
        """Wipe what is drawn."""
        self._wipe()
        self._stream.flush()

    def _wipe(self) -> None:
        if self._width:
            self._stream.write("\r" + " " * self._width + "\r")
            self._width = 0


class ProgressLog:
    """A Progress for logs: a line when a stage begins, when it ends, and every ten seconds in between."""

    def __init__(self, stream: TextIO | None = None) -> None:
        self._stream = sys.stderr if stream is None else stream
        self._stage = ""
        self._began = 0.0
        self._said_at = 0.0

    def __call__(self, stage: str, done: int, total: int) -> None:
        now = time.monotonic()
        if stage != self._stage:
            self._stage, self._began, self._said_at = stage, now, 0.0
        if done >= total or now - self._said_at >= _LOG_S:
            self._said_at = now
            self._stream.write(f"{stage} {done:,} of {total:,} after {now - self._began:.1f} s\n")
            self._stream.flush()
