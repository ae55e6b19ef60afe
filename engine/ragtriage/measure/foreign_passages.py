"""The passages that a run holds of a system that is not ours, as rows beside the chunks."""

from __future__ import annotations

from collections.abc import Iterable

from ragtriage.chunking.base import Chunks
from ragtriage.measure.results import QuestionResult
from ragtriage.types import AlsoAt, FoundAt

__all__ = ["passages_of"]


def passages_of(results: Iterable[QuestionResult], chunks: Chunks) -> Chunks:
    """A table that knows what these questions were given: `chunks` itself where that are chunks of ours.

    Passages that stand nowhere in the corpus have no row: a run does not keep their texts.
    """
    places: dict[str, FoundAt] = {}
    also: dict[str, tuple[AlsoAt, ...]] = {}
    for result in results:
        places.update(result.places)
        also.update(result.also)
    if not any(places.values()):
        return chunks
    from ragtriage.chunking.passages import Passages

    return Passages(chunks, places, also=also)
