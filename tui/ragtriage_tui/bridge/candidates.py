"""Candidates for the evidence of a new question: what the retriever gives, and the sentence of each that fits best."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ragtriage_tui.add_views import Candidate, Marked, Results
from ragtriage_tui.bridge.guard import engine_progress, guarded
from ragtriage_tui.bridge.quoting import quotable
from ragtriage_tui.bridge.wanted import holds_wanted
from ragtriage_tui.text import Extent, scrub
from ragtriage_tui.views import ChunkView, Progress

if TYPE_CHECKING:
    from ragtriage.chunking.base import Chunks
    from ragtriage.search.pipeline import Retriever
    from ragtriage.types import Document, Hit
    from ragtriage_tui.bridge.door import Door

__all__ = ["best_sentence", "candidates"]

_NEAR = 600
_FEW = 20  # what a screen shows at once, nearly; each costs about half a millisecond
_BEFORE, _AFTER = 0.3, 0.15  # an answer often stands beside the sentence that names the matter


class _Asked(NamedTuple):
    """A question, and its terms with their weights."""

    question: str
    terms: dict[str, float]

    @classmethod
    def of(cls, question: str, retriever: Retriever) -> _Asked:
        return cls(question, {term: retriever.idf(term) for term in sorted(set(retriever.terms(question)))})


@guarded
def candidates(door: Door, text: str, progress: Progress, *, wait: bool, few: bool = False) -> Results:
    """What the retriever gives for a wording, best first. See AddDoor.search."""
    from ragtriage.search.pipeline import Query
    from ragtriage.types import Failure

    with door.held() as project:
        chunks, system = project.chunks, project.embedded
        mode = project.config.retrieval.mode
        groups = project.asked_by(None)
    stages = ("bm25", "dense") if mode == "hybrid" else (mode,)
    behind = mode != "bm25" and system.missing() > 0
    found = system.search([Query(text, groups)], progress=engine_progress(progress), wait=wait and not behind)[0]
    if isinstance(found, Failure):
        return Results(text, stages, (), problem=scrub(found.reason))
    complete = mode == "bm25" or "dense" in found.stages or behind
    problem = "bm25 alone: ctrl+r in Triage embeds the rest" if behind else ""
    retriever = system.retriever
    asked = _Asked.of(text, retriever)
    out = []
    hits = found.hits[:_FEW] if few and not complete else found.hits
    for rank, hit in enumerate(hits, start=1):
        if not wait:
            progress("searching", rank, len(hits))
        if (one := _candidate(door, chunks, retriever, asked, hit, rank, stages)) is not None:
            out.append(one)
    return Results(text, stages, tuple(out), complete, problem)


def _candidate(
    door: Door, chunks: Chunks, retriever: Retriever, asked: _Asked, hit: Hit, rank: int, stages: tuple[str, ...]
) -> Candidate | None:
    row = chunks.row(hit.chunk_id)
    if row is None:
        return None
    chunk = chunks[row]
    document = chunks.document_of(row)
    start, end = chunk.span
    doc_id = door.names.shown(chunk.doc_id)
    by_name = {"bm25": hit.bm25_rank, "dense": hit.dense_rank}
    view = ChunkView(
        rank, door.names.shown(hit.chunk_id), doc_id, scrub(document.text[start:end]),
        ranks=tuple(by_name.get(stage) for stage in stages),
    )  # fmt: skip
    best = _best(document, start, end, retriever, asked)
    rows = chunks.rows_of(chunk.doc_id)
    label = _label(chunks, row)
    before = (_label(chunks, row - 1), scrub(chunks.text(row - 1)[-_NEAR:])) if row - 1 in rows else ("", "")
    after = (_label(chunks, row + 1), scrub(chunks.text(row + 1)[:_NEAR])) if row + 1 in rows else ("", "")
    quote = scrub(document.text[best.start : best.end])
    return Candidate(view, label, Extent(start, end), chunk.tokens, Marked(doc_id, best, quote), before, after)


def _best(document: Document, start: int, end: int, retriever: Retriever, asked: _Asked) -> Extent:
    """The sentence that shares most with the question, its neighbours counting a little, and a time or a number where that is
    asked for; grown to what would be saved."""
    from ragtriage.golden.capture import grown

    text, terms = document.text, asked.terms
    spans = quotable(document, start, end)
    if not spans:  # nothing but headings
        return Extent(start, start)
    own = [sum(terms.get(term, 0.0) for term in set(retriever.terms(text[slice(*one)]))) for one in spans]
    before, after = [0.0, *own[:-1]], [*own[1:], 0.0]
    whole = sum(terms.values())
    kind = [whole * holds_wanted(asked.question, text[slice(*one)]) for one in spans]
    scores = [mine + _BEFORE * one + _AFTER * two + more for mine, one, two, more in zip(own, before, after, kind, strict=True)]
    best = spans[max(range(len(spans)), key=lambda at: (round(scores[at], 6), -at))]
    return Extent(*grown(text, best))


def best_sentence(document: Document, span: Extent, retriever: Retriever, question: str) -> Extent:
    """The sentence of a part of a document that fits a question best; empty where there is none to quote."""
    return _best(document, span.start, span.end, retriever, _Asked.of(question, retriever))


def _label(chunks: Chunks, row: int) -> str:
    chunk = chunks[row]
    return f"#{chunk.ordinal}" if chunks.document_of(row).cuts is None else scrub(chunk.chunk_id)
