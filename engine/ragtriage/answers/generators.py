"""What answers: one border for the extractive stand-in, which is here, and for language models.

All questions are given at once, and each is answered by itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol

from ragtriage.answers.extractive import ExtractiveGenerator
from ragtriage.answers.models.base import Reply
from ragtriage.remote.endpoint import Endpoint
from ragtriage.remote.estimate import Agree
from ragtriage.types import Answer, Failure, Groups, Passage, Progress, no_progress

__all__ = ["Asking", "Extractive", "Generated", "Generator"]


class Asking(NamedTuple):
    """A question and what it is to be answered from. `sent` is what the retriever was asked. `repeat`: see Request."""

    question: str
    passages: tuple[Passage, ...]
    sent: str = ""
    repeat: int = 0
    groups: Groups = None


class Generated(NamedTuple):
    """An answer, a failure with its reason, or None where nobody was asked; with the reply that it came in."""

    answer: Answer | Failure | None
    reply: Reply | None = None
    cached: bool = False


class Generator(Protocol):
    """Answers questions from passages. `spec` names it with all that changes what it says."""

    @property
    def spec(self) -> str: ...

    @property
    def endpoint(self) -> Endpoint | None:
        """Where its language model is; None where there is none."""
        ...

    def manifest(self) -> dict[str, Any]:
        """What is kept of it with a run."""
        ...

    def answer(
        self, askings: Sequence[Asking], *, agree: Agree | None = None, progress: Progress = no_progress
    ) -> list[Generated]:
        """One result an asking, in their order. Without `agree` nothing is sent anywhere: what is known is used."""
        ...


class Extractive:
    """The stand-in, which costs nothing and sends nothing."""

    def __init__(self, generator: ExtractiveGenerator) -> None:
        self._generator = generator
        self.spec = generator.spec
        self.endpoint = None

    def manifest(self) -> dict[str, Any]:
        """See Generator."""
        return {"spec": self.spec}

    def answer(
        self, askings: Sequence[Asking], *, agree: Agree | None = None, progress: Progress = no_progress
    ) -> list[Generated]:
        """See Generator."""
        found = []
        for number, asking in enumerate(askings):
            if number % 50 == 0:
                progress("answering", number, len(askings))
            found.append(Generated(self._generator.answer(asking.question, asking.passages, sent=asking.sent)))
        return found
