"""ragtriage's own retriever as the system under test."""

from __future__ import annotations

from collections.abc import Sequence

from ragtriage.config import RetrievalConfig
from ragtriage.ids import spec_of
from ragtriage.search.indexes import Indexes
from ragtriage.search.pipeline import Query, Retriever
from ragtriage.search.reranking import Reranker
from ragtriage.search.systems.base import Asked
from ragtriage.types import Failure, Progress, Ranking, no_progress

__all__ = ["EmbeddedSystem"]


class EmbeddedSystem:
    """A `System`, and what only ours can tell: its statistics, how much it embedded, what it would have to embed."""

    def __init__(self, indexes: Indexes, retrieval: RetrievalConfig, *, reranker: Reranker | None = None) -> None:
        self.retriever = Retriever(indexes, retrieval, reranker=reranker)
        self.spec = spec_of("embedded", retrieval)

    @property
    def encoded(self) -> int:
        """Texts sent through the embedding model so far."""
        return self.retriever.encoded

    @property
    def window(self) -> int:
        """How many tokens of a chunk the encoder reads."""
        return self.retriever.window

    def missing(self) -> int:
        """How many chunk texts would have to be embedded."""
        return self.retriever.missing()

    def prepare(self, progress: Progress = no_progress) -> None:
        """Build or open the indexes, embed what is missing."""
        self.retriever.prepare(progress)

    def search(
        self, queries: Sequence[Query], *, progress: Progress = no_progress, wait: bool = True
    ) -> list[Ranking | Failure]:
        """See Retriever.search."""
        return self.retriever.search(queries, progress=progress, wait=wait)

    def ask(self, queries: Sequence[Query], *, progress: Progress = no_progress) -> Asked:
        """The rankings with the chunks that they name. See Retriever.search."""
        return Asked(self.search(queries, progress=progress), self.retriever.chunks)

    def close(self) -> None:
        """End the encoder process, unless it was given."""
        self.retriever.indexes.close()
