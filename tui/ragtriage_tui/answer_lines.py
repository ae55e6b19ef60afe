"""The answers in the report: what answered and at what price, live and oracle and the tax between them, what has no grade."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ragtriage_tui.estimates import price, takes
from ragtriage_tui.figures import clip_text, count, interval, number, sent_rows, some, wrapped
from ragtriage_tui.model_names import STAND_IN, generator_name, is_stand_in

if TYPE_CHECKING:
    from ragtriage.measure.results import QuestionResult, Run

__all__ = ["answer_lines", "use_lines"]

_NAME = 19  # cells of the first column
_MEANS = {
    "live": "right on what retrieval returned",
    "oracle": "right on the evidence itself",
    "tax": "oracle - live, on the same ones",
}
_STEPS = {
    "distraction": ("  distraction", "lost to what stands beside it"),
    "ranking": ("  ranking", "lost to order and cut"),
    "missing": ("  missing evidence", "lost where it was not retrieved"),
}
_UNGRADED = {
    "nothing_to_grade_by": "nothing says what a right answer is",
    "undecided": "neither grade nor judge decides",
    "no_oracle": "no oracle answer: the evidence is missing or too large",
    "not_asked": "not asked for",
    "failed": "the retrieval or an answer failed",
}
_MOST_REASONS = 10


def answer_lines(run: Run) -> list[list[str]]:
    """The blocks of the report that speak of answers; those that have nothing to say are empty."""
    manifest = run.manifest
    return [
        [*_model(run), *_values(manifest), *_citations(manifest)],
        _left_out(manifest),
        _failed(run.questions),
        _unasked(manifest),
    ]


def _model(run: Run) -> list[str]:
    """Which model answered with which template, and what its answers cost."""
    manifest = run.manifest
    generator = manifest.get("generator") or {}
    name = generator_name(manifest["config"])
    if not name or not (generator.get("replies") or generator.get("asked")):
        return []
    lines = wrapped(f"answers by {name}, template {clip_text(str(generator.get('template', '')), 40)}")
    return lines + use_lines(generator, run.timings, "answer")


def use_lines(used: Mapping[str, Any], timings: Sequence[Mapping[str, Any]], stage: str) -> list[str]:
    """What the replies of a run cost, and what of that was sent for it. `timings` are those of the run."""
    spent = sent_rows(timings, stage)
    replies, cached, asked = used.get("replies", 0), used.get("cached", 0), used.get("asked", 0)
    lines = []
    if asked:
        cost = _sum(spent, "cost") if spent else None  # what failed may have a price, too
        lines.append(f"sent     {count(asked, 'request')}, {used.get('failed') or 'none'} failed{_cost(cost)}")
    if replies:
        known = f" ({cached:,} known)" if cached else ""
        read, written = used.get("input_tokens"), used.get("output_tokens")
        tokens = "tokens not told" if read is None or written is None else f"{read:,} tokens in, {written:,} out"
        lines.append(f"replies  {replies:,}{known}: {tokens}{_cost(used.get('cost'))}")
    if used.get("seconds_p50") is not None:
        lines.append(f"latency  p50 {used['seconds_p50']:.2f} s, p95 {used['seconds_p95']:.2f} s")
    models = [clip_text(name, 60) for name in used.get("models", ())]
    return lines + (wrapped(f"model    {some(models, 3)}", " " * 9) if models else [])


def _cost(cost: float | None) -> str:
    return ", cost not known" if cost is None else f", cost {price(cost)}"


def _sum(rows: Sequence[Mapping[str, Any]], key: str) -> float | None:
    values = [row.get(key) for row in rows]
    return None if None in values else float(sum(value for value in values if value is not None))


def _values(manifest: Mapping[str, Any]) -> list[str]:
    answers = manifest["answers"]
    if not any(answers[name]["n"] for name in _MEANS):
        return []
    stand_in = f"  (extractive {STAND_IN})" if is_stand_in(manifest["config"]) else ""
    lines = [f"{'answers':<{_NAME}}{'value':>6}{'n':>6}{'95 %':>14}{stand_in}"]
    lines += [_row(name, answers[name], meaning) for name, meaning in _MEANS.items()]
    if split := answers.get("split"):
        lines += [_row(name, split[step], meaning) for step, (name, meaning) in _STEPS.items()]
        if split["missing"]["n"] != answers["tax"]["n"]:
            lines.append(f"the steps are those of the {split['missing']['n']} questions that have all four answers")
    return [*lines, *_refusals(answers["refusals"])]


def _row(name: str, mean: Mapping[str, Any], meaning: str) -> str:
    return f"{name:<{_NAME}}{number(mean['value']):>6}{mean['n']:>6}{interval(mean):>14}  {meaning}"


def _refusals(counts: Mapping[str, int]) -> list[str]:
    if not sum(counts.values()):  # no live answers
        return []
    no_answer = counts["refused_no_answer"]
    return [
        f"refused rightly {counts['refused_rightly']} ({no_answer} {'has' if no_answer == 1 else 'have'} no answer, "
        f"{counts['refused_no_evidence']} lacked evidence), wrongly {counts['refused_wrongly']}",
        f"answered {counts['answered']}, and {counts['should_have_refused']} that should have been refused",
    ]


def _citations(manifest: Mapping[str, Any]) -> list[str]:
    """How the live answers cite. An invalid citation blocks: production should hold that answer back."""
    found = manifest["answers"].get("citations")
    if not found or not (found["answers"] or found["blocked"]):
        return []
    lines = [f"cited validly {found['valid']}, not at all {found['none']}, what was not sent {found['invalid']}"]
    blocked = f"! blocked, they cite what was not sent: {some(found['blocked'], 6)}"
    return lines + (wrapped(blocked) if found["blocked"] else [])


def _left_out(manifest: Mapping[str, Any]) -> list[str]:
    """Why answerable questions are not in the tax."""
    counts = manifest["answers"].get("ungraded") or {}
    total = sum(counts.values())
    if not total:
        return []
    head = f"{count(total, 'answerable question')} {'is' if total == 1 else 'are'} not in the tax"
    reasons = _UNGRADED
    if (manifest.get("generator") or {}).get("by_itself"):
        reasons = _UNGRADED | {"no_oracle": "no oracle answer: the system answers from passages of its own choice"}
    return [head, *(f"{counts[name]:>5} {reason}" for name, reason in reasons.items() if counts.get(name))]


def _failed(questions: Sequence[QuestionResult]) -> list[str]:
    """The answers that were asked for and failed, by reason."""
    reasons: dict[str, list[str]] = {}
    for question in questions:
        for arm, reason in question.unanswered.items():
            reasons.setdefault(clip_text(reason, 300), []).append(f"{question.qid} {arm}")
    ordered = sorted(reasons.items(), key=lambda one: -len(one[1]))
    lines = []
    for reason, names in ordered[:_MOST_REASONS]:
        lines += wrapped(f"! {count(len(names), 'answer')} failed: {reason}") + wrapped(f"  {some(names, 4)}")
    left = sum(len(names) for _, names in ordered[_MOST_REASONS:])
    return lines + ([f"! {count(left, 'answer')} failed for other reasons; they stand in --json"] if left else [])


def _unasked(manifest: Mapping[str, Any]) -> list[str]:
    """The answers that nobody asked for, and how to."""
    unasked = (manifest.get("generator") or {}).get("unasked")
    if not unasked:
        return []
    were = "answer was" if unasked["requests"] == 1 else "answers were"
    split = " --split-tax" if manifest["answers"].get("split") else ""
    head = f"! {unasked['requests']:,} {were} not asked for: ragtriage eval --answers both{split} asks"
    return [*wrapped(head), *wrapped(f"  ({takes(unasked)})")]
