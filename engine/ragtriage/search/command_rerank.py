"""A program of the user's own that reranks: a question with its passages on one line, their scores on the next.

It gets {"id", "question", "passages": ["…", …]} and writes {"scores": [0.12, …]}, one finite number a passage, higher is more
relevant, or {"error": "…"}. It may repeat the `id`. It stays for all questions, and should end when its standard input does.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ragtriage.errors import SystemFailed
from ragtriage.ids import fingerprint
from ragtriage.programs.conversation import Conversation
from ragtriage.programs.identity import program_identity
from ragtriage.search.reranking import Asked
from ragtriage.types import Failure, Progress

__all__ = ["CommandReranker"]

_LARGEST = float(np.finfo(np.float32).max)


class CommandReranker:
    """A `Reranker` that is a program, run in `folder` with the first question. `permit` raises where nobody agreed to it."""

    def __init__(
        self,
        command: tuple[str, ...],
        folder: Path,
        *,
        timeout_s: float,
        permit: Callable[[], None],
        pass_env: tuple[str, ...] = (),
    ) -> None:
        from ragtriage.remote.keys import hiding, told_secrets

        self._command = command
        self._folder = folder
        self._permit = permit
        hide = hiding(told_secrets(command, pass_env))
        self._talk = Conversation(command, str(folder), timeout_s=timeout_s, pass_env=pass_env, hide=hide)

    @property
    def identity(self) -> str:
        """Changes with the command, and with the files in the folder that it names."""
        return fingerprint([list(self._command), program_identity(self._folder, self._command)])

    def rerank_fingerprint(self, model: str) -> str:
        return f"rerank-{model}-{self.identity}"

    def score(self, model: str, asked: Sequence[Asked], progress: Progress) -> list[np.ndarray | Failure]:
        """See Reranker. Raises Untrusted."""
        self._permit()
        total = sum(len(one.passages) for one in asked)
        done = 0
        found: list[np.ndarray | Failure] = []

        def tick() -> None:
            progress("rerank", done, total)

        for one in asked:
            tick()
            try:
                said = self._talk.ask({"question": one.question, "passages": list(one.passages)}, tick)
                found.append(_scores(said, len(one.passages)))
            except SystemFailed as error:
                found.append(Failure(f"reranker: {error}"))
            done += len(one.passages)
        tick()
        return found

    def close(self) -> None:
        """End the program. It may be asked again."""
        self._talk.close()


def _scores(said: dict[str, Any], count: int) -> np.ndarray:
    values = said.get("scores")
    if not isinstance(values, list):
        raise SystemFailed("its answer has no list of scores")
    if len(values) != count:
        raise SystemFailed(f"it sent {len(values)} scores for {count} passages")
    for value in values:
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise SystemFailed("it sent a score that is no number")
        if not (math.isfinite(value) if isinstance(value, float) else True) or abs(value) > _LARGEST:
            raise SystemFailed("it sent a score that is not finite")
    return np.array(values, dtype=np.float32)
