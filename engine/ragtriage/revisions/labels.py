"""The golden set that a revision has itself: both sides are measured over the head's, and what it changed must not decide."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from ragtriage.errors import GoldenError
from ragtriage.measure.identity import identity_of
from ragtriage.measure.results import Run
from ragtriage.revisions.side import Side

if TYPE_CHECKING:
    from ragtriage.golden.base import GoldenSet

__all__ = ["as_labelled_then", "own_golden"]


def own_golden(side: Side) -> GoldenSet | None:
    """The golden set that the revision has itself; None where it has none that reads."""
    from ragtriage.golden.file import read_beir, read_golden

    project = side.project
    try:
        if project.beir is not None:
            return read_beir(project.beir, qrels=project.qrels)
        return read_golden(side.golden_file, needs=project.config.golden.needs) if side.golden_file is not None else None
    except GoldenError:
        return None


def as_labelled_then(run: Run, old: GoldenSet, new: GoldenSet) -> Run:
    """A run over `new`, each question with the identity that it had in `old`; those that were not in it are left out.

    So a question whose words or labels the branch changed stands apart and decides nothing, though both sides were measured
    with its labels of today: nobody improves a score by relabelling.
    """
    then = {question.qid: identity_of(question) for question in old.questions}
    today = {question.qid for question in new.questions}
    gone = {identity for qid, identity in then.items() if qid not in today}
    kept = [
        dataclasses.replace(question, identity=then.get(question.qid, question.identity))
        for question in run.questions
        if question.qid in then or question.identity in gone
    ]
    return dataclasses.replace(run, questions=tuple(kept))
