"""One question measured: where its evidence is and came, what its answer does with it, and the suggested category."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any, NamedTuple

from ragtriage.answers.context import prompt_texts
from ragtriage.chunking.base import Chunks
from ragtriage.corpus.sections import heading_at
from ragtriage.golden.evidence import Located, ResolvedItem, ResolvedPlace, resolve
from ragtriage.golden.ranks import PromptTexts, rank_of
from ragtriage.golden.references import format_reference
from ragtriage.ids import fingerprint, text_sha
from ragtriage.measure.answering import Answered, Plan
from ragtriage.measure.failing import ItemState, state_of, status_of, suggest
from ragtriage.measure.identity import identity_of
from ragtriage.measure.label_shas import known_label_shas
from ragtriage.measure.ladder import Stages, first_broken, lost_at, walk, whole
from ragtriage.measure.results import ItemResult, QuestionResult
from ragtriage.metrics.reciprocal_rank import reciprocal_rank
from ragtriage.project import Project
from ragtriage.types import Failure, Question, Ranking, Span, Status

__all__ = ["Measurer", "Retrieved"]

_NOTHING = Stages({}, PromptTexts(()))


class Retrieved(NamedTuple):
    """One question after retrieval, with where each item of its evidence came. `failed` is the reason where retrieval did."""

    question: Question
    ranking: Ranking
    resolved: tuple[ResolvedItem, ...]
    items: tuple[ItemResult, ...]
    failed: str = ""

    @property
    def ids(self) -> tuple[str, ...]:
        return self.ranking.ids


class Measurer:
    """Measures questions one by one, and holds what is the same for all of one evaluation."""

    def __init__(self, project: Project, passages: Chunks | None = None) -> None:
        """`passages` has the rows of what was retrieved, where that are not the chunks of the project alone."""
        self.project = project
        self.chunks: Chunks = project.chunks
        self.passages = passages or self.chunks
        self.k = project.config.retrieval.k
        self.window = project.system.window if project.config.retrieval.mode != "bm25" else 0
        self.max_tokens = project.config.answers.max_context_tokens
        self.known_shas = known_label_shas(project)

    def retrieved(self, question: Question, ranking: Ranking | Failure) -> Retrieved:
        """Where the evidence of a question is, and where it came."""
        resolved = resolve(question, self.project.corpus, self.chunks, self.known_shas)
        if isinstance(ranking, Failure):
            items = tuple(self._item(item, None, _NOTHING, question) for item in resolved)
            return Retrieved(question, Ranking(()), resolved, items, ranking.reason or "no reason given")
        stages = Stages(
            {name: PromptTexts(prompt_texts(ids, self.passages)) for name, ids in ranking.stages.items()},
            PromptTexts(prompt_texts(ranking.ids, self.passages)),
            ranking.probe,
        )
        corpus = self.project.corpus
        looked = [_by_place(item) for item in resolved] if ranking.places else resolved
        found = zip(resolved, looked, strict=True)
        items = tuple(self._item(item, rank_of(one, stages.final, corpus), stages, question, one) for item, one in found)
        return Retrieved(question, ranking, resolved, items)

    def result(self, found: Retrieved, plan: Plan, answered: Answered) -> QuestionResult:
        """Everything that was measured for a question, as one."""
        question, items, ranking = found.question, found.items, found.ranking
        if found.failed:
            return self._result(question, "failed", items, reason=found.failed)
        states = [state_of(item, self.k) for item in items]
        status = status_of(states, question.needs, answerable=question.answerable)
        live = answered.answers.get("live")
        suggested = suggest(status, states, question.needs, live)
        where = lost_at([item.lost_at for item in items], question.needs) if status in ("partly", "missed") else ""
        if status == "found" and suggested:
            where = "answer"
            if live and not self._reached(question, states, items, len(live.passages)):
                # inside k, but the token budget kept it from the answer: that is not to blame
                suggested, where = "ranked-too-low", "context"
        return self._result(
            question,
            status,
            items,
            suggested=suggested,
            lost_at=where,
            rr=reciprocal_rank([item.rank for item in items]) if status in ("found", "partly", "missed") else None,
            hits=ranking.hits,
            unanswered=answered.failed,
            no_oracle=plan.no_oracle,
            answered_anyway=status in ("partly", "missed") and live is not None and live.correct is True,
            repeated=ranking.repeated,
            places=ranking.places,
            also=ranking.also,
            hidden=ranking.hidden,
            context_tokens=self._context_tokens(ranking),
            **{str(arm): answer for arm, answer in answered.answers.items()},
        )

    def _reached(self, question: Question, states: Sequence[ItemState], items: Sequence[ItemResult], passages: int) -> bool:
        """Whether what the question needs is also inside the passages that were sent."""
        pairs = zip(states, items, strict=True)
        sent = [state._replace(inside=state.inside and (item.rank or 0) <= passages) for state, item in pairs]
        return status_of(sent, question.needs, answerable=True) == "found"

    def _result(self, question: Question, status: Status, items: tuple[ItemResult, ...], **found: Any) -> QuestionResult:
        """A result of `found` fields with `seen`: hashes of all that a verdict is given on, the answer's apart."""
        result = QuestionResult(question.qid, question.kind, question.split, question.needs, status, items, **found)
        labels = [format_reference(place) for evidence in question.evidence for place in evidence.places]
        top = [hit.chunk_id for hit in result.hits[: self.k]]
        seen = fingerprint([question.question, labels, status, top])[:8]
        said = f".{fingerprint([result.live.text])[:8]}" if result.live else ""
        return dataclasses.replace(result, seen=seen + said, identity=identity_of(question))

    def _item(
        self, item: ResolvedItem, rank: int | None, stages: Stages, question: Question, looked: ResolvedItem | None = None
    ) -> ItemResult:
        """`looked` is what the rank is that of, where that is not the item as it is labelled."""
        best = item.best
        located = best.spans[0] if best.spans else None
        document = self.project.corpus.get(located.doc_id) if located else None
        lost = rank is None or rank > self.k
        groups = self.project.asked_by(question.access)
        walked = lost and (stages.lists or stages.probe)
        rungs = walk(looked or item, stages, self.chunks, groups, k=self.k, window=self.window) if walked else ()
        inside = {} if lost else self._inside(item, rank, stages)
        return ItemResult(
            kind=best.place.kind,
            doc_id=located.doc_id if located else best.place.doc,
            heading=heading_at(document, located.span.start) if located and document else (),
            quote=best.place.quote,
            gain=item.evidence.gain,
            how=best.how,
            ambiguous=best.ambiguous,
            stale=best.stale,
            spans=tuple((span.doc_id, *span.span) for span in item.spans),
            rank=rank,
            lost_at=first_broken(rungs),
            rungs=rungs,
            chunk_id=best.place.chunk,
            label_sha=self._sha(best.chunk_id) if not self.project.beir else "",
            stage_ranks=inside,
            in_parts=rank is not None and not lost and not self._whole(looked or item, rank, stages),
            doc_rank=self._doc_rank(item, stages) if best.how == "chunk" and not self.project.beir else None,
        )

    def _inside(self, item: ResolvedItem, rank: int | None, stages: Stages) -> dict[str, int | None]:
        """The rank in each stage of the system under test."""
        if stages.probe:
            return {"system": rank}
        return {name: rank_of(item, texts, self.project.corpus) for name, texts in stages.lists.items()}

    def _whole(self, item: ResolvedItem, rank: int, stages: Stages) -> bool:
        """Whether a single passage of those that came holds it: a copy of it that is whole in another chunk does not count."""
        if rank == 1 or not (stages.probe or whole(item, self.chunks)):
            return rank == 1
        return any(rank_of(item, [text], self.project.corpus) for text in stages.final.texts[:rank])

    def _doc_rank(self, item: ResolvedItem, stages: Stages) -> int | None:
        """The rank at which the item would come if its label counted at document level."""
        corpus = self.project.corpus
        places = tuple(
            ResolvedPlace(place.place, (Located(home, Span(0, len(corpus.document(home).text))),), "stale")
            if place.how == "chunk" and (home := place.spans[0].doc_id)
            else place
            for place in item.places
        )
        return rank_of(ResolvedItem(item.evidence, places), stages.final, corpus)

    def _context_tokens(self, ranking: Ranking) -> int:
        """Tokens of ranks 1..k, as far as the budget goes."""
        rows = [self.passages.row(hit.chunk_id) for hit in ranking.hits[: self.k]]
        return min(sum(int(self.passages.tokens[row]) for row in rows if row is not None), self.max_tokens)

    def _sha(self, chunk_id: str) -> str:
        row = self.chunks.row(chunk_id) if chunk_id else None
        return text_sha(self.chunks.text(row))[:16] if row is not None else ""


def _by_place(item: ResolvedItem) -> ResolvedItem:
    """An item that counts by its place in the document where it is labelled by a chunk id: the system has ids of its own."""
    if all(place.how != "chunk" for place in item.places):
        return item
    more = tuple(
        ResolvedPlace(place.place, place.spans, "coarse", place.chunk_id)
        for place in item.places
        if place.how == "chunk" and place.spans
    )
    return ResolvedItem(item.evidence, (*item.places, *more))
