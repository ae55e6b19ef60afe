"""The accountant: what a reranker gains at each size of the pool, what that costs, and when reranking is the wrong fix.

A score is a function of question and passage, so one pass over the largest pool gives the order of all of them. See
measure.rerank_account for the figures and the alarms.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from itertools import pairwise, takewhile
from typing import NamedTuple

import numpy as np

from ragtriage.answers.context import prompt_texts
from ragtriage.compare.significance import Interval, difference_interval
from ragtriage.errors import UsageError
from ragtriage.experiments.embedded_only import must_be_embedded
from ragtriage.experiments.rerank_latency import Latency, latencies
from ragtriage.golden.evidence import ResolvedItem, resolve
from ragtriage.golden.ranks import PromptTexts, rank_of
from ragtriage.measure.evaluate import select
from ragtriage.measure.label_shas import known_label_shas
from ragtriage.measure.rerank_account import Account, Alarm, Ranked, account, alarms_of, recalls
from ragtriage.project import Project
from ragtriage.search.pipeline import Query
from ragtriage.search.reranking import best_first
from ragtriage.types import Failure, Progress, Question, Ranking, no_progress

__all__ = ["POOLS", "Audit", "PoolRow", "Step", "audit"]

POOLS = (20, 30, 50, 100)


class Step(NamedTuple):
    """From the pool before to this one: what recall@k gains and what a question takes longer (p50). `doublings` = log2 of the
    ratio of the two."""

    smaller: int
    gain: float
    ms: float | None
    doublings: float


class PoolRow(NamedTuple):
    """One size of the pool. `interval` is the 95 % interval of after - before; `ms_per_point` are the milliseconds (p50) that
    a hundredth of recall@k costs, None where nothing is gained; `step` is None for the smallest pool."""

    account: Account
    interval: Interval
    latency: Latency | None
    ms_per_point: float | None
    step: Step | None
    alarms: tuple[Alarm, ...]


class Audit(NamedTuple):
    """`rows` by ascending pool. `failed` are questions without a ranking, with the reason. `within_budget` is the largest pool
    whose p95 and that of all smaller ones is at most `budget_ms`; None without a budget, or where the smallest is not."""

    reranker: str
    k: int
    rows: tuple[PoolRow, ...]
    failed: tuple[tuple[str, str], ...]
    budget_ms: float | None
    within_budget: int | None


class _Found(NamedTuple):
    """One question: the list as it came, the scores of its passages, and where its evidence is."""

    question: Question
    ids: tuple[str, ...]
    scores: np.ndarray
    items: tuple[ResolvedItem, ...]


def audit(
    project: Project,
    pools: Sequence[int] = POOLS,
    *,
    budget_ms: float | None = None,
    timed: bool = True,
    progress: Progress = no_progress,
) -> Audit:
    """Rerank the dev questions that have labels, and account for it at each of `pools`. Stores no run.

    With `timed` False nothing is timed. Raises UsageError where no reranker is configured, a pool is smaller than k or there
    is no such question, and the errors of searching.
    """
    retrieval = project.config.retrieval
    must_be_embedded(project, "this account")
    sizes = sorted(set(pools))
    if not retrieval.rerank:
        raise UsageError("no reranker is configured: retrieval.rerank names one; lexical needs no model")
    if not sizes or sizes[0] < retrieval.k:
        raise UsageError(f"a pool of {sizes[0] if sizes else 0} is smaller than k ({retrieval.k})")
    questions = [one for one in select(project.golden.questions) if one.answerable and one.labelled]
    if not questions:
        raise UsageError("no dev question has evidence, so there is nothing to rerank for")
    widest = dataclasses.replace(project.config, retrieval=dataclasses.replace(retrieval, pool=sizes[-1]))
    variant = project.variant(widest)
    try:
        queries = [Query(one.sent, project.asked_by(one.access)) for one in questions]
        rankings = variant.system.search(queries, progress=progress)
        shas = known_label_shas(project)
        found: list[_Found] = []
        failed: list[tuple[str, str]] = []
        for question, ranking in zip(questions, rankings, strict=True):
            if isinstance(ranking, Failure):
                failed.append((question.qid, ranking.reason))
            else:
                items = resolve(question, project.corpus, project.chunks, shas)
                found.append(_Found(question, *_as_it_came(ranking), items))
        asked = [(one.question.sent, one.ids) for one in found]
        times = latencies(variant.system.retriever, asked, sizes, progress) if timed else {}
    finally:
        variant.close()
    rows = _rows(project, found, sizes, times)
    return Audit(retrieval.rerank, retrieval.k, rows, tuple(failed), budget_ms, _within(rows, budget_ms))


def _as_it_came(ranking: Ranking) -> tuple[tuple[str, ...], np.ndarray]:
    """The list before reranking, cut at the pool, and the scores of its passages."""
    scores = {hit.chunk_id: hit.score for hit in ranking.hits}
    last = [ids for stage, ids in ranking.stages.items() if stage != "reranked"][-1]
    ids = tuple(name for name in last if name in scores)
    return ids, np.array([scores[name] for name in ids])


def _rows(project: Project, found: Sequence[_Found], sizes: Sequence[int], times: dict[int, Latency]) -> tuple[PoolRow, ...]:
    rows: list[PoolRow] = []
    k = project.config.retrieval.k
    for pool in sizes:
        ranked = [_ranked(project, one, pool) for one in found]
        counted = account(ranked, k=k, pool=pool)
        latency = times.get(pool)
        gain = (counted.after or 0.0) - (counted.before or 0.0)
        per_point = latency.p50_ms / (100 * gain) if latency and gain > 0 else None
        rows.append(PoolRow(counted, difference_interval(*recalls(ranked, k)), latency, per_point, None, alarms_of(counted)))
    steps = [None, *(_step(smaller, larger) for smaller, larger in pairwise(rows))]
    return tuple(row._replace(step=step) for row, step in zip(rows, steps, strict=True))


def _ranked(project: Project, one: _Found, pool: int) -> Ranked:
    before = one.ids[:pool]
    after = [before[place] for place in best_first(one.scores[:pool])]
    sides = [PromptTexts(prompt_texts(ids, project.chunks)) for ids in (before, after)]
    ranks = [tuple(rank_of(item, texts, project.corpus) for item in one.items) for texts in sides]
    return Ranked(one.question.qid, *ranks)


def _step(smaller: PoolRow, larger: PoolRow) -> Step:
    times = smaller.latency, larger.latency
    ms = times[1].p50_ms - times[0].p50_ms if times[0] and times[1] else None
    gain = (larger.account.after or 0.0) - (smaller.account.after or 0.0)
    return Step(smaller.account.pool, gain, ms, math.log2(larger.account.pool / smaller.account.pool))


def _within(rows: Sequence[PoolRow], budget_ms: float | None) -> int | None:
    """See Audit. Scoring more cannot take less: a larger pool that seems quicker than one beyond the budget is noise."""
    if budget_ms is None:
        return None
    inside = takewhile(lambda row: row.latency is not None and row.latency.p95_ms <= budget_ms, rows)
    return max((row.account.pool for row in inside), default=None)
