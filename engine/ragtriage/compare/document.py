"""A comparison as the JSON that `compare` and `review` print, with the test and the interval of each metric."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

from ragtriage.compare.comparison import CHANGES, Comparison, Flip, MetricChange, paired_values
from ragtriage.compare.label_change import LabelChange
from ragtriage.compare.labels import LabelSplit
from ragtriage.measure.results import QuestionResult, Run
from ragtriage.metrics.base import parse_metric

__all__ = ["counts_of", "flip_json", "to_json", "with_significance"]

_DIGITS = 6
_TESTED = ("recall@", "hit@", "mrr")


def with_significance(comparison: Comparison) -> Comparison:
    """The comparison with `p`, `low` and `high` of recall, hit rate and MRR, over the questions that both sides measured.

    The other metrics say the same once more, and what takes longest here is drawing questions for them.
    """
    from ragtriage.compare.significance import Interval, difference_interval, sign_flip

    metrics = {}
    for name, metric in comparison.metrics.items():
        if not name.startswith(_TESTED) or name == "recall@pool":
            metrics[name] = metric
            continue
        values = paired_values(comparison.pairs, parse_metric(name))
        both = [(old, new) for old, new in zip(values.base, values.head, strict=True) if old is not None and new is not None]
        if both:
            base, head = ([pair[side] for pair in both] for side in (0, 1))
            # where no question changed, all of these say so alike, whatever an interval for 0 and 1 would add
            found = difference_interval(base, head) if base != head else Interval(None, None, "bootstrap")
            p = sign_flip([new - old for old, new in both]).p
            metric = metric._replace(p=_rounded(p), low=_rounded(found.low), high=_rounded(found.high))
        metrics[name] = metric
    return dataclasses.replace(comparison, metrics=metrics)


def counts_of(comparison: Comparison) -> dict[str, int]:
    """How many of the common questions changed in which way, and how many did not."""
    counts = {"common": len(comparison.pairs)}
    for change in CHANGES:
        counts[change] = len(comparison.of(change))
    return counts | {"same": len(comparison.same)}


def to_json(comparison: Comparison, splits: Mapping[str, LabelSplit] | None = None) -> dict[str, Any]:
    """The stable keys of `compare --json`. `outcome` is the gate's to say: null here."""
    splits = splits or {}
    return {
        "format": 1,
        "outcome": None,
        "reasons": [],
        "base": _run_json(comparison.base),
        "head": _run_json(comparison.head),
        "k_differs": comparison.k_differs,
        "questions": counts_of(comparison),
        "metrics": {name: _metric_json(metric, splits.get(name)) for name, metric in comparison.metrics.items()},
        "flips": [flip_json(flip) for flip in comparison.flips],
        "apart": {name: list(qids) for name, qids in comparison.apart._asdict().items()},
        "renamed": [{"was": pair.base.qid, "qid": pair.qid} for pair in comparison.pairs if pair.base.qid != pair.qid],
        "stale": list(comparison.stale),
        "regraded": list(comparison.regraded),
        "encoded": 0,
    }


def flip_json(flip: Flip) -> dict[str, Any]:
    """One element of `flips`."""
    return {
        "qid": flip.qid,
        "change": flip.change,
        "half": flip.half,
        "base_rank": flip.base_rank,
        "head_rank": flip.head_rank,
        "rung": flip.rung or None,
        "rung_base": flip.rung_base,
        "rung_head": flip.rung_head,
        "because": flip.because or None,
        "base": _side(flip.base),
        "head": _side(flip.head),
    }


def _side(question: QuestionResult) -> dict[str, Any]:
    return {
        "status": question.status,
        "suggested": question.suggested or None,
        "lost_at": question.lost_at or None,
        "ranks": list(question.ranks),
        "reason": question.reason or None,
    }


def _run_json(run: Run) -> dict[str, Any]:
    named = ("at", "project", "k", "split", "kind", "only", "answers_made", "as", "partial", "note", "config", "fingerprints")
    return {"run": run.id, **{name: run.manifest.get(name) for name in named}}


def _metric_json(metric: MetricChange, split: LabelSplit | None) -> dict[str, Any]:
    return {
        "base": metric.base,
        "head": metric.head,
        "change": metric.change,
        "tolerance": None,
        "p": metric.p,
        "interval": None if metric.low is None or metric.high is None else [metric.low, metric.high],
        "n": metric.n,
        "failed_base": metric.failed_base,
        "failed_head": metric.failed_head,
        "split": None if split is None else _split_json(split),
    }


def _split_json(split: LabelSplit) -> dict[str, Any]:
    if not isinstance(split, LabelChange):
        return {"labels": None, "retriever": None, "n": 0, "relabelled": 0, "left_out": [], "why": split.why}
    return {
        "labels": _rounded(split.labels),
        "retriever": _rounded(split.retriever),
        "n": split.n,
        "relabelled": split.relabelled,
        "left_out": [{"why": why, "qids": list(qids)} for why, qids in split.left_out.items()],
        "why": None,
    }


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, _DIGITS) + 0.0  # no -0.0
