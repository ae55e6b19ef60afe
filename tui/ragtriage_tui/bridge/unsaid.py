"""What a question's answer must mention and its evidence does not say: it is saved all the same, and that is said."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

from ragtriage_tui.bridge.document import chunks_of
from ragtriage_tui.text import one_line, scrub

if TYPE_CHECKING:
    from ragtriage.project import Project
    from ragtriage.types import Question

__all__ = ["unsaid_now", "unsaid_phrases"]

_SHOWN = 2


def unsaid_now(project: Project, raws: Collection[str]) -> str:
    """`q001 mentions “48 hours”, which its evidence does not say`, of questions as they stand on disk; empty where each says
    all of it, or nobody can tell."""
    from ragtriage.errors import Cancelled, RagtriageError
    from ragtriage.golden.unsaid import unsaid_in
    from ragtriage.measure.label_shas import known_label_shas

    try:
        questions = [question for question in project.golden.questions if question.qid in raws and question.must_mention]
        if not questions:
            return ""
        told = unsaid_in(questions, project.corpus, chunks_of(project).chunks, known_label_shas(project))
    except Cancelled:
        raise
    except RagtriageError:  # they are saved; what is wrong is said where it matters
        return ""
    more = f"; and {len(told) - _SHOWN} more" if len(told) > _SHOWN else ""
    return scrub(one_line("; ".join(told[:_SHOWN]))) + more


def unsaid_phrases(project: Project, question: Question) -> tuple[str, ...]:
    """The first wording of each thing that a question's answer must mention and its evidence does not say."""
    from ragtriage.golden.evidence import resolve
    from ragtriage.golden.unsaid import unsaid

    chunks = chunks_of(project).chunks
    items = resolve(question, project.corpus, chunks)
    return tuple(scrub(choice[0]) for choice in unsaid(question, items, project.corpus, chunks))
