"""The border of the user's own retriever: what it is asked, and what it gives back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from ragtriage.types import Failure, Groups

__all__ = ["Asker", "ForeignHit"]


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
        """End what was started. Called once, when no question is being asked."""
        ...
