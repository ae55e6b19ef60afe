"""Semantic and small-to-big chunking against `recursive` on chunking-eval, at equal tokens of context.

Of each ranking whole passages are taken until the budget is full, and of the next one what still fits: equal k would favour
large chunks. The intervals are those of the paired difference over the questions.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import fmean

from tests.benchmarks.harness import Bench, Figure, info

from ragtriage.answers.context import prompt_texts
from ragtriage.compare.significance import difference_interval
from ragtriage.experiments.budgets import recall_at_tokens
from ragtriage.golden.evidence import resolve
from ragtriage.project import Project
from ragtriage.search.pipeline import Query
from ragtriage.types import Ranking

BUDGETS = (1000, 2000, 4000)
MODES = ("bm25", "dense", "hybrid")
POOL = 400  # enough passages for the largest budget, however small they are
STRATEGIES: Mapping[str, Sequence[str]] = {
    "recursive": ("chunking.strategy=recursive", "chunking.size=200"),
    "semantic": ("chunking.strategy=semantic", "chunking.size=200"),
    "small_to_big": ("chunking.strategy=small_to_big", "chunking.size=200", "chunking.child_size=50"),
}


def run(bench: Bench) -> list[Figure]:
    folder = bench.set("chunking-eval")
    figures = []
    for mode in MODES:
        found = {}
        for name, keys in STRATEGIES.items():
            overrides = [*keys, f"retrieval.mode={mode}", f"retrieval.pool={POOL}", f"retrieval.depth={POOL}"]
            project = Project.open(folder, overrides=overrides)
            try:
                if mode == MODES[0]:
                    tokens = float(project.chunks.tokens.mean())
                    figures.append(info(f"{name}: chunks", len(project.chunks), note=f"{tokens:.0f} tokens in the mean"))
                found[name] = _recalls(project)
            finally:
                project.close()
        for budget in BUDGETS:
            base = found["recursive"][budget]
            figures.append(info(f"{mode}: recursive, evidence recall at {budget} tokens", fmean(base), note=f"n {len(base)}"))
            figures += [
                _against(f"{mode}: {name} less recursive at {budget} tokens", base, columns[budget])
                for name, columns in found.items()
                if name != "recursive"
            ]
    return figures


def _recalls(project: Project) -> dict[int, list[float]]:
    """The evidence recall of each question with labels, by budget."""
    questions = [one for one in project.golden.questions if one.answerable and one.labelled]
    rankings = project.system.search([Query(question.sent, project.asked_by(question.access)) for question in questions])
    chunks = project.chunks
    out: dict[int, list[float]] = {budget: [] for budget in BUDGETS}
    for question, ranking in zip(questions, rankings, strict=True):
        if not isinstance(ranking, Ranking):
            raise RuntimeError(f"{question.qid}: {ranking.reason}")
        items = resolve(question, project.corpus, chunks)
        passages = prompt_texts(ranking.ids, chunks)
        rows = [chunks.row(name) for name in ranking.ids]
        counts = [int(chunks.tokens[row]) for row in rows if row is not None]
        for budget, column in out.items():
            column.append(recall_at_tokens(items, passages, counts, budget, project.corpus))
    return out


def _against(what: str, base: Sequence[float], head: Sequence[float]) -> Figure:
    interval = difference_interval(base, head)
    bounds = "no change" if interval.low is None or interval.high is None else f"{interval.low:+.3f} to {interval.high:+.3f}"
    return info(what, fmean(head) - fmean(base), note=f"{fmean(head):.4f}; 95 % interval {bounds}")
