"""One configuration measured on the golden set: a run, with the figures that only a comparison of configurations needs.

A trial is stored under what it depends on: a sweep that was interrupted, or asks for a configuration that another sweep
measured, finds it again. What differs between two measurements of the same, the times, stands in `timings` and nowhere else.
"""

from __future__ import annotations

import dataclasses
import math
import shutil
import time
from collections.abc import Collection, Sequence
from typing import Any

import numpy as np

from ragtriage.errors import StorageError
from ragtriage.experiments.figures import FIGURES, VERSION, figures_of
from ragtriage.experiments.rerank_latency import latencies
from ragtriage.ids import fingerprint
from ragtriage.measure.answering import AnswersMode
from ragtriage.measure.evaluate import SplitChoice, evaluate
from ragtriage.measure.label_shas import known_label_shas
from ragtriage.measure.results import Run
from ragtriage.measure.runs import RunStore
from ragtriage.project import Project
from ragtriage.remote.estimate import Agree
from ragtriage.search.pipeline import Query
from ragtriage.types import Progress, Question, no_progress

__all__ = ["Trials"]

_KEPT = 200  # trials
_WARMED = 5  # questions that are searched before any is timed
_TIMED = 30  # questions whose search is timed one by one
_ROUNDS = 3  # in which each is timed; the fastest counts, since what else runs can only slow a search down
_ENOUGH_S = 0.2  # after so many seconds no other round begins
_RERANKED = 20  # and those that are reranked once more for it, which may take seconds each


class Trials:
    """The stored trials of a project. Safe against being killed at any time: a trial is there whole or not at all."""

    def __init__(self, project: Project) -> None:
        self.store = RunStore(project.state / "sweeps" / "trials")

    def name(self, project: Project, *, split: SplitChoice, answers: AnswersMode) -> str:
        """The id of the trial of a project as it is configured.

        The hashes that are known of labels are in it: a label that names its chunk by id alone is stale or not by them.
        """
        shas = sorted(known_label_shas(project).items())
        return f"trial-{fingerprint([VERSION, project.fingerprints(), split, answers, shas])}"

    def find(self, project: Project, *, split: SplitChoice = "dev", answers: AnswersMode = "none") -> Run | None:
        """The trial of a project as it is configured, None where it was not made yet or does not read.

        One of dev questions of which some failed, or whose answers did, is None, too: what failed once, such as a program, may
        work by now. Of the holdout it stands: a second look would be one too many.
        """
        name = self.name(project, split=split, answers=answers)
        if not (self.store.folder / name).is_dir():
            return None
        try:
            run = self.store.load(name, rankings=False)
            failed = run.manifest["failed"] or any(question.unanswered for question in run.questions)
            whole = run.manifest["sweep"].keys() >= FIGURES
        except (StorageError, KeyError, AttributeError):
            whole = False
        if not whole:
            shutil.rmtree(self.store.folder / name, ignore_errors=True)
            return None
        return None if failed and split == "dev" else run

    def make(
        self,
        project: Project,
        *,
        split: SplitChoice = "dev",
        answers: AnswersMode = "none",
        ask: Agree | None = None,
        ahead: Sequence[str] = (),
        progress: Progress = no_progress,
    ) -> Run:
        """Measure a project as it is configured and store that, without its rankings. Raises what `evaluate` raises.

        `ahead` are texts that other trials will need: where vectors are made, theirs are made with them, since many texts
        embed faster together.
        """
        name = self.name(project, split=split, answers=answers)  # before: a run of another process may know other hashes then
        watch = _Watch(progress)
        encoded = project.encoder.encoded
        timings = _built(project, watch, ahead)
        run = evaluate(project, split=split, answers=answers, ask=ask, store=False, progress=watch)
        asked = {question.qid: question for question in project.golden.questions}
        questions = [asked[result.qid] for result in run.questions]
        manifest = {**run.manifest, "sweep": figures_of(project, run, questions)}
        del manifest["encoded"]  # what a trial sent through the model depends on what was cached
        timings |= {
            "encoded": project.encoder.encoded - encoded,
            "index_bytes": _index_bytes(project),
            **_query_ms(project, run, questions),
        }
        # what is compared are the ranks of evidence; all that needs the passages is in the figures by now, and they are large
        bare = tuple(dataclasses.replace(one, hits=()) for one in run.questions)
        named = Run(name, manifest, bare, (timings,))
        shutil.rmtree(self.store.folder / named.id, ignore_errors=True)  # with failures, or of another process just now
        return self.store.save(named)

    def prune(self, protected: Collection[str] = ()) -> list[str]:
        """Remove all but the newest `_KEPT` trials, those in `protected` and those of the holdout; their ids are returned."""
        if not self.store.folder.is_dir() or sum(1 for _ in self.store.folder.iterdir()) <= _KEPT:  # nothing has to be read
            return []
        aside = {info.id for info in self.store.all() if info.manifest.get("split") == "holdout"}
        return self.store.prune(_KEPT, {*protected, *aside})


class _Watch:
    """Passes progress on, and remembers which stages had something to do, and for how many seconds until another one had."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._stage, self._since = "", time.perf_counter()
        self.stages: set[str] = set()
        self.seconds: dict[str, float] = {}

    def __call__(self, stage: str, done: int, total: int) -> None:
        if stage != self._stage:
            now = time.perf_counter()
            self.seconds[self._stage] = self.seconds.get(self._stage, 0.0) + now - self._since
            self._stage, self._since = stage, now
        self.stages.add(stage)
        self._progress(stage, done, total)


def _built(project: Project, watch: _Watch, ahead: Sequence[str]) -> dict[str, Any]:
    """Build what is searched. Seconds of each part, None for one that was there already."""
    mode = project.config.retrieval.mode
    out: dict[str, Any] = {"cut_s": None, "index_s": None, "embed_s": None, "embedded": 0}
    project.progress, before = watch, project.progress
    encoded, started = project.encoder.encoded, time.perf_counter()
    chunks = project.chunks
    project.progress = before
    took, embed_s = time.perf_counter() - started, watch.seconds.get("embed", 0.0)  # of sentences, where they decide the cuts
    out["embedded"] = project.encoder.encoded - encoded
    if "cutting" in watch.stages:
        out["cut_s"] = round(took - embed_s, 3)
    if mode != "bm25" and project.indexes.missing():
        project.encoder.start()  # it loads its model while the BM25 index is built
    if mode != "dense":
        started = time.perf_counter()
        project.indexes.lexical(project.config.retrieval.language, watch)
        if "index" in watch.stages or not len(chunks):
            out["index_s"] = round(time.perf_counter() - started, 3)
    if mode != "bm25":
        encoded, started = project.encoder.encoded, time.perf_counter()
        if ahead:
            project.embedder.ensure([*project.indexes.lacking(), *ahead], watch, "passages")
        project.indexes.dense(watch)
        if project.encoder.encoded > encoded:
            out["embedded"] += project.encoder.encoded - encoded
            embed_s += time.perf_counter() - started
    out["embed_s"] = round(embed_s, 3) if out["embedded"] else None
    return out


def _index_bytes(project: Project) -> int:
    mode = project.config.retrieval.mode
    lexical = project.indexes.lexical(project.config.retrieval.language).nbytes if mode != "dense" else 0
    return lexical + (project.indexes.dense().nbytes if mode != "bm25" else 0)


def _query_ms(project: Project, run: Run, questions: Sequence[Question]) -> dict[str, Any]:
    """How long one search takes, everything warm: the median and the 95th percentile in milliseconds.

    Reranking is timed apart, since its scores are in the cache by now, and the percentiles of both are added; None where it
    could not be timed.
    """
    asked = [[Query(question.sent, project.asked_by(question.access))] for question in questions[:_TIMED]]
    for query in asked[:_WARMED]:
        project.system.search(query)
    took = [math.inf] * len(asked)
    began = time.perf_counter()
    for _ in range(_ROUNDS):
        for place, query in enumerate(asked):
            started = time.perf_counter()
            project.system.search(query)
            took[place] = min(took[place], (time.perf_counter() - started) * 1000)
        if time.perf_counter() - began > _ENOUGH_S:
            break
    more = _rerank_ms(project, run, questions)
    if not took or more is None:
        return {"query_ms": None, "query_ms_p95": None}
    p50, p95 = np.percentile(took, (50, 95)).tolist()
    return {"query_ms": round(p50 + more[0], 3), "query_ms_p95": round(p95 + more[1], 3)}


def _rerank_ms(project: Project, run: Run, questions: Sequence[Question]) -> tuple[float, float] | None:
    """The median and the 95th percentile of reranking one question's pool."""
    retrieval = project.config.retrieval
    if not retrieval.rerank:
        return 0.0, 0.0
    asked = [(one.sent, [hit.chunk_id for hit in result.hits]) for one, result in zip(questions, run.questions, strict=True)]
    found = latencies(project.embedded.retriever, asked, [retrieval.pool], no_progress, most=_RERANKED)
    return (found[retrieval.pool].p50_ms, found[retrieval.pool].p95_ms) if found else None
