"""Two runs side by side: which questions broke, were fixed or moved, and what that makes of the metrics.

Whatever differs between the runs, only questions that are the same in both are compared; the others stand apart and decide
nothing. Pure: the same two runs give the same comparison.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

from ragtriage.compare.check import check_run
from ragtriage.compare.chunks import ChunkTable, what_happened
from ragtriage.compare.flips import Change, Flip, changed, deciding_item
from ragtriage.compare.pairs import Apart, Pair, pair_questions
from ragtriage.compare.rungs import RungChange, changed_rung
from ragtriage.measure.results import Run
from ragtriage.metrics.base import Metric

__all__ = [
    "CHANGES",
    "Apart",
    "Change",
    "Comparison",
    "Flip",
    "MetricChange",
    "Pair",
    "PairedValues",
    "compare",
    "paired_values",
]

CHANGES: tuple[Change, ...] = ("broken", "errored", "fixed", "worse", "better")
"""The changes that are listed, in the order of lists; `worse` and `better` are one group there, moved."""

_GROUPS: Mapping[Change, int] = {"broken": 0, "errored": 1, "fixed": 2, "worse": 3, "better": 3}
_DIGITS = 6


class PairedValues(NamedTuple):
    """A metric on both sides for the common questions that enter it, None where that side failed; `qids` in common order."""

    qids: tuple[str, ...]
    base: tuple[float | None, ...]
    head: tuple[float | None, ...]


class MetricChange(NamedTuple):
    """Means over the `n` common questions that have a value on both sides; `change` = head - base.

    `base`, `head` and `change` are None where there is no such question. `failed_base` and `failed_head` count common
    questions without a value there. `p`, `low` and `high` are those of `significance`, None until somebody asks.
    """

    base: float | None
    head: float | None
    change: float | None
    n: int
    failed_base: int
    failed_head: int
    p: float | None = None
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True)
class Comparison:
    """What differs between two runs.

    `pairs` are the questions in common, in the head's order; `flips` those that changed: broken, errored, fixed, then moved,
    in that order inside. `stale` are the questions whose chunk label no longer fits on one side, so that both are scored by
    document; `regraded` those whose answers are not compared, because what they have to say was edited.
    """

    base: Run
    head: Run
    pairs: tuple[Pair, ...]
    flips: tuple[Flip, ...]
    apart: Apart
    metrics: Mapping[str, MetricChange] = field(default_factory=dict)

    @cached_property
    def common(self) -> tuple[str, ...]:
        return tuple(pair.qid for pair in self.pairs)

    @cached_property
    def same(self) -> tuple[str, ...]:
        """The common questions that did not change."""
        flipped = {flip.qid for flip in self.flips}
        return tuple(qid for qid in self.common if qid not in flipped)

    @property
    def stale(self) -> tuple[str, ...]:
        return tuple(pair.qid for pair in self.pairs if pair.stale)

    @property
    def regraded(self) -> tuple[str, ...]:
        return tuple(pair.qid for pair in self.pairs if not pair.answers)

    @property
    def k_differs(self) -> bool:
        """Whether the sides put another number of passages into the prompt: each question then passes by its side's own k."""
        return self.k_base != self.k_head

    @property
    def k_base(self) -> int:
        return _k(self.base)

    @property
    def k_head(self) -> int:
        return _k(self.head)

    def of(self, change: Change) -> tuple[Flip, ...]:
        """The flips of one kind."""
        return tuple(flip for flip in self.flips if flip.change == change)


def compare(
    base: Run,
    head: Run,
    *,
    metrics: Sequence[Metric] | None = None,
    base_chunks: ChunkTable | None = None,
    head_chunks: ChunkTable | None = None,
) -> Comparison:
    """Compare two runs. Raises StorageError where one of them is no whole run.

    `metrics` are, where not given, recall and hit rate at both sides' k, MRR, nDCG@10 and recall over the pool. With the
    chunks of both sides the flips of retrieval say what happened to their passage.
    """
    for run in (base, head):
        check_run(run)
    k_base, k_head = _k(base), _k(head)
    pairs, apart = pair_questions(base, head)
    flips = [flip for pair in pairs if (flip := _flip(pair, k_base, k_head, base_chunks, head_chunks))]
    flips.sort(key=lambda flip: _GROUPS[flip.change])
    wanted = _headline(k_base, k_head) if metrics is None else metrics
    return Comparison(base, head, pairs, tuple(flips), apart, {repr(metric): _metric(pairs, metric) for metric in wanted})


def _headline(k_base: int, k_head: int) -> tuple[Metric, ...]:
    cuts = dict.fromkeys((k_base, k_head))
    at_k = (Metric(name, k) for name in ("recall", "hit") for k in cuts)
    return (*at_k, Metric("mrr"), Metric("ndcg", 10), Metric("recall", "pool"))


def paired_values(pairs: Sequence[Pair], metric: Metric) -> PairedValues:
    """The values of `metric` on both sides, of the questions that enter retrieval metrics on at least one."""
    entering = (pair for pair in pairs if pair.base.enters or pair.head.enters)
    found = [(pair.qid, pair.base.value(metric), pair.head.value(metric)) for pair in entering]
    qids, base, head = zip(*found, strict=True) if found else ((), (), ())
    return PairedValues(qids, base, head)


def _metric(pairs: Sequence[Pair], metric: Metric) -> MetricChange:
    _, base, head = paired_values(pairs, metric)
    both = [(old, new) for old, new in zip(base, head, strict=True) if old is not None and new is not None]
    n, failed_base, failed_head = len(both), sum(value is None for value in base), sum(value is None for value in head)
    if not n:
        return MetricChange(None, None, None, 0, failed_base, failed_head)
    first, second = (math.fsum(side) / n for side in zip(*both, strict=True))
    change = math.fsum(new - old for old, new in both) / n
    return MetricChange(round(first, _DIGITS), round(second, _DIGITS), round(change, _DIGITS), n, failed_base, failed_head)


def _flip(pair: Pair, k_base: int, k_head: int, base_chunks: ChunkTable | None, head_chunks: ChunkTable | None) -> Flip | None:
    base, head = pair.base, pair.head
    change, half = changed(base, head, k_base=k_base, k_head=k_head, answers=pair.answers)
    if change == "same":
        return None
    at = deciding_item(base, head, change, k_base=k_base, k_head=k_head)
    if at is None or change == "errored":
        ranks = (base.items[at].rank, head.items[at].rank) if at is not None else (None, None)
        return Flip(pair.qid, change, base, head, *ranks, half=half, item=at, rung="answer" if half == "answer" else "")
    old, new = base.items[at], head.items[at]
    if half == "answer":
        rung = RungChange(head.lost_at or base.lost_at)
    else:
        rung = changed_rung(old, new, k_base=k_base, k_head=k_head)
    because = what_happened(old, new, base_chunks, head_chunks) if half == "retrieval" else ""
    because = _named(because or rung.note, old.doc_id or new.doc_id, {one.doc_id for one in (*base.items, *head.items)} - {""})
    return Flip(pair.qid, change, base, head, old.rank, new.rank, *rung[:3], half, because, at)


def _named(because: str, doc_id: str, documents: Collection[str]) -> str:
    """`faq#1 (93 tokens) was cut down to #3`: what happened with its document, where the question needs several."""
    if not because or not doc_id or len(documents) < 2:
        return because
    return f"{doc_id}{because}" if because.startswith("#") else f"{doc_id}: {because}"


def _k(run: Run) -> int:
    return int(run.manifest["k"])
