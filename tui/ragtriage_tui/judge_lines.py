"""What a judge said, as text: each axis with its calibration, the table of owners, what a person should look at.

A judged figure never stands alone: beside it is how far this judge agrees with people, or the word `uncalibrated`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ragtriage_tui.answer_lines import use_lines
from ragtriage_tui.figures import clip_text, count, interval, number, some, wrapped
from ragtriage_tui.model_names import judge_name
from ragtriage_tui.text import wrap

if TYPE_CHECKING:
    from ragtriage.answers.calibration import AxisFigures, Calibration
    from ragtriage.measure.results import Run
    from ragtriage.types import Axis

__all__ = ["axis_state", "calibrated_json", "calibration_lines", "cause_lines", "judge_lines"]

UNCALIBRATED = "uncalibrated"
_MOST_REASONS = 5


def axis_state(run: Run, calibration: Calibration | None, axis: Axis) -> str:
    """`kappa 0.71 (0.50 to 0.92), n 40` where this very judge was calibrated on the axis, else `uncalibrated`."""
    figures = _figures(run, calibration, axis)
    return str(figures) if figures is not None else UNCALIBRATED


def _figures(run: Run, calibration: Calibration | None, axis: Axis) -> AxisFigures | None:
    from ragtriage.answers.calibration import calibration_of

    return calibration_of(calibration, axis, str((run.manifest.get("judge") or {}).get("identity", "")))


def calibrated_json(run: Run, calibration: Calibration | None) -> dict[str, Any] | None:
    """By axis how far the judge of this run agrees with people, null on one where it is uncalibrated; None without a judge."""
    import dataclasses

    from ragtriage.types import AXES

    if "judged" not in run.manifest:
        return None
    found = {axis: _figures(run, calibration, axis) for axis in AXES}
    return {axis: dataclasses.asdict(one) if one is not None else None for axis, one in found.items()}


def judge_lines(run: Run, calibration: Calibration | None) -> list[list[str]]:
    """The blocks of the report that speak of the judge; none without one."""
    judged = run.manifest.get("judged")
    if not judged:
        return []
    name = judge_name(run.manifest["config"]) or "the judge"
    seen = any(axis["yes"] + axis["no"] + axis["cannot_tell"] for axis in judged["axes"].values())
    blocks = [[*_head(run, name), *_axes(run, judged, calibration)], _table(run, judged, calibration)] if seen else []
    return [
        *blocks,
        [*_decided(run, judged, calibration), *cause_lines(run, calibration)],
        _look_at(judged),
        _unjudged(judged, name),
    ]


def _head(run: Run, name: str) -> list[str]:
    judge = run.manifest.get("judge") or {}
    head = wrapped(f"judged by {name}, rubric {clip_text(str(judge.get('rubric', '')), 20)}")
    return [*head, *use_lines(judge, run.timings, "judge")]


def _axes(run: Run, judged: Mapping[str, Any], calibration: Calibration | None) -> list[str]:
    lines = [f"{'live answers':<13}{'yes':>5}{'no':>5}{'cannot tell':>13}  agreement with people"]
    for axis, found in judged["axes"].items():
        counts = f"{found['yes']:>5}{found['no']:>5}{found['cannot_tell']:>13}"
        lines.append(f"{axis:<13}{counts}  {axis_state(run, calibration, axis)}")
    return lines


def _table(run: Run, judged: Mapping[str, Any], calibration: Calibration | None) -> list[str]:
    """The cells that hold a question. Whose business it is stands with the questions."""
    cells = [cell for cell in judged["table"] if cell["qids"]]
    if not cells:
        return []
    marks = {True: "✓", False: "✗"}
    states = {axis_state(run, calibration, axis) for axis in ("grounded", "correct")}
    lines = [f"inside k  grounded  correct{'n':>5}  " + (UNCALIBRATED if UNCALIBRATED in states else "what it is")]
    for cell in cells:
        where = f"{marks[cell['inside']]:<10}{marks[cell['grounded']]:<10}{marks[cell['correct']]:<7}"
        lines.append(f"{where}{len(cell['qids']):>5}  {cell['name']}")
        if cell["owner"]:
            lines += [f"{'':<34}{row}" for row in _narrow(f"{cell['owner']}: {some(cell['qids'], 4)}")]
    if judged["undecided"]:
        lines.append(f"{'undecided':<27}{len(judged['undecided']):>5}  not judged, or it cannot tell")
    return lines


def _narrow(text: str) -> list[str]:
    return [text[place.start : place.end] for place in wrap(text, 80 - 34)]


def _decided(run: Run, judged: Mapping[str, Any], calibration: Calibration | None) -> list[str]:
    """How much of the accuracy above is the judge's word alone."""
    live, oracle = judged["decided"]["live"], judged["decided"]["oracle"]
    if not (live or oracle):
        return []
    state = axis_state(run, calibration, "correct")
    return [f"Of the accuracy, {live} live and {oracle} oracle answers rest on the judge alone:", f"  correct, {state}"]


def cause_lines(run: Run, calibration: Calibration | None) -> list[str]:
    """How many of the suggested causes are the judge's word alone, and how far it can be believed."""
    causes: Mapping[Axis, Any] = (run.manifest.get("judged") or {}).get("causes") or {}
    lines = [f"  {len(qids)}: {axis}, {axis_state(run, calibration, axis)}" for axis, qids in causes.items() if qids]
    return ["Of the suggested causes, these rest on the judge alone:", *lines] if lines else []


def _look_at(judged: Mapping[str, Any]) -> list[str]:
    lines = []
    if rows := judged["unstable"]:
        lines.append(f"! {count(len(rows), 'answer')} judged otherwise with the passages in another order")
        lines += wrapped("  " + some([f"{_answer(row)} ({', '.join(row['axes'])})" for row in rows], 4))
    reasons: dict[str, list[str]] = {}
    for row in judged["unscored"]:
        reasons.setdefault(clip_text(row["reason"], 300), []).append(_answer(row))
    for reason, names in sorted(reasons.items(), key=lambda one: -len(one[1]))[:_MOST_REASONS]:
        lines += wrapped(f"! {count(len(names), 'answer')} unscored: {reason}") + wrapped(f"  {some(names, 4)}")
    lines += _unscored_levers([str(row["reason"]) for row in judged["unscored"]])
    if rows := judged["disagree"]:
        lines.append(f"! judge and grade disagree on {count(len(rows), 'answer')}; the grade counts")
        judged_as = [f"{_answer(row)} (judged {'right' if row['judged'] else 'wrong'})" for row in rows]
        lines += wrapped(f"  {some(judged_as, 4)}")
    return lines


def _unscored_levers(reasons: Sequence[str]) -> list[str]:
    """What to do about answers that no score was made of: what is known stays as it is, what failed was never known."""
    if not reasons:
        return []
    from ragtriage.answers.judge import UNUSABLE

    known = sum(reason.startswith(UNUSABLE) for reason in reasons)
    lines: list[str] = []
    if known:
        lever = "another model, or a larger judge.max_tokens; the reply stays known until model, settings or template change"
        lines += wrapped(f"  → {lever}", indent="    ")
    if known < len(reasons):
        lines += wrapped("  → a request that failed is sent again by the next ragtriage judge run", indent="    ")
    return lines


def _answer(row: Mapping[str, Any]) -> str:
    return str(row["qid"]) if row["arm"] == "live" else f"{row['qid']} {row['arm']}"


def _unjudged(judged: Mapping[str, Any], name: str) -> list[str]:
    if not judged["unjudged"]:
        return []
    were = "answer was" if len(judged["unjudged"]) == 1 else "answers were"
    return wrapped(f"! {len(judged['unjudged'])} live {were} not judged: ragtriage judge run asks {name}")


def calibration_lines(axes: Mapping[Axis, AxisFigures]) -> list[str]:
    """Every axis with agreement, kappa and its interval, and the questions on which judge and people differ."""
    lines = [f"{'':<11}{'n':>4}{'agree':>8}{'kappa':>8}{'95 %':>16}{'false yes':>11}{'false no':>10}{'length':>8}"]
    said = []
    for axis, one in axes.items():
        kappa = "–" if one.says_nothing else number(one.kappa, sign=True)
        wrong = f"{len(one.false_positives):>11}{len(one.false_negatives):>10}"
        line = f"{axis:<11}{one.n:>4}{number(one.agreement):>8}{kappa:>8}{_between(one):>16}{wrong}"
        lines.append(f"{line}{number(one.length_bias, sign=True):>8}")
        notes = [
            *([f"kappa says nothing: {one.why}"] if one.says_nothing and one.n else []),
            *(["too few to rely on"] if one.few and one.n else []),
        ]
        said += [f"{axis}: {'; '.join(notes)}"] if notes else []
        said += wrapped(f"{axis}: yes where people say no: {some(one.false_positives)}") if one.false_positives else []
        said += wrapped(f"{axis}: no where people say yes: {some(one.false_negatives)}") if one.false_negatives else []
    return [*lines, *said]


def _between(one: AxisFigures) -> str:
    return "–" if one.says_nothing else interval({"low": one.low, "high": one.high})
