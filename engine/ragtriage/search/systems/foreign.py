"""The border of the user's own retriever: what it is asked, and what it gives back."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol, runtime_checkable

from ragtriage.surrogates import clean_text
from ragtriage.types import Failure, Groups, Passage, Progress

__all__ = ["Answerer", "Asker", "ForeignHit", "OwnAnswers", "Prepares", "Timed", "Took"]

_ANSWERS_KEPT = 20_000
_LONGEST_ANSWER = 1_000_000


class ForeignHit(NamedTuple):
    """A passage as the system gave it: by its own id, by its text, or by both.

    `id`, `text` and `doc` (its document as the system names it) are "" where the system does not give them, and `score` is
    None. A hit without id and text names nothing; it holds its place.
    """

    id: str = ""
    text: str = ""
    doc: str = ""
    score: float | None = None


class Asker(Protocol):
    """Asks the user's own retriever. `spec` names the configuration, for reports.

    `identity` holds everything that results depend on as far as it can be known: the command and its files' hashes, the
    address, the hash of a recorded file.
    """

    @property
    def spec(self) -> str: ...

    @property
    def identity(self) -> str: ...

    def ask(self, question: str, k: int, groups: Groups) -> Sequence[ForeignHit] | Failure:
        """The system's hits for one question as `groups`, best first, as many as it gives. Safe to call from several threads.

        What concerns this question alone is a Failure with its reason; what stops all of them is raised (SystemFailed,
        ConfigError).
        """
        ...

    def close(self) -> None:
        """End what was started. It may be asked again. Called also while questions are asked, which then fail soon."""
        ...


@runtime_checkable
class Prepares(Protocol):
    """An `Asker` that gets ready for all questions at once."""

    def prepare(self, questions: Sequence[str], progress: Progress) -> None:
        """Called before the first of them is asked. Raises what stops all of them."""
        ...


@runtime_checkable
class Timed(Protocol):
    """An `Asker` that tells its system's own time from ours: starting it, and waiting until it is asked once more."""

    def took(self) -> float | None:
        """The seconds of the newest hits that this thread got; None where the system was not asked for them."""
        ...


class Took(threading.local):
    """What `Timed` tells, for each thread."""

    seconds: float | None = None


@runtime_checkable
class Answerer(Protocol):
    """A system that answers from passages it is given. What it answered by itself, with its own passages, is in `own`."""

    @property
    def spec(self) -> str: ...

    @property
    def own(self) -> OwnAnswers: ...

    def answer(self, question: str, passages: Sequence[Passage]) -> str | Failure:
        """Its answer. Safe to call from several threads."""
        ...


class OwnAnswers:
    """The answers that came with hits: what the system says by itself, from passages of its own choice. For several threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._known: dict[tuple[str, Groups], str] = {}

    def keep(self, question: str, groups: Groups, answer: Any) -> None:
        """Remember what came; anything but a text is no answer."""
        with self._lock:
            self._known.pop((question, groups), None)
            if isinstance(answer, str):
                if len(self._known) >= _ANSWERS_KEPT:
                    del self._known[next(iter(self._known))]
                self._known[question, groups] = clean_text(answer[:_LONGEST_ANSWER])

    def of(self, question: str, groups: Groups) -> str | None:
        """The newest answer to a question of these groups; None where none came."""
        with self._lock:
            return self._known.get((question, groups))
