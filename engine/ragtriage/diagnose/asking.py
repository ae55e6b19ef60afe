"""What the golden set's questions retrieve as things stand: from caches and BM25, without a model."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import NamedTuple

from ragtriage.chunking.base import Chunks
from ragtriage.golden.evidence import resolve
from ragtriage.measure.label_shas import known_label_shas
from ragtriage.project import Project
from ragtriage.search.access import visible
from ragtriage.search.pipeline import Query
from ragtriage.types import Failure, Progress, Question, no_progress

__all__ = ["Asked", "Reached", "asked"]


class Reached(NamedTuple):
    """Rows that one question retrieves, best first, and those of its first k that hold some of its evidence."""

    pool: tuple[int, ...]
    evidence: frozenset[int]


class Asked(NamedTuple):
    """All dev questions that could be searched. `lexical` counts those searched by BM25 alone for want of a cached vector.

    `reranked` tells that the configuration reranks, which was left out. `readers` tells of each document how
    many of the questions may see it by their groups; empty: all of them, all documents.
    """

    questions: tuple[Reached, ...]
    k: int
    pool: int
    lexical: int
    reranked: bool
    readers: tuple[int, ...] = ()


def asked(project: Project, progress: Progress = no_progress) -> Asked:
    """Search for every dev question; the holdout is kept aside. Embeds and reranks nothing.

    Raises ConfigError, StorageError, EncoderFailed, and what `progress` raises.
    """
    questions = [question for question in project.golden.questions if question.split == "dev" and not question.obsolete]
    retrieval = project.config.retrieval
    queries = [Query(question.sent, project.asked_by(question.access)) for question in questions]
    chunks = project.chunks
    shas = known_label_shas(project)
    found, lexical = [], 0
    searched = project.embedded.search(queries, progress=progress, wait=False) if queries else []
    for question, ranking in zip(questions, searched, strict=True):
        if isinstance(ranking, Failure):
            continue
        lexical += retrieval.mode != "bm25" and "dense" not in ranking.stages
        pool = tuple(row for hit in ranking.hits if (row := chunks.row(hit.chunk_id)) is not None)
        found.append(Reached(pool, _holding(question, pool[: retrieval.k], project, shas)))
    groups = Counter(query.groups for query in queries)
    readers = tuple(
        sum(number for each, number in groups.items() if visible(document.access, each))
        for document in chunks.corpus.documents
    )  # fmt: skip
    return Asked(tuple(found), retrieval.k, retrieval.pool, lexical, bool(retrieval.rerank), readers if found else ())


def _holding(question: Question, rows: tuple[int, ...], project: Project, shas: Mapping[str, str]) -> frozenset[int]:
    chunks: Chunks = project.chunks
    spans = [located for item in resolve(question, project.corpus, chunks, shas) for located in item.spans]
    return frozenset(
        row
        for row in rows
        for doc_id, span in spans
        if chunks.document_of(row).doc_id == doc_id and span.start < chunks.ends[row] and chunks.starts[row] < span.end
    )
