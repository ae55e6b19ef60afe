"""What answers say in sum, from answers that are written down here."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from ragtriage.measure.answer_results import AnswerResult
from ragtriage.measure.answer_sums import summarise_answers
from ragtriage.measure.results import QuestionResult
from ragtriage.types import Grade, Judged, Question, Status


def said(correct: bool | None, *, judged: Judged | None = None, refused: bool = False, **grade: Any) -> AnswerResult:
    return AnswerResult("words", ("a#1",), Grade(correct, refused, **grade), judged)


def result(qid: str, status: Status = "found", **found: Any) -> QuestionResult:
    return QuestionResult(qid, "exact", "dev", "all", status, (), **found)


def sums(results: Sequence[QuestionResult], *, nothing_to_say: Sequence[str] = ()) -> dict[str, Any]:
    asked = {
        one.qid: Question(
            one.qid,
            "?",
            answerable=one.status != "unanswerable",
            must_mention=() if one.qid in nothing_to_say else (("x",),),
        )
        for one in results
    }
    return summarise_answers(results, asked)


def value(mean: dict[str, Any]) -> tuple[float | None, int, int]:
    return mean["value"], mean["n"], mean["failed"]


def test_the_tax_is_oracle_minus_live_on_the_same_questions():
    found = sums(
        [
            result("a", live=said(False), oracle=said(True)),
            result("b", live=said(True), oracle=said(True)),
            result("c", live=said(True), oracle=said(False)),
            result("d", live=said(False), oracle=said(True)),
            result("e", live=said(True), oracle=said(None)),
            result("f", live=said(False)),
            result("g", "unanswerable", live=said(True, refused=True)),
        ]
    )
    assert value(found["live"]) == (0.5, 6, 0)  # a to f; g has no answer to be right about
    assert value(found["oracle"]) == (0.75, 4, 1)
    assert value(found["tax"]) == (pytest.approx((1 + 0 - 1 + 1) / 4), 4, 0)
    assert found["tax"]["low"] <= found["tax"]["value"] <= found["tax"]["high"]
    assert found["split"] is None


def test_a_judge_decides_only_where_the_grade_does_not():
    right, wrong = Judged(correct=True), Judged(correct=False)
    answers = {
        "a": said(None, judged=right),
        "b": said(False, judged=right),
        "c": said(None, judged=wrong),
        "d": said(None, judged=Judged(reason="no JSON")),
    }
    found = sums([result(qid, live=answer) for qid, answer in answers.items()])
    assert value(found["live"]) == (pytest.approx(1 / 3, abs=1e-6), 3, 1)


def test_the_steps_of_the_tax_sum_to_it():
    arms = {"oracle": 1, "padded": 1, "forced": 0, "live": 0}
    results = [
        result("a", **{arm: said(bool(right)) for arm, right in arms.items()}),
        result("b", oracle=said(True), padded=said(False), forced=said(False), live=said(False)),
        result("c", oracle=said(True), padded=said(True), forced=said(True), live=said(False)),
        result("d", oracle=said(True), padded=said(True), forced=said(True), live=said(True)),
        result("e", oracle=said(True), live=said(False)),  # not split: in the tax, in no step
    ]
    found = sums(results)
    steps = {name: value(step) for name, step in found["split"].items()}
    assert steps == {"distraction": (0.25, 4, 0), "ranking": (0.25, 4, 0), "missing": (0.25, 4, 0)}
    assert value(found["tax"]) == (pytest.approx(4 / 5), 5, 0)
    assert sum(step[0] for step in steps.values()) == pytest.approx(value(sums(results[:4])["tax"])[0])


def test_each_question_outside_the_tax_is_counted_once_with_its_reason():
    found = sums(
        [
            result("taxed", live=said(True), oracle=said(True)),
            result("silent"),
            result("open", live=said(None), oracle=said(None)),
            result("unsure", live=said(None, judged=Judged()), oracle=said(True)),
            result("alone", live=said(True), no_oracle="too large"),
            result("not asked"),
            result("half asked", live=said(True)),
            result("broken", unanswered={"live": "500"}, oracle=said(True)),
            result("lost", "failed", reason="timeout"),
            result("nobody", "unanswerable"),
        ],
        nothing_to_say=("silent", "open"),
    )
    assert found["ungraded"] == {"nothing_to_grade_by": 2, "undecided": 1, "no_oracle": 1, "not_asked": 2, "failed": 2}
    assert found["without_oracle"] == ["alone"]
    assert (found["live"]["n"], found["live"]["failed"]) == (3, 4)  # open, unsure, broken and lost have no value


def test_citations_have_three_states_and_an_invalid_one_blocks():
    found = sums(
        [
            result("a", live=said(True, cited=(1, 2))),
            result("b", live=said(True)),
            result("c", live=said(True, cited=(1, 7), invalid=(7,))),
            result("d", live=said(False, refused=True)),
            result("e", live=said(False, refused=True, cited=(9,), invalid=(9,))),
            result("f", oracle=said(True, cited=(1,))),
        ]
    )
    assert found["citations"] == {"answers": 3, "valid": 1, "none": 1, "invalid": 1, "blocked": ["c", "e"]}
