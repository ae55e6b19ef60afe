"""Measure every chosen question once: retrieval in one batch, then evidence, ladder, answers and the suggested category.

One question's failure is data, not the end of the run.
"""

from __future__ import annotations

import time
from collections.abc import Collection, Sequence
from datetime import UTC, datetime
from typing import Literal, get_args

from ragtriage.errors import UsageError
from ragtriage.ids import fingerprint
from ragtriage.measure.answering import Answering, AnswersMode
from ragtriage.measure.corpus_then import remember_documents
from ragtriage.measure.holdout_log import log_look
from ragtriage.measure.measurer import Measurer
from ragtriage.measure.named_runs import named_runs
from ragtriage.measure.report import summarise
from ragtriage.measure.results import Run
from ragtriage.project import Project
from ragtriage.remote.estimate import Agree
from ragtriage.search.encoders import server_manifest
from ragtriage.search.pipeline import Query
from ragtriage.search.systems.base import Asked
from ragtriage.types import Kind, Progress, Question, no_progress
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
    """The questions to measure, in the file's order. Raises UsageError for a qid that is not there, and for no such split.

    A question named in `only` is measured whatever its split, and even where it is obsolete.
    """
    if split not in get_args(SplitChoice):
        raise UsageError(f"{split}: is no split; there are {', '.join(get_args(SplitChoice))}")
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
    repeat: int = 0,
    note: str = "",
    store: bool = True,
    progress: Progress = no_progress,
) -> Run:
    """Measure the chosen questions of `project` and store the run. Raises the errors of reading, never one of a question.

    The set is the one that `project` has read; after a change of its file call `project.refresh()`.
    `ask` and `ask_judge` are called with an estimate before a language model is asked anything, and raise to prevent it;
    without them only replies that are known already are used. `ungraded` also answers what nothing can grade.
    `repeat` 1 and above are the answers of a model that was asked so many times before; such a run is partial. Raises
    UsageError for a repeat of what no model answers.
    """
    if repeat and (project.generator.endpoint is None or answers == "none"):
        raise UsageError("a repeat has a language model answer once more, and here none answers: see answers.generator")
    only = (only,) if isinstance(only, str) else only
    for qid in only or ():
        if why := project.golden.why_unused(qid):
            raise UsageError(why)
    chosen = select(project.golden.questions, split=split, kind=kind, only=only)
    at = datetime.now(UTC)
    started = time.perf_counter()
    queries = [Query(question.sent, project.asked_by(question.access)) for question in chosen]
    asked = _asked(project, queries, progress)
    searched = time.perf_counter()
    answering = Answering(
        project, answers, split_tax=split_tax, ungraded=ungraded, ask=ask, ask_judge=ask_judge, stability=stability,
        repeat=repeat, chunks=asked.chunks,
    )  # fmt: skip
    measurer = Measurer(project, asked.chunks)
    retrieved = []
    for number, (question, ranking) in enumerate(zip(chosen, asked.rankings, strict=True)):
        if number % 50 == 0:
            progress("measuring", number, len(chosen))
        retrieved.append(measurer.retrieved(question, ranking))
    plans = [answering.plan(one.question, one.ids, one.resolved, failed=bool(one.failed)) for one in retrieved]
    answered = answering.answer(plans, progress)
    results = [measurer.result(*three) for three in zip(retrieved, plans, answered, strict=True)]
    measured = time.perf_counter()
    partial = only is not None or kind is not None or split != "dev" or answers != "both" or repeat > 0
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
        "repeat": repeat,
        "as": list(project.groups) if project.groups is not None else None,
        "note": note,
        "fingerprints": project.fingerprints(),
        "config": project.config.as_dict(),
        "versions": _versions(),
        "encoded": project.system.encoded,
        **server_manifest(project),
        "documents": len(project.corpus.documents),
        "chunks": len(project.chunks),
        "chunk_fingerprint": project.chunks.fingerprint,
        **({"system": dict(asked.account)} if asked.account else {}),
        **answering.manifest(),
    }
    run = Run(
        id=f"{at:%Y%m%dT%H%M%SZ}-{fingerprint([manifest['fingerprints']])[:8]}",
        manifest=manifest,
        questions=tuple(results),
        timings=(
            {"stage": "retrieval", "questions": len(chosen), "seconds": round(searched - started, 4)},
            *({**timing, "qid": question.qid} for timing, question in zip(asked.timings, chosen, strict=False)),
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
        log_look(project, run, "eval")
    return run


def _asked(project: Project, queries: Sequence[Query], progress: Progress) -> Asked:
    if project.is_foreign:
        return project.system.ask(queries, progress=progress)
    return Asked(project.system.search(queries, progress=progress), project.chunks)


def _versions() -> dict[str, str]:
    return {name: installed_version(name) for name in ("ragtriage", "tantivy", "usearch", "numpy")}
