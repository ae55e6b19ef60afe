"""The one place where language models are asked: what is known comes from the cache, the rest a few at a time.

Each reply is on disk before it counts, so that whatever stops the work, the next run asks only for what is missing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ragtriage.answers.models.base import Model, Reply, Request
from ragtriage.answers.models.estimate import estimate
from ragtriage.answers.models.opening import open_model
from ragtriage.answers.models.replies import ReplyCache
from ragtriage.errors import ModelFailed
from ragtriage.remote.endpoint import Endpoint
from ragtriage.remote.estimate import Agree
from ragtriage.remote.running import all_of, run
from ragtriage.types import Failure, Progress, no_progress

__all__ = ["Asker"]


class Asker:
    """Asks the model behind one endpoint, if `permit` does not raise. `opens` makes the model, inside the loop that uses it."""

    def __init__(
        self,
        endpoint: Endpoint,
        cache: ReplyCache,
        *,
        permit: Callable[[], None],
        opens: Callable[[Endpoint], Model] = open_model,
    ) -> None:
        self.endpoint = endpoint
        self.spec = endpoint.spec
        self.asked = 0  # requests that were sent, tries of one counted once
        self.kept = 0  # replies to them, each of which is on disk
        self._cache = cache
        self._permit = permit
        self._opens = opens

    def known(self, requests: Sequence[Request]) -> list[Reply | None]:
        """What the cache holds, in the order of `requests`."""
        return [self._cache.get(request.key(self.spec)) for request in requests]

    def ask(
        self, requests: Sequence[Request], agree: Agree, *, stage: str, progress: Progress = no_progress
    ) -> list[Reply | Failure]:
        """One result a request, in their order; those that are equal are asked once, those that are known not at all.

        What `permit`, `agree` or `progress` raise stops the work. Raises MissingExtra, ConfigError, StorageError; never what
        one request did.
        """
        found: dict[str, Reply | Failure] = {}
        keys = [request.key(self.spec) for request in requests]
        missing: dict[str, Request] = {}
        for key, request in zip(keys, requests, strict=True):
            if key in found or key in missing:
                continue
            if known := self._cache.get(key):
                found[key] = known
            else:
                missing[key] = request
        if missing:
            self._permit()
            agree(estimate(stage, self.endpoint, list(missing.values()), list(found.values())))
            self._cache.must_take()
            total = len(found) + len(missing)

            def tell() -> None:
                progress(stage, total - len(missing), total)

            tell()
            run(self._ask_all(missing, found, tell))
            tell()
        return [found[key] for key in keys]

    async def _ask_all(self, missing: dict[str, Request], found: dict[str, Reply | Failure], tell: Callable[[], None]) -> None:
        """Ask for each of `missing`, which empties on the way, and put what comes into `found`."""
        queue = iter(list(missing.items()))
        hopeless = ""
        model = self._opens(self.endpoint)

        async def work() -> None:
            nonlocal hopeless
            for key, request in queue:
                if hopeless:
                    found[key] = Failure(hopeless)
                else:
                    self.asked += 1
                    try:
                        reply = await model.complete(request)
                        self._cache.put(key, reply)
                        self.kept += 1
                        found[key] = reply
                    except ModelFailed as error:
                        found[key] = Failure(str(error))
                        hopeless = str(error) if error.hopeless else hopeless
                del missing[key]

        workers = min(self.endpoint.concurrency, len(missing))
        try:
            await all_of([work() for _ in range(workers)], tell)
        finally:
            await model.close()
