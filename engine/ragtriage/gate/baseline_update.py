"""What a new baseline changes: it never lowers a gated metric, unless a person says why that is right."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from ragtriage.compare.comparison import Comparison, compare, paired_values
from ragtriage.gate.baseline import Baseline, Stamp, Update, baseline_of
from ragtriage.gate.columns import GoldenFacts, dev_pairs, gated_columns
from ragtriage.gate.results import Gate
from ragtriage.gate.settings import GateSettings
from ragtriage.measure.results import Run
from ragtriage.metrics.base import parse_metric

__all__ = ["Proposal", "improved", "propose"]


class Proposal(NamedTuple):
    """What setting the baseline anew would do. `lowered` maps a metric to its means before and after, over the questions that
    are the same; `lacking` are questions that the new run has no value for and the baseline had.

    `other_set`: fewer than half of the baseline's questions are still there. `same`: nothing would change but the date.
    """

    baseline: Baseline
    lowered: Mapping[str, tuple[float, float]]
    lacking: tuple[str, ...]
    other_set: bool
    joined: tuple[str, ...]
    left: tuple[str, ...]
    same: bool

    @property
    def needs_reason(self) -> bool:
        return bool(self.lowered or self.lacking or self.other_set)


def propose(
    old: Baseline | None, run: Run, settings: Sequence[GateSettings], stamp: Stamp, *, facts: GoldenFacts | None = None
) -> Proposal:
    """The baseline that `run` would make of `old`. Each side's metrics at k are taken at its own k."""
    new = baseline_of(run, settings, stamp)
    if old is None:
        first = Update(stamp.at, stamp.revision, stamp.reason, False, len(new.questions), 0, _changes({}, new.metrics))
        joined = tuple(kept.qid for kept in new.questions)
        return Proposal(dataclasses.replace(new, history=(first,)), {}, (), False, joined, (), False)
    comparison = compare(old.as_run(), run, metrics=())
    apart = comparison.apart
    joined = tuple(qid for qid in (*apart.new, *apart.edited, *apart.relabelled, *apart.unknown) if _dev(run, qid))
    left = tuple(apart.removed)
    lowered, lacking = _lowered(comparison, settings, facts or GoldenFacts())
    pairs = dev_pairs(comparison)
    change = Update(
        stamp.at,
        stamp.revision,
        stamp.reason,
        bool(lowered or lacking),
        len(joined),
        len(left),
        _changes(old.metrics, new.metrics),
    )
    same = (old.questions, dict(old.metrics), old.k, dict(old.config), old.judge) == (
        new.questions, dict(new.metrics), new.k, dict(new.config), new.judge
    )  # fmt: skip
    return Proposal(
        dataclasses.replace(new, history=(*old.history, change)),
        lowered,
        lacking,
        2 * len(pairs) < len(old.questions),
        joined,
        left,
        same,
    )


def improved(gate: Gate) -> tuple[str, ...]:
    """The metrics that rose beyond noise: by more than what may be lost, even if what was not measured counts as lost."""
    return tuple(result.metric for result in gate.metrics if result.worst > result.allowed)


def _lowered(
    comparison: Comparison, settings: Sequence[GateSettings], facts: GoldenFacts
) -> tuple[dict[str, tuple[float, float]], tuple[str, ...]]:
    """Each gated metric that fell over the common questions, and the questions that lost their value."""
    lowered: dict[str, tuple[float, float]] = {}
    lacking: dict[str, None] = {}
    pairs = dev_pairs(comparison)
    columns: list[tuple[str, list[tuple[str, float | None, float | None]]]] = []
    for setting in settings:
        if setting.answers:
            for gated in gated_columns(comparison, setting, facts=facts):
                columns.append((gated.metric, [(pair.qid, pair.base, pair.head) for pair in gated.pairs]))
            continue
        for name in setting.metrics:
            then, now = (parse_metric(name, k=k) for k in (comparison.k_base, comparison.k_head))
            before, after = paired_values(pairs, then), paired_values(pairs, now)
            columns.append((repr(now), list(zip(after.qids, before.base, after.head, strict=True))))
    for name, values in columns:
        both = [(base, head) for _, base, head in values if base is not None and head is not None]
        lacking |= {qid: None for qid, base, head in values if base is not None and head is None}
        if both and round(math.fsum(head - base for base, head in both), 9) < 0:
            old, new = (math.fsum(side) / len(both) for side in zip(*both, strict=True))
            lowered[name] = old, new
    return lowered, tuple(lacking)


def _changes(
    old: Mapping[str, Mapping[str, Any]], new: Mapping[str, Mapping[str, Any]]
) -> dict[str, tuple[float | None, float | None]]:
    names = sorted({*old, *new})
    values = {name: (old.get(name, {}).get("value"), new.get(name, {}).get("value")) for name in names}
    return {name: both for name, both in values.items() if both[0] != both[1]}


def _dev(run: Run, qid: str) -> bool:
    question = run.get(qid)
    return question is not None and question.split == "dev"
