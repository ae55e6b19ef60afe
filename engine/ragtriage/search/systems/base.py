"""The border of a retriever under test."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from ragtriage.types import Failure, Hit, Progress, Ranking

if TYPE_CHECKING:
    from ragtriage.chunking.base import Chunks
    from ragtriage.search.pipeline import Query

__all__ = ["Asked", "System", "foreign_ranking"]


@dataclass(frozen=True)
class Asked:
    """What a system said to some questions. `chunks` has a row for each passage in the rankings that is anywhere in the corpus.

    Of a system that is not ours `account` says how its passages were matched, for run.json, and `timings` how long each
    question took, for timings.jsonl.
    """

    rankings: list[Ranking | Failure]
    chunks: Chunks
    account: Mapping[str, Any] = field(default_factory=dict)
    timings: tuple[Mapping[str, Any], ...] = ()


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

    Cut at `depth`. A repeated passage keeps its place, in the ranking as in the prompt, and holds nothing new. `scores` (one an
    id) are shown, not sorted by.
    """
    scored = zip(chunk_ids, scores if scores is not None else [0.0] * len(chunk_ids), strict=True)
    hits = tuple(Hit(chunk_id, score) for chunk_id, score in scored)[:depth]
    return Ranking(hits, {}, len(hits) - len({hit.chunk_id for hit in hits}))
