"""How long embedding will take: one estimate for the app and the command line, which gives way to what is measured. No Textual
in here."""

from __future__ import annotations

__all__ = ["EMBEDDING", "Pace", "embedding_s"]

EMBEDDING = "embedding"

_TEXTS_A_SECOND = 25.0  # what one CPU core and a half embeds of 166-token texts
_MODEL_START_S = 8.0
_TRUST_S = 4.0  # measured for this long, the pace counts as much as the guess


def embedding_s(todo: int, *, done: int = 0, took_s: float = 0.0, started: bool = False) -> float:
    """Seconds that embedding `todo` texts takes, when `done` others took `took_s`; until the model has `started`, with that."""
    if todo <= 0:
        return 0.0
    pace = (done + _TRUST_S * _TEXTS_A_SECOND) / (took_s + _TRUST_S)
    return (0.0 if started else _MODEL_START_S) + todo / pace


class Pace:
    """How fast a job goes, from the calls of its progress."""

    def __init__(self) -> None:
        self._stage = ""
        self._done = 0
        self._first: tuple[float, int] | None = None  # when the stage's first result was there, and how much that was
        self._started = False

    def left_s(self, stage: str, done: int, total: int, now: float) -> float:
        """Seconds until the stage is over, below 0 where that is not known yet. `now` is of any clock that goes on."""
        if stage != self._stage or done < self._done:  # fewer than before: another count of the same stage has begun
            self._stage, self._first = stage, None
        self._done = done
        if done and self._first is None:
            self._first = (now, done)
        began, first = self._first or (now, done)
        if stage == EMBEDDING and total:
            self._started = self._started or done > 0
            return embedding_s(total - done, done=done - first, took_s=now - began, started=self._started)
        return (now - began) / (done - first) * (total - done) if first < done < total else -1.0
