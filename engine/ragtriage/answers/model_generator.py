"""A language model as a generator: the template makes the request, the asker gets the reply."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ragtriage.answers.generators import Asking, Generated
from ragtriage.answers.models.asking import Asker
from ragtriage.answers.models.base import Endpoint, Reply, Request
from ragtriage.answers.models.estimate import Agree
from ragtriage.answers.prompt import Template, request_of
from ragtriage.types import Answer, Failure, Progress, no_progress

__all__ = ["ModelGenerator"]


class ModelGenerator:
    """A language model with a template. `headings`: passages carry title and headings, as they are indexed."""

    def __init__(self, asker: Asker, template: Template, *, headings: bool) -> None:
        self._asker = asker
        self._template = template
        self._headings = headings
        self.spec = asker.spec

    @property
    def endpoint(self) -> Endpoint:
        """See Generator."""
        return self._asker.endpoint

    def manifest(self) -> dict[str, Any]:
        """See Generator: the template, and how many requests were sent."""
        return {"spec": self.spec, "template": self._template.name, "asked": self._asker.asked}

    def requests(self, askings: Sequence[Asking]) -> list[Request]:
        """What would be sent."""
        return [request_of(self._template, one.question, one.passages, headings=self._headings) for one in askings]

    def answer(
        self, askings: Sequence[Asking], *, agree: Agree | None = None, progress: Progress = no_progress
    ) -> list[Generated]:
        """See Generator. Raises MissingExtra, ConfigError, StorageError, and what `agree` raises."""
        requests = self.requests(askings)
        known = self._asker.known(requests)
        replies: Sequence[Reply | Failure | None] = known
        if agree is not None and not all(known):
            replies = self._asker.ask(requests, agree, stage="answering", progress=progress)
        return [
            self._generated(asking, reply, cached=before is not None)
            for asking, reply, before in zip(askings, replies, known, strict=True)
        ]

    def _generated(self, asking: Asking, reply: Reply | Failure | None, *, cached: bool) -> Generated:
        if not isinstance(reply, Reply):
            return Generated(reply)
        ids = tuple(passage.chunk_id for passage in asking.passages)
        return Generated(Answer(reply.text, ids, self.spec), reply, cached)
