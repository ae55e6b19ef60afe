"""What the answers of a run say in sum: accuracy, the retrieval tax and its steps, citations, refusals, what has no grade."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from ragtriage.answers.grading import gradable
from ragtriage.measure.answer_results import ARMS, AnswerResult, Arm
from ragtriage.measure.results import QuestionResult
from ragtriage.metrics.aggregate import Mean, mean
from ragtriage.types import Question

__all__ = ["mean_json", "summarise_answers"]

_STEPS: tuple[tuple[str, Arm, Arm], ...] = (
    ("distraction", "oracle", "padded"),
    ("ranking", "padded", "forced"),
    ("missing", "forced", "live"),
)
"""The tax, split: what is lost from one arm to the next. Their sum is oracle - live."""

_REFUSALS = (
    "refused_rightly", "refused_no_answer", "refused_no_evidence", "refused_wrongly", "should_have_refused", "answered",
    "not_judged",
)  # fmt: skip


def summarise_answers(questions: Sequence[QuestionResult], asked: Mapping[str, Question]) -> dict[str, Any]:
    """Accuracy of live and oracle answers, and the retrieval tax: oracle - live on the questions that have both.

    `asked` is the golden set by id. A gradable question whose retrieval or answer failed has no value; it is counted as
    failed, as in every other mean. JSON values only.
    """
    answerable = [question for question in questions if asked[question.qid].answerable]
    values = {arm: _values(answerable, asked, arm) for arm in ARMS}
    return {
        "live": mean_json(mean(list(values["live"].values()))),
        "oracle": mean_json(mean(list(values["oracle"].values()))),
        "tax": mean_json(mean(_differences(values, ("oracle", "live"), "oracle", "live"))),
        "split": _split(values),
        "ungraded": _ungraded(answerable, asked, values),
        "without_oracle": [question.qid for question in questions if question.no_oracle],
        "citations": _citations(questions),
        "refusals": _refusals(questions),
    }


def mean_json(found: Mean) -> dict[str, Any]:
    """A mean as JSON, with the digits that are kept of it."""
    return {name: round(value, 6) if isinstance(value, float) else value for name, value in found._asdict().items()}


def _values(questions: Sequence[QuestionResult], asked: Mapping[str, Question], arm: Arm) -> dict[str, float | None]:
    """1 or 0 for each question that has such an answer or should have one; None where it failed or nothing could judge it."""
    found: dict[str, float | None] = {}
    for question in questions:
        answer = question.answers.get(arm)
        if answer is not None:
            found[question.qid] = None if answer.correct is None else float(answer.correct)
        elif arm in question.unanswered:
            found[question.qid] = None
    if arm == "live" and found:
        lost = [question.qid for question in questions if question.status == "failed" and gradable(asked[question.qid])]
        found |= dict.fromkeys(lost)
    return found


def _differences(
    values: Mapping[Arm, Mapping[str, float | None]], needed: Sequence[Arm], better: Arm, worse: Arm
) -> list[float | None]:
    """One arm minus another, on the questions that have a value in all `needed` arms."""
    found: list[float | None] = []
    for qid, first in values[better].items():
        second = values[worse].get(qid)
        if first is not None and second is not None and all(values[arm].get(qid) is not None for arm in needed):
            found.append(first - second)
    return found


def _split(values: Mapping[Arm, Mapping[str, float | None]]) -> dict[str, Any] | None:
    """The steps of the tax, on the questions that have all four answers; None where it was not split."""
    if not values["padded"] and not values["forced"]:
        return None
    return {name: mean_json(mean(_differences(values, ARMS, better, worse))) for name, better, worse in _STEPS}


def _ungraded(
    questions: Sequence[QuestionResult], asked: Mapping[str, Question], values: Mapping[Arm, Mapping[str, float | None]]
) -> dict[str, int]:
    """Why answerable questions are not in the tax, each counted once, under the first reason that holds."""

    def reason(question: QuestionResult) -> str:
        if question.status == "failed" or question.unanswered:
            return "failed"
        if not question.answers:
            wanted = gradable(asked[question.qid]) or bool(question.no_oracle)
            return "not_asked" if wanted else "nothing_to_grade_by"
        if question.no_oracle:
            return "no_oracle"
        if any(answer.correct is None for answer in (question.live, question.oracle) if answer):
            judged = any(answer.judged for answer in question.answers.values())
            return "undecided" if judged else "nothing_to_grade_by"
        return "not_asked"

    taxed = {qid for qid, value in values["live"].items() if value is not None and values["oracle"].get(qid) is not None}
    counts = Counter(reason(question) for question in questions if question.qid not in taxed)
    return {name: counts[name] for name in ("nothing_to_grade_by", "undecided", "no_oracle", "not_asked", "failed")}


def _citations(questions: Sequence[QuestionResult]) -> dict[str, Any]:
    """How the live answers that do not refuse cite: validly, not at all, or what was not sent, which blocks them."""
    lives = [(question.qid, question.live) for question in questions if question.live]
    said = [live.grade for _, live in lives if not live.grade.refused]
    states: Counter[str] = Counter()
    if said:
        from ragtriage.answers.citations import citation_state  # loaded already where there are answers

        states.update(citation_state(grade.cited, grade.invalid) for grade in said)
    return {
        "answers": len(said),
        "valid": states["valid"],
        "none": states["none"],
        "invalid": states["invalid"],
        "blocked": [qid for qid, live in lives if live.blocked],
    }


def _refusals(questions: Sequence[QuestionResult]) -> dict[str, int]:
    """The refusal matrix of the live answers, and how many questions have no answer that could be judged.

    A refusal is right where there is no answer, or no evidence in context: `refused_rightly` is the sum of both.
    """

    def cell(question: QuestionResult, answer: AnswerResult) -> str:
        if not answer.grade.refused:
            return "should_have_refused" if question.status == "unanswerable" else "answered"
        refused = {"found": "refused_wrongly", "unanswerable": "refused_no_answer"}
        return refused.get(question.status, "refused_no_evidence")

    counts = Counter(cell(question, question.live) for question in questions if question.live)
    counts["refused_rightly"] = counts["refused_no_answer"] + counts["refused_no_evidence"]
    if counts.total():
        ran = [question for question in questions if question.status != "failed"]
        counts["not_judged"] = sum(question.live is None or question.live.correct is None for question in ran)
    return {name: counts[name] for name in _REFUSALS}
