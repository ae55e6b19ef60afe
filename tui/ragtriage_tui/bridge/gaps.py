"""The vocabulary gap of a question: how much of it is said in the words of its own evidence."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ragtriage.project import Project
    from ragtriage.types import Question

__all__ = ["gap_of"]


def gap_of(project: Project, question: Question) -> float | None:
    """The share, 0 to 1, of a question's content words that its evidence says too; None where it has none, or no index tells
    what its words are."""
    from ragtriage.errors import Cancelled, RagtriageError
    from ragtriage.golden.evidence import resolve
    from ragtriage.golden.gap import evidence_texts, vocabulary_gap
    from ragtriage_tui.bridge.document import chunks_of

    if not question.evidence:
        return None
    try:
        items = resolve(question, project.corpus, chunks_of(project).chunks)
        return vocabulary_gap(question.question, evidence_texts(items, project.corpus), project.embedded.retriever.terms)
    except Cancelled:
        raise
    except RagtriageError:  # what is wrong is said where it matters
        return None
