"""Measure every chosen question once: retrieval in one batch, then evidence, ladder, answers and the suggested category.

One question's failure is data, not the end of the run.
"""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Collection, Sequence
from datetime import UTC, datetime
from typing import Any, Literal, NamedTuple

from ragtriage.answers.context import prompt_texts
from ragtriage.answers.models.estimate import Agree
from ragtriage.chunking.base import Chunks
from ragtriage.corpus.sections import heading_at
from ragtriage.errors import UsageError
from ragtriage.files import append_line
from ragtriage.golden.evidence import Located, PromptTexts, ResolvedItem, ResolvedPlace, rank_of, resolve
from ragtriage.golden.references import format_reference
from ragtriage.ids import fingerprint, text_sha
from ragtriage.measure.answering import Answered, Answering, AnswersMode, Plan
from ragtriage.measure.corpus_then import remember_documents
from ragtriage.measure.failing import ItemState, state_of, status_of, suggest
from ragtriage.measure.identity import identity_of
from ragtriage.measure.label_shas import known_label_shas
from ragtriage.measure.ladder import Stages, first_broken, lost_at, walk, whole
from ragtriage.measure.named_runs import named_runs
from ragtriage.measure.report import summarise
from ragtriage.measure.results import ItemResult, QuestionResult, Run
from ragtriage.metrics.reciprocal_rank import reciprocal_rank
from ragtriage.project import Project
from ragtriage.search.pipeline import Query
from ragtriage.types import Failure, Kind, Progress, Question, Ranking, Span, Status, no_progress
from ragtriage.versions import installed_version

__all__ = ["AnswersMode", "SplitChoice", "evaluate", "select"]

SplitChoice = Literal["dev", "holdout", "all"]


def select(
    questions: Sequence[Question],
    *,
    split: SplitChoice = "dev",
    kind: Kind | None = None,
    only: Collection[str] | None = None,
) -> list[Question]:
    """The questions to measure, in the file's order. Raises UsageError for a qid that is not there.

    A question named in `only` is measured whatever its split, and even where it is obsolete.
    """
    if only is not None:
        known = {question.qid for question in questions}
        unknown = [qid for qid in only if qid not in known]
        if unknown:
            raise UsageError(f"{', '.join(unknown)}: no such question in the golden set")
        return [question for question in questions if question.qid in set(only)]
    return [
        question
        for question in questions
        if not question.obsolete and (split == "all" or question.split == split) and (kind is None or question.kind == kind)
    ]


def evaluate(
    project: Project,
    *,
    split: SplitChoice = "dev",
    kind: Kind | None = None,
    only: Collection[str] | None = None,
    answers: AnswersMode = "both",
    ask: Agree | None = None,
    ask_judge: Agree | None = None,
    split_tax: bool = False,
    stability: bool = False,
    ungraded: bool = False,
    note: str = "",
    store: bool = True,
    progress: Progress = no_progress,
) -> Run:
    """Measure the chosen questions of `project` and store the run. Raises the errors of reading, never one of a question.

    `ask` and `ask_judge` are called with an estimate before a language model is asked anything, and raise to prevent it;
    without them only replies that are known already are used. `ungraded` also answers what nothing can grade.
    """
    for qid in only or ():
        if why := project.golden.why_unused(qid):
            raise UsageError(why)
    chosen = select(project.golden.questions, split=split, kind=kind, only=only)
    at = datetime.now(UTC)
    started = time.perf_counter()
    queries = [Query(question.sent, project.asked_by(question.access)) for question in chosen]
    rankings = project.system.search(queries, progress=progress)
    searched = time.perf_counter()
    answering = Answering(
        project, answers, split_tax=split_tax, ungraded=ungraded, ask=ask, ask_judge=ask_judge, stability=stability
    )
    measurer = _Measurer(project)
    retrieved = []
    for number, (question, ranking) in enumerate(zip(chosen, rankings, strict=True)):
        if number % 50 == 0:
            progress("measuring", number, len(chosen))
        retrieved.append(measurer.retrieved(question, ranking))
    plans = [answering.plan(one.question, one.ids, one.resolved) for one in retrieved]
    answered = answering.answer(plans, progress)
    results = [measurer.result(*three) for three in zip(retrieved, plans, answered, strict=True)]
    measured = time.perf_counter()
    partial = only is not None or kind is not None or split != "dev" or answers != "both"
    manifest = {
        "format": 1,
        "at": at.strftime("%Y-%m-%dT%H:%M:%S.%fZ"),
        "project": project.name,
        "k": project.config.retrieval.k,
        "split": split,
        "kind": kind,
        "only": sorted(only) if only is not None else None,
        "partial": partial,
        "answers_made": answers,
        "as": list(project.groups) if project.groups is not None else None,
        "note": note,
        "fingerprints": project.fingerprints(),
        "config": project.config.as_dict(),
        "versions": _versions(),
        "encoded": project.system.encoded,
        "documents": len(project.corpus.documents),
        "chunks": len(project.chunks),
        "chunk_fingerprint": project.chunks.fingerprint,
        **answering.manifest(),
    }
    run = Run(
        id=f"{at:%Y%m%dT%H%M%SZ}-{fingerprint([manifest['fingerprints']])[:8]}",
        manifest=manifest,
        questions=tuple(results),
        timings=(
            {"stage": "retrieval", "questions": len(chosen), "seconds": round(searched - started, 4)},
            {"stage": "measuring", "questions": len(chosen), "seconds": round(measured - searched, 4)},
            *answering.timings,
        ),
    )
    run = Run(run.id, {**manifest, **summarise(run, project)}, run.questions, run.timings)
    if store:
        run = project.runs.save(run)
        remember_documents(project)
        project.runs.prune(project.config.run.keep, protected=named_runs(project))
    if store and not project.beir and any(question.split == "holdout" for question in chosen):
        _log_holdout(project, run)
    return run


def _versions() -> dict[str, str]:
    return {name: installed_version(name) for name in ("ragtriage", "tantivy", "usearch", "numpy")}


def _log_holdout(project: Project, run: Run) -> None:
    """Looking at the holdout is counted, so that overfitting to it shows."""
    from ragtriage.triage.verdicts import author

    metrics = {name: mean["value"] for name, mean in run.manifest["metrics"].items()}
    event = {"at": run.manifest["at"], "by": author(project.root), "rev": run.id, "command": "eval", "metrics": metrics}
    folder = project.state / "evals" if project.read_only else project.evals
    append_line(folder / "holdout.jsonl", event)


_NOTHING = Stages({}, PromptTexts(()))


class _Retrieved(NamedTuple):
    """One question after retrieval. `failed` is the reason where retrieval did."""

    question: Question
    ranking: Ranking
    resolved: tuple[ResolvedItem, ...]
    items: tuple[ItemResult, ...]
    failed: str = ""

    @property
    def ids(self) -> tuple[str, ...]:
        return self.ranking.ids


class _Measurer:
    """Holds what is the same for every question of one evaluation."""

    def __init__(self, project: Project) -> None:
        self.project = project
        self.chunks: Chunks = project.chunks
        self.k = project.config.retrieval.k
        self.window = project.system.window if project.config.retrieval.mode != "bm25" else 0
        self.max_tokens = project.config.answers.max_context_tokens
        self.known_shas = known_label_shas(project)

    def retrieved(self, question: Question, ranking: Ranking | Failure) -> _Retrieved:
        """Where the evidence of a question is, and where it came."""
        resolved = resolve(question, self.project.corpus, self.chunks, self.known_shas)
        if isinstance(ranking, Failure):
            items = tuple(self._item(item, None, _NOTHING, question) for item in resolved)
            return _Retrieved(question, Ranking(()), resolved, items, ranking.reason or "no reason given")
        stages = Stages(
            {name: PromptTexts(prompt_texts(ids, self.chunks)) for name, ids in ranking.stages.items()},
            PromptTexts(prompt_texts(ranking.ids, self.chunks)),
        )
        corpus = self.project.corpus
        items = tuple(self._item(item, rank_of(item, stages.final, corpus), stages, question) for item in resolved)
        return _Retrieved(question, ranking, resolved, items)

    def result(self, found: _Retrieved, plan: Plan, answered: Answered) -> QuestionResult:
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

    def _item(self, item: ResolvedItem, rank: int | None, stages: Stages, question: Question) -> ItemResult:
        best = item.best
        located = best.spans[0] if best.spans else None
        document = self.project.corpus.get(located.doc_id) if located else None
        lost = rank is None or rank > self.k
        groups = self.project.asked_by(question.access)
        rungs = walk(item, stages, self.chunks, groups, k=self.k, window=self.window) if lost and stages.lists else ()
        inside = {} if lost else {name: rank_of(item, texts, self.project.corpus) for name, texts in stages.lists.items()}
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
            in_parts=rank is not None and not lost and not whole(item, self.chunks),
            doc_rank=self._doc_rank(item, stages) if best.how == "chunk" and not self.project.beir else None,
        )

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
        rows = [self.chunks.row(hit.chunk_id) for hit in ranking.hits[: self.k]]
        return min(sum(int(self.chunks.tokens[row]) for row in rows if row is not None), self.max_tokens)

    def _sha(self, chunk_id: str) -> str:
        row = self.chunks.row(chunk_id) if chunk_id else None
        return text_sha(self.chunks.text(row))[:16] if row is not None else ""
