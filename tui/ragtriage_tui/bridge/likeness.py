"""The questions of the set that are like a text: by words at once, by vectors as far as they are there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragtriage_tui.add_views import Twin
from ragtriage_tui.text import scrub

if TYPE_CHECKING:
    from ragtriage.golden.base import GoldenSet
    from ragtriage.golden.question_vectors import QuestionVectors
    from ragtriage.golden.similar import Wordings
    from ragtriage_tui.bridge.door import Door

__all__ = ["Likeness"]

_LEAST_LIKE = 0.2


class Likeness:
    """Keeps the words and the vectors of the set as long as it stays the same. Runs no model."""

    def __init__(self, door: Door) -> None:
        self._door = door
        self._golden: GoldenSet | None = None
        self._wordings: Wordings | None = None
        self._vectors: QuestionVectors | None = None

    def embed(self, text: str) -> None:
        """Have the vector of a text made, if vectors take part; waits for the model. Raises DoorError."""
        door = self._door
        with door.held() as project:
            if project.config.retrieval.mode == "bm25" or project.beir or project.embedded.missing():
                return
            retriever = project.embedded.retriever
        retriever.question_vectors([text], wait=True)

    def twins(self, text: str, *, limit: int = 8, skip: str = "") -> tuple[Twin, ...]:
        """The most similar questions, best first; `skip` is the raw id of the one that is edited. A text that was searched
        for with its vector is compared by it too."""
        from ragtriage.errors import Cancelled, RagtriageError
        from ragtriage.golden.question_vectors import QuestionVectors
        from ragtriage.golden.similar import Wordings, similar

        door = self._door
        with door.held() as project:
            golden = project.golden
            if self._golden is not golden or self._wordings is None:
                self._golden, self._wordings, self._vectors = golden, Wordings(golden.questions), None
            wordings, vectors = self._wordings, self._vectors
            dense = project.config.retrieval.mode != "bm25" and not project.beir
            retriever = project.embedded.retriever if dense else None
        cosines = None
        if retriever is not None:
            try:
                vectors = vectors or QuestionVectors(golden.questions, retriever)
                vectors.load(wait=False)
                self._vectors = vectors
                cosines = vectors.like(text, wait=False)
            except Cancelled:
                raise
            except RagtriageError:  # what is wrong with the model is said where the results are
                cosines = None
        found = similar(text, wordings, vectors=cosines, limit=limit, skip=skip)
        return tuple(
            Twin(door.names.shown(one.qid), scrub(one.question), round(one.score, 2), one.nearly_equal)
            for one in found
            if one.score >= _LEAST_LIKE
        )
