"""Unanswerable questions whose answer seems to have come into the corpus since: pointed out, never decided.

The detector is the extractive stand-in: it refuses what no passage speaks of. Where it no longer refuses, given only passages
of documents that are new or changed since the question was last measured, somebody should read them.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from ragtriage.answers.context import live_context
from ragtriage.answers.extractive import REFUSAL, ExtractiveGenerator
from ragtriage.measure.corpus_then import documents_then
from ragtriage.search.pipeline import Query
from ragtriage.types import Failure, Progress, Question, no_progress

if TYPE_CHECKING:
    from ragtriage.project import Project

__all__ = ["Appeared", "appeared"]


class Appeared(NamedTuple):
    """A question and the passage that may answer it: `fit` is its cosine and half of its coverage, or its coverage alone
    without vectors. `since` is the run that last measured the question; "" where all documents were looked at.
    """

    qid: str
    question: str
    chunk_id: str
    doc_id: str
    text: str
    fit: float
    since: str


def appeared(project: Project, *, progress: Progress = no_progress) -> list[Appeared]:
    """Every unanswerable question that the passages of new or changed documents seem to answer, in the set's order.

    Raises what a search raises that concerns all questions.
    """
    asked = [question for question in project.golden.questions if not question.answerable and not question.obsolete]
    if not asked:
        return []
    since = _last_measured(project, asked)
    fresh: dict[str, Collection[str] | None] = {"": None}
    waiting = [question for question in asked if _fresh_since(project, since.get(question.qid), fresh) != frozenset()]
    if not waiting:
        return []
    queries = [Query(question.sent, project.asked_by(question.access)) for question in waiting]
    generator = ExtractiveGenerator(project.embedded.retriever)
    found = []
    for question, ranking in zip(waiting, project.embedded.search(queries, progress=progress), strict=True):
        if isinstance(ranking, Failure):
            continue
        run = since.get(question.qid)
        only = _fresh_since(project, run, fresh)
        one = _answered(project, generator, question, [hit.chunk_id for hit in ranking.hits], only)
        if one is not None:
            found.append(one._replace(since=run[0] if run and only is not None else ""))
    return found


_Measured = tuple[str, str]  # a run's id and the fingerprint of its corpus


def _last_measured(project: Project, asked: list[Question]) -> Mapping[str, _Measured]:
    """The newest run in which each question was measured, as far as its manifest tells without reading all of it."""
    out: dict[str, _Measured] = {}
    for info in project.runs.all():
        manifest: Mapping[str, Any] = info.manifest
        only = manifest.get("only")
        measured = (info.id, str(manifest.get("fingerprints", {}).get("corpus", "")))
        for question in asked:
            inside = question.qid in only if only is not None else manifest.get("split") in (question.split, "all")
            if inside and (manifest.get("kind") in (None, question.kind)):
                out.setdefault(question.qid, measured)
    return out


def _fresh_since(project: Project, run: _Measured | None, known: dict[str, Collection[str] | None]) -> Collection[str] | None:
    """The ids of documents that are new or changed since; None where nobody knows, and all have to be looked at."""
    corpus_then = run[1] if run else ""
    if corpus_then not in known:
        then = documents_then(project, corpus_then)
        corpus = project.corpus
        known[corpus_then] = then if then is None else frozenset(
            document.doc_id
            for document, digest in zip(corpus.documents, corpus.digests, strict=False)
            if then.get(document.doc_id) != digest
        )  # fmt: skip
    return known[corpus_then]


def _answered(
    project: Project, generator: ExtractiveGenerator, question: Question, ids: list[str], only: Collection[str] | None
) -> Appeared | None:
    chunks = project.chunks
    config = project.config
    if only is not None:
        rows = ((chunk_id, chunks.row(chunk_id)) for chunk_id in ids)
        ids = [chunk_id for chunk_id, row in rows if row is not None and chunks.document_of(row).doc_id in only]
    passages = live_context(ids, chunks, config.retrieval.k, config.answers.max_context_tokens)
    if not passages or generator.answer(question.question, passages, sent=question.sent).text == REFUSAL:
        return None
    best, fit = passages[0], -1.0
    for passage in passages:
        one = generator.fit(question.question, [passage], sent=question.sent)
        score = 0.0 if one is None else one.coverage if one.cosine is None else one.cosine + one.coverage / 2
        if score > fit:
            best, fit = passage, score
    return Appeared(question.qid, question.question, best.chunk_id, best.doc_id, best.text, round(fit, 4), "")
