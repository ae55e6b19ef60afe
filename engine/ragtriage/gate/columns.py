"""From two runs to the columns that a gate decides on: the questions of the dev split that are the same on both sides.

A question that only one side chose to measure (--only, --kind) counts as not measured on the other.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from ragtriage.answers.calibration import Calibration, calibration_of
from ragtriage.compare import pairs as compare_pairs
from ragtriage.compare.comparison import Comparison, paired_values
from ragtriage.gate.inputs import Floor, Gated, GateInputs, Pair
from ragtriage.gate.settings import FloorSetting, GateSettings
from ragtriage.measure.answer_results import AnswerResult
from ragtriage.measure.results import QuestionResult, Run
from ragtriage.metrics.base import parse_metric
from ragtriage.types import AXES, Axis

__all__ = ["GoldenFacts", "dev_pairs", "gate_inputs", "gated_columns"]


class GoldenFacts(NamedTuple):
    """What a run does not hold: the tags of each question, and which of them are to have an answer that is graded."""

    tags: Mapping[str, Collection[str]] = {}
    graded: Collection[str] = ()


def gate_inputs(
    comparison: Comparison,
    settings: GateSettings,
    *,
    facts: GoldenFacts | None = None,
    calibration: Calibration | None = None,
    repeats: Sequence[Run] = (),
    unusable: Sequence[str] = (),
    notes: Sequence[str] = (),
) -> GateInputs:
    """The inputs of `gate`. `repeats` are further runs of the head, whose answers a model wrote anew."""
    facts = facts or GoldenFacts()
    pairs = dev_pairs(comparison)
    base_dev = sum(question.split == "dev" for question in comparison.base.questions)
    gated = gated_columns(comparison, settings, facts=facts, calibration=calibration, repeats=repeats)
    return GateInputs(
        gated=tuple({one.metric: one for one in gated}.values()),
        base_questions=base_dev,
        common=len(pairs) - len([qid for qid in comparison.apart.only_head if _is_dev(comparison.head.get(qid))]),
        k_base=comparison.k_base,
        k_head=comparison.k_head,
        tolerance=settings.tolerance,
        floors=tuple(_floor(one, pairs, comparison, facts) for one in settings.floors),
        stale=tuple(pair.qid for pair in pairs if pair.stale),
        unusable=tuple(unusable),
        notes=(*notes, *_few(gated, calibration, comparison)),
    )


def dev_pairs(comparison: Comparison) -> list[compare_pairs.Pair]:
    """The pairs of the dev split; of a question that one side did not choose, the other side stands as failed there."""
    found = [pair for pair in comparison.pairs if pair.base.split == pair.head.split == "dev"]
    for qid in comparison.apart.only_base:
        if (base := comparison.base.get(qid)) is not None and _is_dev(base):
            found.append(compare_pairs.Pair(qid, base, _not_measured(base)))
    for qid in comparison.apart.only_head:
        if (head := comparison.head.get(qid)) is not None and _is_dev(head):
            found.append(compare_pairs.Pair(qid, _not_measured(head), head))
    return found


def gated_columns(
    comparison: Comparison,
    settings: GateSettings,
    *,
    facts: GoldenFacts | None = None,
    calibration: Calibration | None = None,
    repeats: Sequence[Run] = (),
) -> list[Gated]:
    """One column a gated metric. A metric at k is looked at with the head's k on both sides."""
    pairs = dev_pairs(comparison)
    if settings.answers:
        return [_answers(axis, pairs, comparison, facts or GoldenFacts(), calibration, repeats) for axis in settings.axes]
    out = []
    for name in settings.metrics:
        metric = parse_metric(name, k=comparison.k_head)
        qids, base, head = paired_values(pairs, metric)
        out.append(Gated(repr(metric), tuple(map(Pair, qids, base, head))))
    return out


def _is_dev(question: QuestionResult | None) -> bool:
    return question is not None and question.split == "dev"


def _not_measured(question: QuestionResult) -> QuestionResult:
    """The question as a side has it that did not measure it; one that never enters retrieval metrics does not here either."""
    status = question.status if question.status in ("unanswerable", "unlabelled") else "failed"
    return dataclasses.replace(question, status=status, rr=None, live=None, unanswered={"live": "not measured"})


def _answers(
    axis: Axis,
    pairs: Sequence[compare_pairs.Pair],
    comparison: Comparison,
    facts: GoldenFacts,
    calibration: Calibration | None,
    repeats: Sequence[Run],
) -> Gated:
    compared = [pair for pair in pairs if pair.answers and _answer_enters(axis, pair, facts)]
    columns = tuple(Pair(pair.qid, pair.base.said(axis), pair.head.said(axis)) for pair in compared)
    judges = [
        _judge(run)
        for run, sides in (
            (comparison.base, [pair.base for pair in compared]),
            (comparison.head, [pair.head for pair in compared]),
        )
        if any(_by_judge(axis, side.live) for side in sides)
    ]
    again = []
    for run in repeats:
        values = {question.qid: question.said(axis) for question in run.questions}
        again.append({pair.qid: values.get(pair.qid) for pair in compared})
    return Gated(
        axis,
        columns,
        by_model=any(_generator(run) != "extractive" for run in (comparison.base, comparison.head)),
        uncalibrated=axis if any(calibration_of(calibration, axis, judge) is None for judge in judges) else "",
        repeats=tuple(again),
    )


def _answer_enters(axis: Axis, pair: compare_pairs.Pair, facts: GoldenFacts) -> bool:
    """Whether a question counts: one side was graded, or should have been. Not where nothing can grade it on either side."""
    sides = (pair.base, pair.head)
    if any(side.said(axis) is not None or "live" in side.unanswered for side in sides):
        return True
    if any(side.live is not None and side.live.judged is not None and side.live.judged.reason for side in sides):
        return True  # a reply of the judge that could not be used
    if axis == "correct":
        undecided = all(side.live is not None and side.live.judged is not None for side in sides)
        return pair.qid in facts.graded and not undecided
    return any(side.live is not None and side.live.judged is None for side in sides)


def _by_judge(axis: Axis, answer: AnswerResult | None) -> bool:
    """Whether what is said of an answer is the judge's word."""
    if answer is None or answer.judged is None:
        return False
    if axis != "correct":
        return answer.judged.on(axis) is not None
    return answer.grade.correct is None and answer.judged.correct is not None


def _judge(run: Run) -> str:
    return str(_under(run.manifest, "judge", "identity") or "")


def _generator(run: Run) -> str:
    return str(_under(run.manifest, "config", "answers", "generator") or "extractive")


def _under(value: object, *names: str) -> object:
    """What stands below `names`, None where a run.json that somebody edited has nothing there."""
    for name in names:
        value = value.get(name) if isinstance(value, Mapping) else None
    return value


def _few(gated: Sequence[Gated], calibration: Calibration | None, comparison: Comparison) -> list[str]:
    """Axes whose judge was calibrated on answers that are too few to be relied on, or all the same to one of both."""
    found = []
    for one in gated:
        if one.metric in AXES and not one.uncalibrated:
            axis = next(axis for axis in AXES if axis == one.metric)
            figures = calibration_of(calibration, axis, _judge(comparison.head))
            if figures is not None and figures.says_nothing:
                found.append(f"{axis}: {figures.why} (n {figures.n}), so that its calibration says nothing.")
            elif figures is not None and figures.few:
                found.append(f"{axis}: the judge was calibrated on {figures.n} answers alone, which is too few.")
    return found


def _floor(setting: FloorSetting, pairs: Sequence[compare_pairs.Pair], comparison: Comparison, facts: GoldenFacts) -> Floor:
    """The head's values of the questions that a floor is about, new ones left out: they decide nothing."""
    chosen = [
        pair
        for pair in pairs
        if not setting.on
        or (pair.head.kind == setting.name if setting.on == "kind" else setting.name in facts.tags.get(pair.qid, ()))
    ]
    if setting.metric in AXES:
        axis = next(axis for axis in AXES if axis == setting.metric)
        values = [pair.head.said(axis) for pair in chosen if pair.answers and _answer_enters(axis, pair, facts)]
        return Floor(setting.metric, setting.least, setting.on, setting.name, tuple(values))
    metric = parse_metric(setting.metric, k=comparison.k_head)
    return Floor(repr(metric), setting.least, setting.on, setting.name, paired_values(chosen, metric).head)
