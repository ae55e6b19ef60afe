"""What the frame says: messages in the footer, running jobs in the header. No Textual in here."""

from __future__ import annotations

from typing import Literal, NamedTuple

__all__ = ["Busy", "Message"]


class Message(NamedTuple):
    """What the footer says until the next move."""

    text: str
    kind: Literal["done", "warn", "plain"] = "done"


class Busy(NamedTuple):
    """A running job as the header says it. `total` 0: not known. `left_s` below 0: not known."""

    stage: str
    done: int = 0
    total: int = 0
    left_s: float = -1.0

    @property
    def text(self) -> str:
        if not self.total:
            return self.stage
        share = f"{self.stage} {100 * self.done // self.total} %"
        return f"{share}, {_seconds(self.left_s)} left" if self.left_s >= 0 else share


def _seconds(seconds: float) -> str:
    return f"{round(seconds)} s" if seconds < 100 else f"{round(seconds / 60)} min"
