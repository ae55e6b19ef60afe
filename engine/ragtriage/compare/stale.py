"""A chunk label that no longer fits on one side of a comparison: both sides are then scored by document.

Documents are found far more often than chunks, so that mixing the two levels would hide a regression.
"""

from __future__ import annotations

import dataclasses

from ragtriage.measure.failing import state_of, status_of, suggest
from ragtriage.measure.ladder import lost_at
from ragtriage.measure.results import ItemResult, QuestionResult
from ragtriage.metrics.reciprocal_rank import reciprocal_rank

__all__ = ["at_document_level"]


def at_document_level(question: QuestionResult, k: int) -> QuestionResult:
    """The question with each chunk label at the rank of the first passage of its document, and all that follows from it."""
    if question.status in ("failed", "unanswerable", "unlabelled"):
        return question
    items = tuple(_by_document(item) for item in question.items)
    states = [state_of(item, k) for item in items]
    status = status_of(states, question.needs, answerable=True)
    where = lost_at([_lost_at(item, k) for item in items], question.needs) if status != "found" else ""
    suggested = suggest(status, states, question.needs, question.live)
    return dataclasses.replace(
        question,
        items=items,
        status=status,
        suggested=suggested,
        lost_at="answer" if status == "found" and suggested else where,
        rr=reciprocal_rank([item.rank for item in items]),
    )


def _by_document(item: ItemResult) -> ItemResult:
    if item.how != "chunk":
        return item
    rank = item.rank if item.doc_rank is None else item.doc_rank
    return dataclasses.replace(item, rank=rank, rungs=(), stage_ranks={}, how="stale", stale=True)


def _lost_at(item: ItemResult, k: int) -> str:
    if item.rank is not None and item.rank <= k:
        return ""
    return "context" if item.how == "stale" else item.lost_at
