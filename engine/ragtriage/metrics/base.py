"""A metric is a frozen object whose repr is its identity: column header, JSON key and command-line argument alike.

A new metric is one file with its formula and one line in `_KINDS`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from ragtriage.errors import UsageError
from ragtriage.metrics.hit_rate import hit_at
from ragtriage.metrics.ndcg import ndcg_at
from ragtriage.metrics.recall import recall_at
from ragtriage.metrics.reciprocal_rank import reciprocal_rank

__all__ = ["CUTS", "Metric", "parse_metric", "standard_metrics"]

CUTS = (1, 3, 5, 10, 20)
"""The values of k every report shows, beside the configured one."""


class _Kind(NamedTuple):
    measure: Callable[[Sequence[int | None], Sequence[float], int | None], float]
    needs_cut: bool


_KINDS: dict[str, _Kind] = {
    "recall": _Kind(lambda ranks, gains, k: recall_at(ranks, k), needs_cut=True),
    "hit": _Kind(lambda ranks, gains, k: hit_at(ranks, k), needs_cut=True),
    "mrr": _Kind(lambda ranks, gains, k: reciprocal_rank(ranks, k), needs_cut=False),
    "ndcg": _Kind(ndcg_at, needs_cut=True),
}


@dataclass(frozen=True, slots=True, repr=False)
class Metric:
    """`name` is a registered kind; `at` the cut: a k, "pool" for all that fusion kept, None for a kind without a cut."""

    name: str
    at: int | Literal["pool"] | None = None

    def __repr__(self) -> str:
        return self.name if self.at is None else f"{self.name}@{self.at}"

    def of(self, ranks: Sequence[int | None], gains: Sequence[float]) -> float:
        """The value for one question, from 0 to 1.

        `ranks` holds one rank (from 1) an item of evidence over the ranking cut to the pool, None where it was not found;
        `gains` its grade. Raises ValueError without items: a question without labels has no value and is not measured.
        """
        return _KINDS[self.name].measure(ranks, gains, self.at if isinstance(self.at, int) else None)


def parse_metric(text: str, *, k: int | None = None) -> Metric:
    """`recall@5`, `hit@5`, `ndcg@10`, `mrr`, `recall@pool`; `recall@k` where the configured `k` is given.

    Raises UsageError that says which forms are known.
    """
    name, at, cut = text.strip().partition("@")
    kind = _KINDS.get(name)
    if kind is None:
        raise UsageError(f"{text}: unknown metric; known are {', '.join(map(repr, _examples()))}")
    if not at:
        if kind.needs_cut:
            raise UsageError(f"{text}: say at which k, for example {name}@5 or {name}@pool")
        return Metric(name)
    if cut == "pool":
        return Metric(name, "pool")
    if cut == "k" and k is not None:
        return Metric(name, k)
    if not re.fullmatch(r"[1-9][0-9]{0,5}", cut):
        raise UsageError(f"{text}: after @ comes a whole number from 1 to 999999, or pool")
    return Metric(name, int(cut))


def _examples() -> list[Metric]:
    return [Metric(name, 5 if kind.needs_cut else None) for name, kind in _KINDS.items()]


def standard_metrics(k: int) -> tuple[Metric, ...]:
    """What every run measures: recall, hit and nDCG at the usual cuts and at `k`, the MRR, and recall over the pool."""
    cuts = sorted({*CUTS, k})
    return (
        *(Metric(name, cut) for name in ("recall", "hit", "ndcg") for cut in cuts),
        Metric("mrr"),
        Metric("recall", "pool"),
    )
