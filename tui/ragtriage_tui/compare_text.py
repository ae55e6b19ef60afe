"""A comparison of two runs as text: what is compared, the counts, the metrics, then every question that changed. 80 columns."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from ragtriage_tui.figures import change_interval, clip_text, number, p_value, signed, some, wrapped
from ragtriage_tui.naming import cause, config_name, scope
from ragtriage_tui.text import clip, clip_middle, fit, one_line, scrub, wrap

if TYPE_CHECKING:
    from ragtriage.compare.comparison import Comparison, Flip
    from ragtriage.compare.labels import LabelSplit
    from ragtriage.measure.results import QuestionResult, Run

__all__ = ["MARKS", "changed_rank", "comparison_lines", "counts_line", "flip_lines", "rung_text"]

MARKS = {"broken": "✗", "errored": "!", "fixed": "✓", "worse": "↓", "better": "↑"}
_COLUMNS = 80
_QID, _RANKS, _RUNG = 16, 9, 18
_MOST_MOVED = 20
_APART = {
    "new": "new in the head",
    "edited": "with other words",
    "relabelled": "with other labels",
    "removed": "no longer in the head",
    "only_base": "measured in the base alone",
    "only_head": "measured in the head alone",
    "unknown": "measured by a version that does not say whether they are the same questions; ragtriage eval measures again",
}


def comparison_lines(
    comparison: Comparison, texts: Mapping[str, str], splits: Mapping[str, LabelSplit] | None = None
) -> list[str]:
    """The whole report. `texts` maps a qid to its question's text, as far as that is known."""
    blocks = [
        _sides(comparison),
        [counts_line(comparison), *_apart(comparison)],
        _metrics(comparison, splits or {}),
        _flips("retrieval", comparison, texts),
        _flips("answer", comparison, texts),
    ]
    lines: list[str] = []
    for block in blocks:
        if block:
            lines += ["", *block] if lines else block
    return lines


def counts_line(comparison: Comparison) -> str:
    """`10 broken · 0 fixed · 12 moved (7 worse, 5 better) · 203 the same, of 225 in both`."""
    counts = {change: len(comparison.of(change)) for change in ("broken", "errored", "fixed", "worse", "better")}
    parts = [f"{counts['broken']} broken", f"{counts['fixed']} fixed"]
    if counts["errored"]:
        parts.insert(1, f"{counts['errored']} measured on one side only")
    moved = counts["worse"] + counts["better"]
    parts.append(f"{moved} moved ({counts['worse']} worse, {counts['better']} better)" if moved else "0 moved")
    return " · ".join([*parts, f"{len(comparison.same)} the same, of {len(comparison.pairs)} in both"])


def rung_text(flip: Flip) -> str:
    """`bm25 2 → 31`: the step that made the difference; its name alone where it has no ranks."""
    if flip.rung_base is None and flip.rung_head is None:
        return flip.rung
    return f"{flip.rung} {changed_rank(flip.rung_base, flip.rung_head)}"


def changed_rank(base: int | None, head: int | None) -> str:
    """`2 → 31`, with a dash for a rank outside the pool."""
    return f"{'–' if base is None else base} → {'–' if head is None else head}"


def flip_lines(flip: Flip, text: str) -> list[str]:
    """A row of 80 cells for one question, and more where it is known what happened to the passage."""
    qid = fit(clip_middle(_safe(flip.qid), _QID), _QID)
    if flip.change == "errored":
        said = _not_measured(flip)
    elif flip.half == "answer":
        said = f"{_stood(flip.base)} → {_stood(flip.head)}"
    else:
        ranks = changed_rank(flip.base_rank, flip.head_rank)
        said = f"{ranks:<{_RANKS}}  {rung_text(flip):<{_RUNG}}"
    row = clip(f"{MARKS[flip.change]} {qid}  {said}  {_safe(text)}".rstrip(), _COLUMNS)
    indent = " " * (_QID + 4)
    return [row, *(indent + why for why in _rows(_safe(flip.because), _COLUMNS - len(indent)))]


def _safe(text: str) -> str:
    """One line of nothing but text, whose width is what it says."""
    return scrub(one_line(text))


def _not_measured(flip: Flip) -> str:
    if flip.half == "answer":
        side, reason = (
            ("base", flip.base.unanswered.get("live")) if flip.base.live is None else ("head", flip.head.unanswered.get("live"))
        )
        return f"no answer in the {side}: {_safe(clip_text(reason or 'no reason given', 60))}"
    side, question = ("base", flip.base) if flip.base.status == "failed" else ("head", flip.head)
    return f"could not be measured in the {side}: {_safe(clip_text(question.reason or 'no reason given', 60))}"


def _stood(question: QuestionResult) -> str:
    return cause(question.suggested) if question.suggested else "passed"


def _sides(comparison: Comparison) -> list[str]:
    lines = [*_run("base", comparison.base), *_run("head", comparison.head)]
    projects = [one_line(str(run.manifest.get("project", ""))) for run in (comparison.base, comparison.head)]
    if projects[0] != projects[1]:
        lines.append(f"! measured in folders of different names: {projects[0]} and {projects[1]}")
    if comparison.k_differs:
        told = f"! k differs, {comparison.k_base} and {comparison.k_head}: each side passes by its own, so that flips mix both"
        lines += wrapped(told)
    return lines


def _run(name: str, run: Run) -> Iterator[str]:
    manifest = run.manifest
    yield f"{name}  {one_line(run.id)}"
    told = ""
    with contextlib.suppress(LookupError, TypeError, AttributeError):  # a manifest that somebody edited
        told = " · ".join([config_name(manifest["config"]), *scope(manifest)])
    if note := one_line(manifest.get("note") or ""):
        told += f" · note: {note}"
    yield from ("      " + row for row in _rows(told, _COLUMNS - 6))


def _rows(text: str, cells: int) -> list[str]:
    """`text` in rows of at most `cells`."""
    return [text[place.start : place.end] for place in wrap(text, cells)] if text else []


def _apart(comparison: Comparison) -> list[str]:
    named = comparison.apart._asdict().items()
    lines = [row for name, qids in named if qids for row in wrapped(f"apart: {len(qids)} {_APART[name]}: {some(qids, 5)}")]
    if stale := comparison.stale:
        told = f"! by document on both sides, a chunk label no longer fits on one of them: {some(stale, 5)}"
        lines += wrapped(told)
    if regraded := comparison.regraded:
        lines += wrapped(f"! answers not compared, what they have to say was edited: {some(regraded, 5)}")
    renamed = [f"{pair.base.qid} is {pair.qid}" for pair in comparison.pairs if pair.base.qid != pair.qid]
    if renamed:
        lines += wrapped(f"! with another id, and the same question: {some(renamed, 5)}")
    if not comparison.pairs:
        lines += wrapped("! no question is the same in both runs, so that nothing can be compared")
    return lines


def _metrics(comparison: Comparison, splits: Mapping[str, LabelSplit]) -> list[str]:
    if not comparison.pairs:
        return []
    failed = any(one.failed_base or one.failed_head for one in comparison.metrics.values())
    lines = [f"{'':<12}{'base':>7}{'head':>7}{'change':>8}{'95 %':>17}{'p':>7}{'n':>6}{'  failed' if failed else ''}"]
    for name, metric in comparison.metrics.items():
        between, p = ("–", "–") if metric.p is None else (change_interval(metric.low, metric.high), p_value(metric.p))
        figures = f"{number(metric.base):>7}{number(metric.head):>7}{signed(metric.change):>8}{between:>17}"
        row = f"{name:<12}{figures}{p:>7}{metric.n:>6}"
        lines.append(f"{row}  {metric.failed_base} → {metric.failed_head}" if failed else row)
    return lines + _splits(splits)


def _splits(splits: Mapping[str, LabelSplit]) -> list[str]:
    from ragtriage.compare.label_change import LabelChange

    lines: list[str] = []
    whys: dict[str, None] = {}
    for name, split in splits.items():
        if isinstance(split, LabelChange):
            told = f"{name} {signed(split.new - split.old)} with the relabelled ones: labels {signed(split.labels)}, "
            lines += wrapped(f"{told}retriever {signed(split.retriever)} (n {split.n})")
            whys |= dict.fromkeys(f"{why}: {some(qids, 3)}" for why, qids in split.left_out.items())
        else:
            whys[split.why] = None
    return [*lines, *(row for why in whys for row in wrapped(f"! labels and retriever not told apart, {_safe(why)}"))]


def _flips(half: str, comparison: Comparison, texts: Mapping[str, str]) -> list[str]:
    of_half = [flip for flip in comparison.flips if flip.half == half]
    lines: list[str] = []
    for title, changes in (("broken", ("broken",)), ("measured on one side only", ("errored",)), ("fixed", ("fixed",))):
        lines += _group(f"{half}: {title}", [flip for flip in of_half if flip.change in changes], texts)
    moved = [flip for flip in of_half if flip.change in ("worse", "better")]
    return lines + _group(f"{half}: moved, passing or failing as before", moved, texts, most=_MOST_MOVED)


def _group(title: str, flips: Sequence[Flip], texts: Mapping[str, str], *, most: int | None = None) -> list[str]:
    if not flips:
        return []
    lines = [f"{title}  {len(flips)}"]
    for flip in flips[:most]:
        lines += flip_lines(flip, texts.get(flip.qid) or texts.get(flip.base.qid) or "")
    if most is not None and len(flips) > most:
        lines.append(f"… and {len(flips) - most} more; --json has them all")
    return lines
