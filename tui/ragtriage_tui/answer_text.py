"""One answer as text: what decides whether it is right, what it cites, what a judge says of it, what it cost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ragtriage_tui.estimates import price
from ragtriage_tui.figures import clip_text, some
from ragtriage_tui.judge_lines import UNCALIBRATED

if TYPE_CHECKING:
    from ragtriage.measure.answer_results import AnswerResult, Arm
    from ragtriage.types import Judged, Question

__all__ = ["answer_text", "unanswered_text"]

_GIVEN: Mapping[Arm, str] = {
    "oracle": "oracle answer, given the evidence",
    "padded": "padded answer, given the evidence and what live holds besides",
    "forced": "forced answer, given what live holds with the evidence in it",
    "live": "live answer, given ranks 1 to k",
}
_LONGEST = 1000  # characters of an answer; --json has all of it
_MOST_CLAIMS = 5
_SAID = {True: "yes", False: "no", None: "cannot tell"}


def answer_text(
    arm: Arm,
    question: Question,
    answer: AnswerResult,
    *,
    timings: Sequence[Mapping[str, Any]] = (),
    calibration: Mapping[str, str] | None = None,
) -> list[str]:
    """The answer with all that is said of it. `timings` are its lines of timings.jsonl; `calibration` is by axis."""
    lines = [f"{_GIVEN[arm]}: {' · '.join(_verdict(answer))}", f"  {clip_text(answer.text, _LONGEST)}"]
    lines += _mentions(question, answer)
    if answer.judged is not None:
        lines += _judge(answer.judged, calibration or {})
    return lines + [line for row in timings if (line := _use(row))]


def unanswered_text(arm: Arm, reason: str) -> str:
    """Why there is no such answer, though it was asked for."""
    return f"! {_GIVEN[arm]}: failed: {clip_text(reason, 300)}"


def _verdict(answer: AnswerResult) -> list[str]:
    grade = answer.grade
    by_judge = grade.correct is None and answer.correct is not None
    facts = [
        {True: "✓ right", False: "✗ wrong", None: "· not judged"}[answer.correct] + (", says the judge" if by_judge else "")
    ]
    facts += ["refuses"] if grade.refused else []
    facts += ["blocked"] if answer.blocked else []
    says = (("lacks", grade.missing), ("says", grade.said_wrong), ("cites what was not sent", grade.invalid))
    facts += [f"{what}: {some([str(value) for value in values])}" for what, values in says if values]
    facts += [f"numbers without support: {some(grade.unsupported)}"] if grade.unsupported else []
    return facts


def _mentions(question: Question, answer: AnswerResult) -> list[str]:
    """What a right answer must mention, found and missing; nothing where the heading says it all."""
    if not question.must_mention or not question.answerable:
        return []
    missing = set(answer.grade.missing)
    found = [choice[0] for choice in question.must_mention if choice and choice[0] not in missing]
    return [f"  mentions: {some(found)}"] if found else []


def _judge(judged: Judged, calibration: Mapping[str, str]) -> list[str]:
    from ragtriage.types import AXES

    if judged.reason:
        return [f"  judge: unscored: {clip_text(judged.reason, 300)}"]
    lines = []
    for axis in AXES:
        unstable = ", unstable" if axis in judged.unstable else ""
        lines.append(f"  judge: {axis:<10}{_SAID[judged.on(axis)]}{unstable}  ({calibration.get(axis, UNCALIBRATED)})")
    lines += [f"    no passage supports: {clip_text(claim, 200)}" for claim in judged.claims[:_MOST_CLAIMS]]
    left = len(judged.claims) - _MOST_CLAIMS
    return lines + ([f"    and {left} more"] if left > 0 else [])


def _use(row: Mapping[str, Any]) -> str:
    """`answer: 512 tokens in, 40 out, cost 0.0012, 1.20 s, from the cache`."""
    if row.get("stage") not in ("answer", "judge"):
        return ""
    parts = []
    if row.get("input_tokens") is not None and row.get("output_tokens") is not None:
        parts.append(f"{row['input_tokens']:,} tokens in, {row['output_tokens']:,} out")
    parts += [f"cost {price(row['cost'])}"] if row.get("cost") is not None else []
    parts.append(f"{row.get('seconds', 0.0):.2f} s")
    parts += [f"by {clip_text(str(row['model']), 60)}"] if row.get("model") else []
    parts += ["from the cache"] if row.get("cached") else []
    return f"  {row['stage']}: {', '.join(parts)}"
