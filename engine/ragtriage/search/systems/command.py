"""The user's retriever as a program that speaks JSON lines: a request on its standard input, an answer on its output.

It gets {"id", "task": "search", "question", "k", "groups"} and writes {"hits": [...]}: ids, or objects with id, text, doc and
score; with {"answer": "…"} beside them where it brings its own, and "seconds" where it knows how long that took. {"id", "task":
"answer", "question", "passages"} is answered by {"answer": "…"}. It may repeat the `id`, and write {"error": "…"}. It stays for
all questions, and should end when its standard input does. Several are run where several questions are asked at once.
"""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ragtriage.config import RunConfig
from ragtriage.errors import SystemFailed
from ragtriage.programs.conversation import Conversation
from ragtriage.programs.losses import Losses
from ragtriage.search.systems.foreign import ForeignHit, OwnAnswers, Took
from ragtriage.search.systems.hits import hits_of
from ragtriage.search.systems.passages_json import passages_json
from ragtriage.surrogates import clean_text
from ragtriage.types import Failure, Groups, Passage, Progress

__all__ = ["ProgramAsker"]


class ProgramAsker:
    """An `Asker` and `Answerer` that is a program, run in `folder` with the first question. `permit` raises where nobody
    agreed to that."""

    def __init__(
        self,
        command: Sequence[str],
        folder: str,
        run: RunConfig,
        *,
        spec: str,
        identity: str,
        permit: Callable[[], None],
        name: str = "",
    ) -> None:
        """`name` is what errors call it; "": as what its command runs is called."""
        from ragtriage.remote.keys import hiding, told_secrets

        hide = hiding(told_secrets(command, run.pass_env))
        self.spec = spec
        self.identity = identity
        self.own = OwnAnswers()
        self._permit = permit
        self._stop = threading.Event()
        self._free: queue.LifoQueue[Conversation] = queue.LifoQueue()  # the last one used first: others may never start
        losses = Losses(run.concurrency)
        self._all = [
            Conversation(command, folder, timeout_s=run.timeout_s, pass_env=run.pass_env, hide=hide, name=name, losses=losses)
            for _ in range(run.concurrency)
        ]
        for one in self._all:
            self._free.put(one)
        self._took = Took()

    def prepare(self, questions: Sequence[str], progress: Progress) -> None:
        """See Prepares: a program that was lost before may be mended now."""
        for one in self._all:
            one.forgive()

    def took(self) -> float | None:
        """See Timed: as the program tells it, else from the request to the answer, with its start where it was the first."""
        return self._took.seconds

    def ask(self, question: str, k: int, groups: Groups) -> Sequence[ForeignHit] | Failure:
        """See Asker. Raises Untrusted."""
        self._permit()
        try:
            said = self._said(
                {"task": "search", "question": question, "k": k, "groups": None if groups is None else list(groups)}
            )
            found = hits_of(said, k)
        except SystemFailed as error:
            return Failure(str(error))
        self.own.keep(question, groups, said.get("answer"))
        return found

    def answer(self, question: str, passages: Sequence[Passage]) -> str | Failure:
        """See Answerer. Raises Untrusted."""
        self._permit()
        try:
            said = self._said({"task": "answer", "question": question, "passages": passages_json(passages)})
        except SystemFailed as error:
            return Failure(str(error))
        text = said.get("answer")
        return clean_text(text) if isinstance(text, str) else Failure("its answer has no text under answer")

    def close(self) -> None:
        """End the programs; what one of them is being asked fails."""
        stop, self._stop = self._stop, threading.Event()
        stop.set()
        for one in self._all:
            one.close()

    def _said(self, request: Mapping[str, Any]) -> dict[str, Any]:
        stop = self._stop

        def tick() -> None:
            if stop.is_set():
                raise SystemFailed("it was stopped")

        talk = self._free.get()
        try:
            tick()
            began = time.perf_counter()
            said = talk.ask(request, tick)
            waited, told = time.perf_counter() - began, said.get("seconds")
            if not isinstance(told, int | float) or isinstance(told, bool) or not 0 <= told <= waited:
                told = waited
            self._took.seconds = float(told)
            return said
        finally:
            self._free.put(talk)
