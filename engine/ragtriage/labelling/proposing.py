"""One report of the inbox with all that is known of it: what `ragtriage inbox show` shows. No model runs for it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ragtriage.errors import InputError
from ragtriage.golden.evidence import resolve
from ragtriage.golden.question_vectors import QuestionVectors
from ragtriage.labelling.production import Production, production_rank
from ragtriage.labelling.proposals import Proposal, propose, question_of
from ragtriage.measure.label_shas import known_label_shas

if TYPE_CHECKING:
    from ragtriage.inbox.log import Item
    from ragtriage.project import Project

__all__ = ["Proposed", "propose_question"]


class Proposed(NamedTuple):
    """What is proposed for a report, and where the production system had the evidence of the question that it became or
    repeats; None where it is no question yet, or one without evidence."""

    proposal: Proposal
    production: Production | None


def propose_question(project: Project, item: Item) -> Proposed:
    """The question in a report, its twins in the golden set, and the passages that may answer it.

    Vectors are used where all of them are there already; else BM25 answers alone. Where corpus or golden set cannot be read,
    `proposal.problem` says why, and the question is all there is. Raises StorageError.
    """
    try:
        if project.config.retrieval.mode != "bm25" and not project.embedded.missing():
            project.embedded.prepare()  # opens the vectors: no model runs
        proposal = propose(item.report, project, vectors=_cosines(project, item))
        return Proposed(proposal, _production(project, item, proposal))
    except InputError as error:  # the report can be read all the same
        return Proposed(Proposal(*question_of(item.report), complete=False, problem=str(error)), None)


def _cosines(project: Project, item: Item) -> dict[str, float] | None:
    """Cosines with the questions of the set, where all of it is embedded already."""
    if project.config.retrieval.mode == "bm25" or not project.golden_path.exists():
        return None
    vectors = QuestionVectors(project.golden.questions, project.embedded.retriever)
    vectors.load()
    return vectors.like(question_of(item.report).question)


def _production(project: Project, item: Item, proposal: Proposal) -> Production | None:
    question = project.golden.get(item.qid) if item.qid else None
    if question is None or not question.evidence:
        return None
    items = resolve(question, project.corpus, project.chunks, known_label_shas(project))
    return production_rank(item.report, items, project.corpus, needs=question.needs, passages=proposal.passages)
