"""The user's own system as what answers: from the passages it is given, or by itself, from those of its own choice."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from typing import Any

from ragtriage.answers.generators import Asking, Generated
from ragtriage.remote.endpoint import Endpoint
from ragtriage.remote.estimate import Agree, Estimate
from ragtriage.search.systems.foreign import Answerer, Asker
from ragtriage.types import Answer, Failure, Progress, no_progress

__all__ = ["SystemGenerator"]

_STAGE = "answering"
_TICK_S = 0.2  # how often a waiting caller may cancel
_CHARACTERS_A_TOKEN = 4
_USUAL_OUTPUT = 150


class SystemGenerator:
    """A generator that is the system under test. Nothing that it says is kept for another run: it may be another one tomorrow.

    `by_itself`: its answers came with its hits, and are taken as they are. `concurrency` questions are asked at once. `url` is
    where it answers from what it is given, "" for a program.
    """

    def __init__(self, asker: Callable[[], Asker], *, by_itself: bool, concurrency: int, url: str = "") -> None:
        self._open = asker
        self._by_itself = by_itself
        self._concurrency = concurrency
        self._url = url

    @property
    def spec(self) -> str:
        """See Generator."""
        return f"system({self._open().spec})"

    @property
    def endpoint(self) -> Endpoint | None:
        """None: what it asks is its own business."""
        return None

    def manifest(self) -> dict[str, Any]:
        """See Generator."""
        return {"spec": self.spec, "by_itself": self._by_itself}

    def answer(
        self, askings: Sequence[Asking], *, agree: Agree | None = None, progress: Progress = no_progress
    ) -> list[Generated]:
        """See Generator. Raises Untrusted, ConfigError, and what `agree` raises."""
        system = self._open()
        if not isinstance(system, Answerer):
            return [Generated(Failure(f"{system.spec} answers nothing")) for _ in askings]
        if self._by_itself:
            return [self._own(system, one) for one in askings]
        if agree is None or not askings:
            return [Generated(None) for _ in askings]
        agree(self._estimate(system, askings))

        def one(asking: Asking) -> Generated:
            return self._generated(asking, system.answer(asking.question, asking.passages))

        with ThreadPoolExecutor(max(1, min(self._concurrency, len(askings))), thread_name_prefix="system") as pool:
            futures = [pool.submit(one, asking) for asking in askings]
            try:
                waiting = set(futures)
                while waiting:
                    progress(_STAGE, len(futures) - len(waiting), len(futures))
                    _, waiting = wait(waiting, timeout=_TICK_S)
            except BaseException:
                pool.shutdown(wait=False, cancel_futures=True)
                system.close()  # who is being asked is not waited for
                raise
            return [future.result() for future in futures]

    def _own(self, system: Answerer, asking: Asking) -> Generated:
        said = system.own.of(asking.sent or asking.question, asking.groups)
        return self._generated(asking, Failure("no answer came with its passages") if said is None else said)

    def _generated(self, asking: Asking, said: str | Failure) -> Generated:
        if isinstance(said, Failure):
            return Generated(said)
        return Generated(Answer(said, tuple(passage.chunk_id for passage in asking.passages), self.spec))

    def _estimate(self, system: Answerer, askings: Sequence[Asking]) -> Estimate:
        read = sum(len(one.question) + sum(len(passage.text) for passage in one.passages) for one in askings)
        endpoint = Endpoint("command", model=system.spec, command=(system.spec,))
        if self._url:
            endpoint = Endpoint("openai", model="your system", base_url=self._url)  # a server, whatever it speaks
        return Estimate(
            _STAGE, endpoint, len(askings), 0, read // _CHARACTERS_A_TOKEN, _USUAL_OUTPUT * len(askings), None, None
        )
