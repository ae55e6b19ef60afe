"""Whether a process is there."""

from __future__ import annotations

import os
import time
from pathlib import Path

__all__ = ["gone"]


def gone(pid: int) -> bool:
    """Whether a process has ended, or does so within a few seconds; a zombie that waits for its parent has."""
    for _ in range(300):
        try:
            if Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0] == "Z":
                return True
            os.kill(pid, 0)
        except (ProcessLookupError, FileNotFoundError):
            return True
        time.sleep(0.02)
    return False
