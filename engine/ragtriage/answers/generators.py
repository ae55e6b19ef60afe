"""What answers: the extractive stand-in, or a language model. Both take all questions at once and answer each by itself."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from ragtriage.answers.extractive import ExtractiveGenerator
from ragtriage.answers.models.asking import Asker
from ragtriage.answers.models.base import Reply, Request
from ragtriage.answers.prompt import Template, request_of
from ragtriage.types import Answer, Failure, Passage, Progress, no_progress

__all__ = ["Asking", "Extractive", "Generated", "Generator", "ModelGenerator"]


class Asking(NamedTuple):
    """A question and what it is to be answered from. `sent` is what the retriever was asked."""

    question: str
    passages: tuple[Passage, ...]
    sent: str = ""


class Generated(NamedTuple):
    """An answer, a failure with its reason, or None where nobody was asked; with the reply that it came in."""

    answer: Answer | Failure | None
    reply: Reply | None = None
    cached: bool = False


class Generator(Protocol):
    """Answers questions from passages. `spec` names it with all that changes what it says."""

    @property
    def spec(self) -> str: ...

    def answer(self, askings: Sequence[Asking], *, allowed: bool = True, progress: Progress = no_progress) -> list[Generated]:
        """One result an asking, in their order. Where not `allowed`, nothing is sent anywhere: what is known is used."""
        ...


class Extractive:
    """The stand-in, which costs nothing and sends nothing."""

    def __init__(self, generator: ExtractiveGenerator) -> None:
        self._generator = generator
        self.spec = generator.spec

    def answer(self, askings: Sequence[Asking], *, allowed: bool = True, progress: Progress = no_progress) -> list[Generated]:
        """See Generator."""
        found = []
        for number, asking in enumerate(askings):
            if number % 50 == 0:
                progress("answering", number, len(askings))
            found.append(Generated(self._generator.answer(asking.question, asking.passages, sent=asking.sent)))
        return found


class ModelGenerator:
    """A language model with a template. `headings`: passages carry title and headings, as they are indexed."""

    def __init__(self, asker: Asker, template: Template, *, headings: bool) -> None:
        self.asker = asker
        self._template = template
        self._headings = headings
        self.spec = asker.spec

    def requests(self, askings: Sequence[Asking]) -> list[Request]:
        """What would be sent."""
        return [request_of(self._template, one.question, one.passages, headings=self._headings) for one in askings]

    def answer(self, askings: Sequence[Asking], *, allowed: bool = True, progress: Progress = no_progress) -> list[Generated]:
        """See Generator. Raises MissingExtra, ConfigError, StorageError."""
        requests = self.requests(askings)
        known = self.asker.known(requests)
        replies: Sequence[Reply | Failure | None] = known
        if allowed and not all(known):
            replies = self.asker.ask(requests, stage="answering", progress=progress)
        return [
            self._generated(asking, reply, cached=before is not None)
            for asking, reply, before in zip(askings, replies, known, strict=True)
        ]

    def _generated(self, asking: Asking, reply: Reply | Failure | None, *, cached: bool) -> Generated:
        if not isinstance(reply, Reply):
            return Generated(reply)
        ids = tuple(passage.chunk_id for passage in asking.passages)
        return Generated(Answer(reply.text, ids, self.spec), reply, cached)
