"""A stored run as other tools have runs and judgements: what was ranked for each question, and where its evidence lies."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Literal

from ragtriage.measure.results import Run
from ragtriage.types import Hit

__all__ = ["By", "document_named", "judgements_of", "rankings_of"]

By = Literal["document", "chunk"]


def rankings_of(run: Run, document_of: Callable[[str], str] | None = None) -> dict[str, dict[str, float]]:
    """Scores by question and chunk in the order of the ranking, or by document, where `document_of` names that of a chunk.

    A document has the place of its first chunk. Scores never rise down a ranking: where a later stage or a system of the
    user's put a passage above one with a higher score, the order is what counts. Failed questions are left out.
    """
    return {one.qid: _scores(one.hits, document_of) for one in run.questions if one.status != "failed"}


def judgements_of(run: Run) -> dict[str, dict[str, float]]:
    """The gain of each document that a question's evidence lies in, the highest of several; measured questions alone."""
    out: dict[str, dict[str, float]] = {}
    for question in run.questions:
        if question.enters:
            grades = out[question.qid] = {}
            for item in question.items:
                for doc in dict.fromkeys(span[0] for span in item.spans) or [item.doc_id]:
                    grades[doc] = max(item.gain, grades.get(doc, 0.0))
    return out


def document_named(chunk_id: str) -> str:
    """The document of a chunk that nothing else is known of: what stands before its number, else the id as it is."""
    name, _, number = chunk_id.rpartition("#")
    return name if name and number.isascii() and number.isdecimal() else chunk_id


def _scores(hits: Iterable[Hit], document_of: Callable[[str], str] | None) -> dict[str, float]:
    out: dict[str, float] = {}
    last = math.inf
    for hit in hits:
        name = hit.chunk_id if document_of is None else document_of(hit.chunk_id)
        if name not in out:
            last = min(hit.score, last) if math.isfinite(hit.score) else min(0.0, last)
            out[name] = last
    return out
