"""Waiting in a worker for what another job brings."""

from __future__ import annotations

import time
from collections.abc import Callable

from ragtriage_tui.views import Progress

__all__ = ["wait"]

_LOOK_S = 0.05


def wait(until: Callable[[], bool], what: str, progress: Progress) -> None:
    """Until something holds twice in a row: between two jobs neither runs. `progress` may stop it."""
    calm = 0
    while calm < 2:
        calm = calm + 1 if until() else 0
        if not calm:
            progress(what, 0, 0)
        time.sleep(_LOOK_S if calm < 2 else 0)
