"""evals/baseline.json in memory: what every question did when the baseline was last set, and how it came to be what it is.

It holds enough of a run to be compared like one, so that nobody needs the run itself: a build server has the repository alone.
A new baseline never lowers a gated metric, unless a person says why; the reason stays in its history.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from ragtriage.config import Config
from ragtriage.gate.columns import GoldenFacts, dev_pairs, gated_columns
from ragtriage.gate.decision import Gate
from ragtriage.gate.settings import GateSettings
from ragtriage.measure.answer_results import AnswerResult
from ragtriage.measure.compare import Comparison, compare, paired_values
from ragtriage.measure.results import ItemResult, QuestionResult, Run
from ragtriage.metrics.base import Metric, parse_metric
from ragtriage.types import AXES, Axis, Grade, Judged

__all__ = [
    "Baseline", "Change", "Kept", "KeptAnswer", "KeptItem", "Proposal", "Stamp", "baseline_of", "improved", "propose",
]  # fmt: skip

_DIGITS = 6


class KeptItem(NamedTuple):
    """One item of evidence: its rank, that of its document where it is a chunk label, and its rank in each stage that ran."""

    rank: int | None
    how: str = "exact"
    gain: float = 1.0
    doc_rank: int | None = None
    stages: Mapping[str, int | None] = {}


class KeptAnswer(NamedTuple):
    """What is said of the live answer: by the grade, and by the judge on each axis; `judged` None where no judge saw it."""

    graded: bool | None
    refused: bool
    judged: Mapping[Axis, bool | None] | None = None


@dataclass(frozen=True, slots=True)
class Kept:
    """One question. `unanswered` says why its answer failed, "" where it did not."""

    qid: str
    identity: str
    status: Any
    needs: Any
    kind: Any
    items: tuple[KeptItem, ...]
    rr: float | None = None
    suggested: str = ""
    lost_at: str = ""
    live: KeptAnswer | None = None
    unanswered: str = ""

    def result(self) -> QuestionResult:
        """As a run holds it."""
        return QuestionResult(
            qid=self.qid,
            kind=self.kind,
            split="dev",
            needs=self.needs,
            status=self.status,
            items=tuple(map(_item, self.items)),
            suggested=self.suggested,
            lost_at=self.lost_at,
            rr=self.rr,
            live=_answer(self.live) if self.live else None,
            unanswered={"live": self.unanswered} if self.unanswered else {},
            identity=self.identity,
        )


class Change(NamedTuple):
    """One line of the history: what each metric was and became, over all questions of then and now.

    `joined` and `left` count questions. `dropped`: a gated metric was lowered, and `reason` says why that is right.
    """

    at: str
    revision: str
    reason: str
    dropped: bool
    joined: int
    left: int
    metrics: Mapping[str, tuple[float | None, float | None]]


class Stamp(NamedTuple):
    """When and on what a baseline is set: UTC, the commit ("" outside of git), whether files differed from it, the reason."""

    at: str
    revision: str = ""
    modified: bool = False
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Baseline:
    """What evals/baseline.json holds. `config` has the keys that were not at their default, as `--set` takes them.

    `metrics` are means with their n. `judge` is the judge's identity, "" without one. `run` may be gone elsewhere.
    """

    at: str
    revision: str
    modified: bool
    run: str
    k: int
    config: Mapping[str, Any]
    fingerprints: Mapping[str, str]
    judge: str
    metrics: Mapping[str, Mapping[str, Any]]
    history: tuple[Change, ...]
    questions: tuple[Kept, ...]

    def as_run(self) -> Run:
        """The baseline as one side of a comparison; rankings and texts are not in it."""
        config = Config().as_dict()
        for key, value in self.config.items():
            table, _, leaf = key.partition(".")
            config.setdefault(table, {})[leaf] = value
        manifest: dict[str, Any] = {
            "format": 1,
            "at": self.at,
            "k": self.k,
            "split": "dev",
            "kind": None,
            "only": None,
            "fingerprints": dict(self.fingerprints),
            "config": config,
            "metrics": {name: dict(value) for name, value in self.metrics.items()},
            **({"judge": {"identity": self.judge}} if self.judge else {}),
        }
        return Run("baseline", manifest, tuple(kept.result() for kept in self.questions))


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
        first = Change(stamp.at, stamp.revision, stamp.reason, False, len(new.questions), 0, _changes({}, new.metrics))
        joined = tuple(kept.qid for kept in new.questions)
        return Proposal(dataclasses.replace(new, history=(first,)), {}, (), False, joined, (), False)
    comparison = compare(old.as_run(), run, metrics=())
    apart = comparison.apart
    joined = tuple(qid for qid in (*apart.new, *apart.edited, *apart.relabelled, *apart.unknown) if _dev(run, qid))
    left = tuple(apart.removed)
    lowered, lacking = _lowered(comparison, settings, facts or GoldenFacts())
    pairs = dev_pairs(comparison)
    change = Change(
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


def baseline_of(run: Run, settings: Sequence[GateSettings], stamp: Stamp) -> Baseline:
    """A run's dev questions as a baseline, without history."""
    k = int(run.manifest["k"])
    questions = sorted((question for question in run.questions if question.split == "dev"), key=lambda one: one.qid)
    gated = {parse_metric(name, k=k): None for one in settings if not one.answers for name in one.metrics}
    shown = dict.fromkeys((Metric("recall", k), Metric("hit", k), Metric("mrr"), Metric("ndcg", 10))) | gated
    metrics = {repr(metric): _mean([one.value(metric) for one in questions if one.enters]) for metric in shown}
    for axis in dict.fromkeys(axis for one in settings for axis in one.axes):
        said = [question.said(axis) for question in questions]
        if any(value is not None for value in said):
            metrics[axis] = _mean([value for value in said if value is not None])
    defaults = Config().as_dict()
    return Baseline(
        at=stamp.at,
        revision=stamp.revision,
        modified=stamp.modified,
        run=run.id,
        k=k,
        config={
            f"{table}.{key}": value
            for table, keys in run.manifest.get("config", {}).items()
            for key, value in keys.items()
            if table in _KEPT_TABLES and key not in _LEFT_OUT and value != defaults.get(table, {}).get(key)
        },
        fingerprints=dict(run.manifest.get("fingerprints", {})),
        judge=str((run.manifest.get("judge") or {}).get("identity", "")),
        metrics=metrics,
        history=(),
        questions=tuple(map(_kept, questions)),
    )


_KEPT_TABLES = ("chunking", "embedding", "retrieval", "answers", "judge")
_LEFT_OUT = ("base_url", "command", "api_key_env", "input_price", "output_price", "device", "batch_size", "offline")
"""They change no figure, or say where something runs, which is nobody's business who reads the file."""


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


def _mean(values: Sequence[float | None]) -> dict[str, Any]:
    there = [value for value in values if value is not None]
    value = round(math.fsum(there) / len(there), _DIGITS) if there else None
    return {"value": value, "n": len(there), "failed": len(values) - len(there)}


def _kept(question: QuestionResult) -> Kept:
    live = question.live
    judged = None  # also where the judge's reply could not be used
    if live is not None and live.judged is not None and not live.judged.reason:
        judged = {axis: live.judged.on(axis) for axis in AXES}
    return Kept(
        qid=question.qid,
        identity=question.identity,
        status=question.status,
        needs=question.needs,
        kind=question.kind,
        items=tuple(KeptItem(one.rank, one.how, one.gain, one.doc_rank, dict(one.stages)) for one in question.items),
        rr=round(question.rr, _DIGITS) if question.rr is not None else None,
        suggested=question.suggested,
        lost_at=question.lost_at,
        live=KeptAnswer(live.grade.correct, live.grade.refused, judged) if live is not None else None,
        unanswered=question.unanswered.get("live", ""),
    )


def _item(kept: KeptItem) -> ItemResult:
    return ItemResult(
        kind="chunk" if kept.how in ("chunk", "stale") else "",
        doc_id="",
        heading=(),
        quote="",
        gain=kept.gain,
        how=kept.how,
        ambiguous=False,
        stale=kept.how == "stale",
        spans=(),
        rank=kept.rank,
        lost_at="",
        rungs=(),
        stage_ranks=kept.stages,
        doc_rank=kept.doc_rank,
    )


def _answer(kept: KeptAnswer) -> AnswerResult:
    grade = Grade(kept.graded, kept.refused)
    if kept.judged is None:
        return AnswerResult("", (), grade)
    correct, grounded, cited, honest, addresses = (kept.judged.get(axis) for axis in AXES)
    return AnswerResult("", (), grade, Judged(correct, grounded, cited, honest, addresses))
