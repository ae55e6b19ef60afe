"""Holes: retrieved passages that nobody has judged. With one label a question most of the top k are, so they inform and never
decide: no metric, gate or suggestion looks at them.

A passage counts as judged where it is the same as a place of the evidence, or as the words of a judgement: see
triage.judgements.same_passage.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from ragtriage.answers.context import prompt_texts
from ragtriage.chunking.base import Chunks
from ragtriage.golden.ranks import PromptText
from ragtriage.measure.foreign_passages import passages_of
from ragtriage.measure.results import QuestionResult, Run
from ragtriage.project import Project
from ragtriage.triage.judgements import JudgedPassages, Judgement, JudgementLog, same_passage
from ragtriage.types import Span

__all__ = ["Hole", "Holes", "Lacking", "holes", "lacking_places", "summarise_holes", "to_look"]

_REWORDED = 20  # judgements that an evaluation looks for reworded: a rewritten corpus must not slow down every one
_FIRST = {"missed": 0, "partly": 0, "found": 1, "unlabelled": 2}


class Holes(NamedTuple):
    """The positions, from 1 to k and ascending, at which one question has a passage that nobody judged.

    `above` are those that came before the evidence that the question needs; of a question that lost it, all of them.
    `measured`: whether the question is one of those that metrics are means of.
    """

    qid: str
    positions: tuple[int, ...]
    above: tuple[int, ...]
    status: str
    measured: bool


class Hole(NamedTuple):
    """One passage to judge."""

    qid: str
    position: int


class Lacking(NamedTuple):
    """A passage that somebody judged relevant and that is no place of the label, where it was retrieved.

    `span` are the judged words in `doc_id`. `item` counts from 0: the item of evidence that came last, the one which may lack
    this place; None where the question has no label. `evidence_rank` is that item's rank, None where the pool does not hold it.
    """

    qid: str
    chunk_id: str
    doc_id: str
    span: Span
    rank: int
    item: int | None
    evidence_rank: int | None
    judgement: Judgement

    @property
    def above(self) -> bool:
        """Whether it came before the evidence."""
        return self.evidence_rank is None or self.rank < self.evidence_rank

    @property
    def message(self) -> str:
        """What to say about it."""
        found = f"a passage judged relevant was retrieved at {self.rank}"
        if self.item is None:
            return f"{found}; the question has no label"
        if self.evidence_rank is None:
            return f"{found}, the evidence was not: the label may lack a place"
        where = "above" if self.above else "below"
        return f"{found}, {where} the evidence at {self.evidence_rank}: the label may lack a place"


def holes(questions: Iterable[QuestionResult], judged: JudgedPassages, chunks: Chunks, k: int) -> list[Holes]:
    """What nobody judged among the first `k` of each question, in their order."""
    return [_holes_of(question, judged, chunks, k) for question in questions]


def to_look(found: Iterable[Holes]) -> list[Hole]:
    """The passages in the order in which judging them tells most: those above evidence that a question lost, those above
    evidence that it has, those of questions without a label, the rest; in each the questions in their order.
    """
    ranked = []
    for place, one in enumerate(found):
        for position in one.positions:
            group = _FIRST.get(one.status, 3)
            ranked.append((3 if group == 1 and position not in one.above else group, place, position, one.qid))
    return [Hole(qid, position) for *_, position, qid in sorted(ranked)]


def lacking_places(questions: Iterable[QuestionResult], judged: JudgedPassages, chunks: Chunks) -> list[Lacking]:
    """Every judged-relevant passage of a pool that is no place of the label, once a judgement; those above evidence first."""
    out = []
    for question in questions:
        if not any(one.judgement.relevant and one.spans for one in judged.of(question.qid)):
            continue
        item = _last(question.ranks)
        told: set[str] = set()
        places = _places(question)
        for rank, text in enumerate(prompt_texts([hit.chunk_id for hit in question.hits], chunks), start=1):
            judgement = judged.judged(question.qid, text.doc_id, text.span)
            if judgement is None or not judgement.relevant or judgement.id in told or _is_place(text, places, chunks):
                continue
            span = _words_of(judgement, text, judged, chunks)
            # the judged words may be a place of the label where the passage as it is cut today is not
            if not _is_place(text._replace(span=span), places, chunks):
                told.add(judgement.id)
                at = None if item is None else question.ranks[item]
                out.append(Lacking(question.qid, text.chunk_id, text.doc_id, span, rank, item, at, judgement))
    return sorted(out, key=lambda one: not one.above)  # the sort is stable


def summarise_holes(run: Run, project: Project) -> dict[str, Any]:
    """What run.json keeps: `mean` holes of 1..k over the `n` questions that metrics are means of (None where there are none),
    how many `judgements` count for the run's questions, and how many of these are `stale`.
    """
    judgements = JudgementLog(project.evals / "judgements.jsonl").standing()
    judged = JudgedPassages(judgements, project.corpus, reworded=_REWORDED)
    chunks = passages_of(run.questions, project.chunks)
    found = [one for one in holes(run.questions, judged, chunks, int(run.manifest["k"])) if one.measured]
    asked = [question.qid for question in run.questions]
    return {
        "mean": round(sum(len(one.positions) for one in found) / len(found), 4) if found else None,
        "n": len(found),
        "judgements": sum(len(judged.of(qid)) for qid in asked),
        "stale": len(judged.stale(asked)),
    }


_Places = dict[str, list[Span]]


def _places(question: QuestionResult) -> _Places:
    """Where the evidence stands, by document."""
    places: _Places = {}
    for item in question.items:
        for doc_id, start, end in item.spans:
            places.setdefault(doc_id, []).append(Span(start, end))
    return places


def _is_place(text: PromptText, places: _Places, chunks: Chunks) -> bool:
    mine = places.get(text.doc_id)
    if not mine:
        return False
    if text.span in mine:
        return True
    document = chunks.corpus.get(text.doc_id)
    return document is not None and any(same_passage(document.text, place, text.span) for place in mine)


def _holes_of(question: QuestionResult, judged: JudgedPassages, chunks: Chunks, k: int) -> Holes:
    places = _places(question)
    texts = prompt_texts([hit.chunk_id for hit in question.hits[:k]], chunks)
    positions = tuple(
        position
        for position, text in enumerate(texts, start=1)
        if not _is_place(text, places, chunks) and judged.judged(question.qid, text.doc_id, text.span) is None
    )
    return Holes(question.qid, positions, _above(question, positions), question.status, question.measured)


def _above(question: QuestionResult, positions: tuple[int, ...]) -> tuple[int, ...]:
    if question.status in ("missed", "partly"):
        return positions
    ranks = [rank for rank in question.ranks if rank is not None]
    if question.status != "found" or not ranks:
        return ()
    needed = min(ranks) if question.needs == "any" else max(ranks)
    return tuple(position for position in positions if position < needed)


def _last(ranks: Sequence[int | None]) -> int | None:
    """The item that came last or not at all, the first of equals."""
    if not ranks:
        return None
    return max(range(len(ranks)), key=lambda item: (float("inf") if (rank := ranks[item]) is None else rank, -item))


def _words_of(judgement: Judgement, text: PromptText, judged: JudgedPassages, chunks: Chunks) -> Span:
    """Where the words of the judgement stand in this passage."""
    document = chunks.corpus.get(text.doc_id)
    standing = next((one for one in judged.of(judgement.qid) if one.judgement.id == judgement.id), None)
    for span in standing.spans if standing and document else ():
        if document and same_passage(document.text, span, text.span):
            return span
    return text.span
