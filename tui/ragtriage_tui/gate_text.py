"""A gate and a baseline as text. The sentences are the engine's; here they are laid out, with the figures under them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from ragtriage_tui.compare_text import flip_lines
from ragtriage_tui.figures import change_interval, number, p_value, signed, some, wrapped
from ragtriage_tui.text import fit, one_line

if TYPE_CHECKING:
    from ragtriage.gate.baseline import Baseline, Update
    from ragtriage.gate.baseline_update import Proposal
    from ragtriage.gate.gating import Gating
    from ragtriage.gate.results import FloorResult, MetricResult

__all__ = ["baseline_lines", "gate_lines", "proposal_lines"]

_MOST_FLIPS = 20
_MOST_HISTORY = 20
_NAME = 12
_APART = {
    "new": "new, joining at the next update",
    "edited": "with other words",
    "relabelled": "with other labels",
    "removed": "no longer there",
    "only_base": "measured in the base alone",
    "only_head": "measured in the head alone",
    "unknown": "of which an older version does not say whether they are the same",
}


_LEFT = {
    "relabelled": "with other labels",
    "edited": "with other words",
    "removed": "gone",
    "unknown": "of an older version",
    "new": "new",
}


def gate_lines(gating: Gating, texts: Mapping[str, str]) -> list[str]:
    """The outcome first; then figures, floors, what broke, and what stands apart. `texts` maps a qid to its question."""
    gate = gating.gate
    blocks = [
        list(gate.sentences),  # whole lines, which scripts look for
        [f"against {one_line(gating.base_name)}", *_left(gating)],
        _metrics(gate.metrics),
        _floors(gate.floors),
        _flips(gating, texts),
        _apart(gating),
        [row for warning in gate.warnings for row in wrapped(f"! {one_line(warning)}")],
    ]
    return _joined(blocks)


def _joined(blocks: Sequence[Sequence[str]]) -> list[str]:
    lines: list[str] = []
    for block in blocks:
        if block:
            lines += ["", *block] if lines else block
    return lines


def _metrics(metrics: Sequence[MetricResult]) -> list[str]:
    if not metrics:
        return []
    lines = [f"{'':<{_NAME}}{'base':>7}{'head':>8}{'change':>8}{'95 %':>17}{'p':>8}{'n':>6}  outcome"]
    for one in metrics:
        measured = one.n > one.unmeasured
        ends = (one.interval.low, one.interval.high) if one.lost or one.won else (None, None)
        between = change_interval(*ends) if measured else "–"
        p = p_value(one.test.p) if measured else "–"
        figures = f"{number(one.base):>7}{number(one.head):>8}{signed(one.change):>8}{between:>17}{p:>8}"
        lines.append(f"{fit(one.metric, _NAME)}{figures}{one.n:>6}  {one.outcome.replace('-', ' ')}")
    return lines


def _floors(floors: Sequence[FloorResult]) -> list[str]:
    return [
        f"floor {one_line(str(one.floor))}  {number(one.value)} of at least {number(one.floor.least)}  n {one.n}  "
        f"{one.outcome.replace('-', ' ')}"
        for one in floors
    ]


def _flips(gating: Gating, texts: Mapping[str, str]) -> list[str]:
    flips = [one for one in gating.comparison.flips if one.change in ("broken", "errored", "fixed") and one.head.split == "dev"]
    if not flips:
        return []
    counts = {change: sum(one.change == change for one in flips) for change in ("broken", "errored", "fixed")}
    words = {"broken": "broken", "errored": "measured on one side only", "fixed": "fixed"}
    lines = [" · ".join(f"{counts[change]} {words[change]}" for change in counts if counts[change])]
    for flip in flips[:_MOST_FLIPS]:
        lines += flip_lines(flip, texts.get(flip.qid, ""))
    if len(flips) > _MOST_FLIPS:
        lines.append(f"… and {len(flips) - _MOST_FLIPS} more; --json has them all")
    return lines


def _left(gating: Gating) -> list[str]:
    """How many questions decide nothing, since the base has them otherwise: one relabelled question can turn an outcome."""
    apart = gating.comparison.apart._asdict()
    left = [f"{len(apart[name])} {words}" for name, words in _LEFT.items() if apart[name]]
    return wrapped(f"not compared since: {', '.join(left)}") if left else []


def _apart(gating: Gating) -> list[str]:
    named = gating.comparison.apart._asdict().items()
    lines = [row for name, qids in named if qids for row in wrapped(f"apart: {len(qids)} {_APART[name]}: {some(qids, 5)}")]
    if stale := gating.gate.stale:
        lines += wrapped(f"! by document on both sides, a chunk label no longer fits on one of them: {some(stale, 5)}")
    if regraded := gating.comparison.regraded:
        lines += wrapped(f"! answers not compared, what they have to say was edited: {some(regraded, 5)}")
    return lines


def proposal_lines(found: Proposal, *, written: bool, path: str) -> list[str]:
    """What setting a baseline did, or why it did not."""
    baseline = found.baseline
    change = baseline.history[-1]
    if found.same:
        return [f"{path} is what is measured now; nothing was written."]
    moved = [f"{name} {number(old)} -> {number(new)}" for name, (old, new) in change.metrics.items() if old is not None]
    names = [f"{name} {number(metric['value'])} (n {metric['n']})" for name, metric in baseline.metrics.items()]
    joined = [f"joined: {len(found.joined)}, {some(found.joined, 5)}"] if found.joined and moved else []
    left = [f"left: {len(found.left)}, {some(found.left, 5)}"] if found.left else []
    if written:
        head = f"wrote {path}, {len(baseline.questions)} questions"
        return [head, *(moved or names), *joined, *left]
    lines = [f"{path} was left as it is: it only rises by itself."]
    lines += [
        f"{name} would fall, {old:.3f} -> {new:.3f} over the questions that are the same"
        for name, (old, new) in found.lowered.items()
    ]
    if found.lacking:
        lines += wrapped(f"not measured now, and they were: {some(found.lacking, 5)}; eval --answers both asks for answers")
    if found.other_set:
        lines.append("it belongs to another golden set: fewer than half of its questions are still there as they were")
    return [*lines, '--accept-drop "why this is right" sets it all the same, and keeps the reason in the file.']


def baseline_lines(baseline: Baseline, path: str) -> list[str]:
    """What `baseline show` prints."""
    settings = [f"{key}={value}" for key, value in baseline.config.items()]
    at = f"{path}  set {baseline.at}"
    revision = f"on {baseline.revision[:9]}{' with changes' if baseline.modified else ''}" if baseline.revision else ""
    lines = [
        f"{at} {revision}".rstrip(),
        *wrapped(f"{len(baseline.questions)} questions · k={baseline.k} {one_line(' '.join(settings))}".rstrip()),
        "",
        *(f"{fit(one_line(name), _NAME)}{number(one['value']):>7}  n {one['n']}" for name, one in baseline.metrics.items()),
    ]
    if baseline.history:
        lines += ["", "history, the newest first"]
        lines += [row for update in baseline.history[::-1][:_MOST_HISTORY] for row in wrapped(_update(update))]
    return lines


def _update(update: Update) -> str:
    moved = [f"{name} {number(old)} -> {number(new)}" for name, (old, new) in update.metrics.items()]
    parts = [update.at[:10], update.revision[:9]]
    parts += [f"{update.joined} joined"] * bool(update.joined) + [f"{update.left} left"] * bool(update.left)
    parts += ["lowered"] * update.dropped + [f"“{one_line(update.reason)}”"] * bool(update.reason)
    return " · ".join([part for part in (*parts, ", ".join(map(one_line, moved))) if part])
