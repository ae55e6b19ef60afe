"""Rankings of ids as ranks, and the independent oracle that metrics are compared with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytrec_eval

from ragtriage.metrics.base import Metric

ORACLE = {
    Metric("recall", 1): "recall_1", Metric("recall", 3): "recall_3", Metric("recall", 10): "recall_10",
    Metric("hit", 1): "success_1", Metric("hit", 5): "success_5", Metric("hit", 10): "success_10",
    Metric("mrr"): "recip_rank",
    Metric("ndcg", 1): "ndcg_cut_1", Metric("ndcg", 5): "ndcg_cut_5", Metric("ndcg", 10): "ndcg_cut_10",
    Metric("ndcg", 20): "ndcg_cut_20", Metric("ndcg", "pool"): "ndcg",
}  # fmt: skip
"""Our metrics and trec_eval's names of the same."""


def ranks_of(ranking: Sequence[str], judged: Mapping[str, int]) -> tuple[list[int | None], list[float]]:
    """Ranks and gains of the ids judged relevant (grade above 0), as labels of the kind chunk id are resolved."""
    relevant = {chunk: grade for chunk, grade in judged.items() if grade > 0}
    return [ranking.index(c) + 1 if c in ranking else None for c in relevant], [float(g) for g in relevant.values()]


def oracle(rankings: Mapping[str, Sequence[str]], qrels: Mapping[str, Mapping[str, int]]) -> dict[str, dict[str, float]]:
    """trec_eval's value of every measure in ORACLE for every judged question; one without results gets the floor, 0."""
    evaluator = pytrec_eval.RelevanceEvaluator({q: dict(j) for q, j in qrels.items()}, set(ORACLE.values()))
    # it orders by score and breaks ties its own way, so the score says the rank
    run = {q: {c: float(len(ids) - place) for place, c in enumerate(ids)} for q, ids in rankings.items() if ids}
    scored = evaluator.evaluate(run)
    return {q: scored.get(q, dict.fromkeys(ORACLE.values(), 0.0)) for q in qrels}
