"""What a judge said in sum, from answers written out by hand."""

from __future__ import annotations

from typing import Any

from ragtriage.measure.answer_results import AnswerResult
from ragtriage.measure.judge_sums import summarise_judged
from ragtriage.measure.results import QuestionResult
from ragtriage.types import Grade, Judged, Status


def answer(graded: bool | None = None, judged: Judged | None = None) -> AnswerResult:
    return AnswerResult("Within 30 days [1].", ("a#1",), Grade(graded, False), judged)


def question(qid: str, live: AnswerResult | None, *, status: Status = "found", **more: Any) -> QuestionResult:
    return QuestionResult(qid, "exact", "dev", "all", status, (), live=live, **more)


QUESTIONS = [
    question("q1", answer(True, Judged(True, True, True, True, True)), oracle=answer(None, Judged(True))),
    question("q2", answer(True, Judged(False, False, None, True, True, claims=("It is free.",)))),
    question("q3", answer(None, Judged(False, True, None, True, True, unstable=("cited",))), status="missed"),
    question("q4", answer(None, Judged(True, True)), lost_at="context"),
    question("q5", answer(None, Judged(reason="it is not JSON"))),
    question("q6", answer(None, Judged(None, True)), status="unanswerable"),
    question("q7", answer(True)),
    question("q8", None),
]


def test_each_axis_has_its_counts_and_the_share_of_yes_with_its_n() -> None:
    axes = summarise_judged(QUESTIONS)["axes"]
    # live answers that were scored: q1 q2 q3 q4 q6
    assert {key: axes["correct"][key] for key in ("yes", "no", "cannot_tell")} == {"yes": 2, "no": 2, "cannot_tell": 1}
    assert (axes["correct"]["share"]["value"], axes["correct"]["share"]["n"]) == (0.5, 4)
    assert {key: axes["grounded"][key] for key in ("yes", "no", "cannot_tell")} == {"yes": 4, "no": 1, "cannot_tell": 0}
    assert axes["cited"]["cannot_tell"] == 4


def test_the_table_takes_the_grade_before_the_judge() -> None:
    found = summarise_judged(QUESTIONS)
    cells = {(cell["inside"], cell["grounded"], cell["correct"]): cell for cell in found["table"]}
    assert len(cells) == 8
    assert cells[True, True, True]["qids"] == ["q1"]
    # graded right, though the judge says otherwise; and it says what no passage supports
    assert cells[True, False, True]["qids"] == ["q2"]
    assert cells[True, False, True]["owner"] == "background knowledge"
    assert cells[False, True, False]["qids"] == ["q3"]
    # inside k, but the token budget kept it from the answer
    assert cells[False, True, True]["qids"] == ["q4"]
    assert found["undecided"] == ["q5", "q7"]  # q6 has no answer, so nothing is inside k


def test_what_a_person_should_look_at() -> None:
    found = summarise_judged(QUESTIONS)
    assert found["decided"] == {"live": 2, "oracle": 1}  # q3, q4; q1
    assert found["causes"] == {"correct": [], "grounded": ["q2"]}  # graded right, so nothing else is wrong with it
    assert found["unstable"] == [{"qid": "q3", "arm": "live", "axes": ["cited"]}]
    assert found["unscored"] == [{"qid": "q5", "arm": "live", "reason": "it is not JSON"}]
    assert found["disagree"] == [{"qid": "q2", "arm": "live", "graded": True, "judged": False}]
    assert found["unjudged"] == ["q7"]


def test_nothing_judged_is_no_share() -> None:
    found = summarise_judged([question("q1", answer(True)), question("q2", None)])
    assert found["axes"]["correct"]["share"]["value"] is None
    assert found["axes"]["correct"]["share"]["n"] == 0
    assert found["unjudged"] == ["q1"]
