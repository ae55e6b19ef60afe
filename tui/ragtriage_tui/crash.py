"""What is kept of an error nobody foresaw: its traceback in a log file, without the values of local variables."""

from __future__ import annotations

import contextlib
import sys
import time
import traceback
from pathlib import Path

__all__ = ["traceback_of", "write_crash"]

_MAX_BYTES = 1_000_000


def traceback_of(error: BaseException) -> str:
    """Where an error came from and what caused it, without the values of variables."""
    return "".join(traceback.format_exception(error))


def write_crash(error: BaseException, *, show: bool = False) -> Path | None:
    """Append the traceback to ragtriage.log in the state folder and return its path; None where that cannot be written."""
    from ragtriage.paths import state_dir

    text = traceback_of(error)
    if show:
        sys.stderr.write(text.encode("utf-8", "replace").decode())
    path = state_dir() / "ragtriage.log"
    with contextlib.suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.exists() and path.stat().st_size > _MAX_BYTES:
            path.replace(path.with_suffix(".log.1"))
        with open(path, "a", encoding="utf-8", errors="replace") as handle:
            handle.write(f"{time.strftime('%Y-%m-%dT%H:%M:%SZ', time.gmtime())}\n{text}\n")
        return path
    return None
