"""The border of a retriever under test."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

from ragtriage.search.ranking import as_seen
from ragtriage.types import Failure, Hit, Progress, Ranking

if TYPE_CHECKING:
    from ragtriage.search.pipeline import Query

__all__ = ["System", "foreign_ranking"]


class System(Protocol):
    """Answers questions with rankings of chunk ids. `spec` names its configuration: same spec, same corpus, same rankings."""

    @property
    def spec(self) -> str: ...

    def search(self, queries: Sequence[Query], *, progress: Progress) -> list[Ranking | Failure]:
        """One result a query, in their order. One that failed is a Failure; what stops all of them is raised."""
        ...

    def close(self) -> None: ...


def foreign_ranking(chunk_ids: Sequence[str], scores: Sequence[float] | None, depth: int) -> Ranking:
    """The ranking of a system that is not ours, in the order in which it gave it: that is what its reader saw.

    Cut at `depth` before repeats are dropped; `scores` (one an id) are shown, not sorted by.
    """
    seen = as_seen(chunk_ids, depth)
    first: dict[str, float] = {}
    for chunk_id, score in zip(chunk_ids, scores if scores is not None else [0.0] * len(chunk_ids), strict=True):
        first.setdefault(chunk_id, score)
    return Ranking(tuple(Hit(chunk_id, first[chunk_id]) for chunk_id in seen.ids), {}, seen.repeated)
