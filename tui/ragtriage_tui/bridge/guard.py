"""Translates at the border: the engine's errors into the app's, the app's cancelling into the engine's."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import ParamSpec, TypeVar

from ragtriage_tui.text import scrub
from ragtriage_tui.views import Progress
from ragtriage_tui.workers import DoorError, Stopped

__all__ = ["engine_progress", "guarded"]

P = ParamSpec("P")
T = TypeVar("T")


def guarded(call: Callable[P, T]) -> Callable[P, T]:
    """What the engine raises on purpose leaves as DoorError with its message, Cancelled as Stopped; all else as it is."""

    @functools.wraps(call)
    def inside(*args: P.args, **kwargs: P.kwargs) -> T:
        from ragtriage.errors import Cancelled, RagtriageError

        try:
            return call(*args, **kwargs)
        except Cancelled:
            raise Stopped from None
        except RagtriageError as error:
            raise DoorError(scrub(str(error))) from error

    return inside


_STAGES = {"embed": "embedding", "index": "indexing"}


def engine_progress(progress: Progress) -> Progress:
    """A progress callback that stops the engine in the way the engine expects."""
    from ragtriage.errors import Cancelled

    def told(stage: str, done: int, total: int) -> None:
        try:
            side, colon, what = stage.rpartition(": ")
            progress(f"{side}{colon}{_STAGES.get(what, what)}", done, total)
        except Stopped:
            raise Cancelled("stopped") from None

    return told
