"""A language model as a generator: the template makes the request, the asker gets the reply."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ragtriage.answers.generators import Asking, Generated
from ragtriage.answers.models.asking import Asker
from ragtriage.answers.models.base import Reply, Request
from ragtriage.answers.models.estimate import estimate
from ragtriage.answers.prompt import Template, request_of
from ragtriage.remote.endpoint import Endpoint
from ragtriage.remote.estimate import Agree, Estimate
from ragtriage.types import Answer, Failure, Progress, no_progress

__all__ = ["ModelGenerator"]

_STAGE = "answering"
_UNASKED = ("requests", "input_tokens", "output_tokens", "cost", "seconds")


class ModelGenerator:
    """A language model with a template. `headings`: passages carry title and headings, as they are indexed."""

    def __init__(self, asker: Asker, template: Template, *, headings: bool) -> None:
        self._asker = asker
        self._template = template
        self._headings = headings
        self._unasked: Estimate | None = None
        self.spec = asker.endpoint.shown

    @property
    def endpoint(self) -> Endpoint:
        """See Generator."""
        return self._asker.endpoint

    def manifest(self) -> dict[str, Any]:
        """See Generator: the template, how many requests were sent and failed, and what asking for the rest would take."""
        asked, left = self._asker.asked, self._unasked
        counts = {"asked": asked, "failed": asked - self._asker.kept}
        unasked = {name: getattr(left, name) for name in _UNASKED} if left else None
        return {"spec": self.spec, "template": self._template.name, **counts, "unasked": unasked}

    def requests(self, askings: Sequence[Asking]) -> list[Request]:
        """What would be sent."""
        return [
            request_of(self._template, one.question, one.passages, headings=self._headings)._replace(repeat=one.repeat)
            for one in askings
        ]

    def answer(
        self, askings: Sequence[Asking], *, agree: Agree | None = None, progress: Progress = no_progress
    ) -> list[Generated]:
        """See Generator. Raises MissingExtra, ConfigError, StorageError, and what `agree` raises."""
        requests = self.requests(askings)
        known = self._asker.known(requests)
        replies: Sequence[Reply | Failure | None] = known
        self._unasked = None
        if agree is not None and not all(known):
            replies = self._asker.ask(requests, agree, stage=_STAGE, progress=progress)
        elif not all(known):
            missing = {one.key(self._asker.spec): one for one, reply in zip(requests, known, strict=True) if reply is None}
            self._unasked = estimate(_STAGE, self.endpoint, list(missing.values()), [one for one in known if one])
        return [
            self._generated(asking, reply, cached=before is not None)
            for asking, reply, before in zip(askings, replies, known, strict=True)
        ]

    def _generated(self, asking: Asking, reply: Reply | Failure | None, *, cached: bool) -> Generated:
        if not isinstance(reply, Reply):
            return Generated(reply)
        ids = tuple(passage.chunk_id for passage in asking.passages)
        return Generated(Answer(reply.text, ids, self.spec), reply, cached)
