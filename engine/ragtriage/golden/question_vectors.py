"""The questions of a set as vectors, from the cache that searches use: a question that was ever searched for is embedded."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from ragtriage.types import Progress, Question, no_progress

if TYPE_CHECKING:
    from ragtriage.search.pipeline import Retriever

__all__ = ["QuestionVectors"]


class QuestionVectors:
    """Cosines with the questions of a set, beside `similar.Wordings`. Holds the vectors; nothing is read before `load`.

    By default no model runs: what is not embedded has no cosine. `wait` embeds it, which takes seconds where the model is not
    loaded, so whoever shows a screen asks without, and again with it from a worker. Raises what `Retriever.search` does.
    """

    def __init__(self, questions: Sequence[Question], retriever: Retriever) -> None:
        self.questions = tuple(questions)
        self._retriever = retriever
        self._qids: tuple[str, ...] = ()
        self._matrix = np.empty((0, 0), np.float32)

    @property
    def missing(self) -> int:
        """How many of the questions have no vector here."""
        return len(self.questions) - len(self._qids)

    def load(self, *, progress: Progress = no_progress, wait: bool = False) -> int:
        """Read the vectors of all questions, embed the others where `wait` allows; returns how many are still `missing`."""
        if self.missing:
            texts = [question.question for question in self.questions]
            vectors = self._retriever.question_vectors(texts, progress=progress, wait=wait)
            known = [question for question in self.questions if question.question in vectors]
            # a file of vectors that came with a project may hold anything: one width counts, the commonest
            widths = [len(vectors[question.question]) for question in known]
            width = max(sorted(set(widths)), key=widths.count, default=0)
            kept = [question for question, its in zip(known, widths, strict=True) if its == width]
            if kept:
                self._matrix = np.stack([vectors[question.question] for question in kept]).astype(np.float32)
                self._qids = tuple(question.qid for question in kept)
        return self.missing

    def like(self, text: str, *, wait: bool = False) -> dict[str, float]:
        """The cosine of `text`, -1 to 1 at 6 decimals, with each question that has a vector; empty where it has none itself."""
        vector = self._retriever.question_vectors([text], wait=wait).get(text)
        if vector is None or not self._qids or len(vector) != self._matrix.shape[1]:
            return {}
        cosines = np.clip(self._matrix @ vector.astype(np.float32), -1.0, 1.0)
        return dict(zip(self._qids, np.round(cosines.astype(np.float64), 6).tolist(), strict=True))
