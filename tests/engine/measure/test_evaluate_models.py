"""An evaluation whose answers come from a language model: asked once, graded like any other, and said when it is not there."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.engine.answers.judges import FakeJudge
from tests.engine.answers.models.fakes import FakeModel, asker, failing
from tests.engine.measure.test_evaluate import GOLDEN, make, question

from ragtriage.answers.judge import ModelJudge
from ragtriage.answers.model_generator import ModelGenerator
from ragtriage.answers.models.base import Request
from ragtriage.errors import UsageError
from ragtriage.measure.evaluate import evaluate
from ragtriage.project import Project
from ragtriage.remote.endpoint import Endpoint
from ragtriage.remote.estimate import Estimate
from ragtriage.types import Judged

PRICED = Endpoint("command", command=("fake",), concurrency=2, input_price=1.0, output_price=1.0)


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("RAGTRIAGE_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("RAGTRIAGE_AUTHOR", "somebody")
    return tmp_path / "handbook"


def with_model(project: Project, model: FakeModel) -> Project:
    project.__dict__["generator"] = ModelGenerator(asker(project.cache, model, PRICED), project.template, headings=True)
    return project


def says(request: Request) -> str:
    if "Norway" in request.question or "moon" in request.question:
        return "I do not know."
    return "Within 30 days [1], or 90 [8]."


def agreed(estimate: Estimate) -> None: ...


def test_the_model_is_asked_once_and_never_without_a_word(root):
    model = FakeModel(says)
    unasked = evaluate(with_model(make(root), model))
    assert model.requests == []
    assert unasked.manifest["answers"]["ungraded"] == {
        "nothing_to_grade_by": 3, "undecided": 0, "no_oracle": 0, "not_asked": 1, "failed": 0,
    }  # fmt: skip
    told: list[Estimate] = []
    first = evaluate(with_model(make(root), model), ask=told.append)
    assert [(one.stage, one.requests, one.known) for one in told] == [("answering", 3, 0)]  # q1 twice, q4 once
    assert len(model.requests) == first.manifest["generator"]["asked"] == 3
    second = evaluate(with_model(make(root), model), ask=told.append)
    third = evaluate(with_model(make(root), model))
    assert len(told) == 1
    assert len(model.requests) == 3
    assert first.lines == second.lines == third.lines
    assert second.manifest["generator"] | {"asked": 3, "cached": 0} == first.manifest["generator"]
    assert first.manifest["generator"]["cost"] == pytest.approx(3 * 110 / 1e6)
    rows = [one for one in first.timings if one["stage"] == "answer"]
    assert [(one["qid"], one["arm"], one["input_tokens"], one["cached"]) for one in rows] == [
        ("q1", "live", 100, False), ("q1", "oracle", 100, False), ("q4", "live", 100, False),
    ]  # fmt: skip
    result = first.get("q1")
    assert result is not None
    assert result.live is not None
    assert (result.live.correct, result.live.blocked, result.live.grade.unsupported) == (True, True, ("90",))
    assert result.suggested == "made-up"
    assert first.manifest["answers"]["citations"]["blocked"] == ["q1"]
    assert make(root).runs.load(first.id) == first


def test_answers_that_failed_are_data(root):
    model = FakeModel(failing("api.example answers 500: try later"))
    run = evaluate(with_model(make(root), model), ask=agreed)
    result = run.get("q1")
    assert result is not None
    assert result.unanswered == {"live": "api.example answers 500: try later", "oracle": "api.example answers 500: try later"}
    assert (result.live, result.status, result.suggested) == (None, "found", "")
    assert (run.manifest["answers"]["live"]["n"], run.manifest["answers"]["live"]["failed"]) == (0, 1)
    assert make(root).runs.load(run.id) == run


def test_whoever_does_not_agree_pays_nothing(root):
    def refuse(estimate: Estimate) -> None:
        raise UsageError("about 0.0003; --yes agrees")

    model = FakeModel(says)
    with pytest.raises(UsageError, match="--yes"):
        evaluate(with_model(make(root), model), ask=refuse)
    assert model.requests == []
    assert make(root).runs.all() == []


def test_the_split_tax_asks_for_what_differs_only(root):
    golden = [
        question("q1", "how long do i have", {"doc": "refunds", "quote": "within 30 days of delivery"},
                 answer_must_mention=["30 days"]),
        question("q2", "when do parcels leave", {"doc": "shipping", "quote": "the next working day"},
                 answer_must_mention=["working day"]),
    ]  # fmt: skip
    model = FakeModel(says)
    told: list[Estimate] = []
    run = evaluate(with_model(make(root, golden, retrieval__k="2"), model), ask=told.append, split_tax=True)
    assert set(run.manifest["answers"]["split"]) == {"distraction", "ranking", "missing"}
    arms = {one.qid: set(one.answers) for one in run.questions}
    assert arms == {"q1": {"live", "oracle", "padded", "forced"}, "q2": {"live", "oracle", "padded", "forced"}}
    sent = {request.key("") for request in model.requests}
    assert len(model.requests) == len(sent) == told[0].requests  # equal contexts are one request
    for one in run.questions:
        if one.status == "found" and one.live and one.forced:
            assert one.forced == one.live


def test_a_question_that_nothing_grades_is_answered_when_that_is_asked_for(root):
    model = FakeModel(says)
    run = evaluate(with_model(make(root), model), only=["q5", "q6"], ask=agreed, ungraded=True)
    live: dict[str, Any] = {one.qid: one.live for one in run.questions}
    assert live["q5"].grade.refused
    assert live["q6"].correct is None
    assert evaluate(with_model(make(root), model), only=["q5"]).questions[0].live is None


def test_a_template_of_the_project_reaches_the_model_and_the_fingerprints(root):
    project = make(root, GOLDEN)
    (root / "prompt.txt").write_text("Speak like a pirate.\n---\n{question} {passages}", encoding="utf-8")
    other = Project.open(root, overrides=["answers.prompt=prompt.txt"])
    model = FakeModel(says)
    evaluate(with_model(other, model), ask=agreed)
    assert {request.system for request in model.requests} == {"Speak like a pirate."}
    assert other.fingerprints()["config"] != project.fingerprints()["config"]
    (root / "prompt.txt").write_text("Speak plainly.\n---\n{question} {passages}", encoding="utf-8")
    changed = Project.open(root, overrides=["answers.prompt=prompt.txt"])
    assert changed.fingerprints()["config"] != other.fingerprints()["config"]


VERDICTS = {"correct": "no", "grounded": "yes", "cited": "yes", "honest": "yes", "addresses": "yes"}


def with_judge(project: Project, model: FakeModel) -> Project:
    project.__dict__["judge"] = ModelJudge(asker(project.cache / "judge", model, PRICED), headings=True)
    return project


def verdicts(request: Request) -> str:
    found: dict[str, Any] = {axis: {"verdict": verdict, "reason": "so"} for axis, verdict in VERDICTS.items()}
    found["grounded"]["unsupported_claims"] = []
    return json.dumps(found)


def test_a_judge_decides_what_no_must_mention_does(root):
    golden = [
        question("q1", "within how many days may goods be sent back", {"doc": "refunds", "quote": "within 30 days of delivery"},
                 answer_must_mention=["30 days"], expected_answer="30 days"),
        question("q2", "do you ship to Norway", {"doc": "shipping", "quote": "We ship to Norway."}, expected_answer="Yes."),
        question("q3", "what does ERR_4021 mean", {"doc": "errors", "quote": "the card was declined"}),
    ]  # fmt: skip
    judging = FakeModel(verdicts)
    unjudged = evaluate(with_judge(make(root, golden), judging))
    assert judging.requests == []
    assert [one.live is not None for one in unjudged.questions] == [True, True, False]  # nothing grades q3, judge or not
    told: list[Estimate] = []
    run = evaluate(with_judge(make(root, golden), judging), ask_judge=told.append)
    assert [one.stage for one in told] == ["judging"]
    first, second = run.questions[0].live, run.questions[1].live
    assert first is not None
    assert second is not None
    assert (first.correct, first.judged and first.judged.correct) == (True, False)  # the must-mention decides
    assert (second.grade.correct, second.correct, run.questions[1].suggested) == (None, False, "misused")
    assert run.manifest["judge"]["replies"] == len(judging.requests) > 0
    assert run.manifest["judge"]["cost"] > 0
    known = evaluate(with_judge(make(root, golden), judging))
    assert known.lines == run.lines
    assert make(root).runs.load(run.id) == run


def test_a_reply_of_the_judge_that_two_arms_share_is_counted_once(root):
    golden = [
        question("q1", "do you ship to Norway", {"doc": "shipping", "quote": "We ship to Norway."}, expected_answer="Yes.")
    ]
    judging = FakeModel(verdicts)
    run = evaluate(with_judge(make(root, golden, retrieval__k="1"), judging), ask_judge=agreed)
    rows = [one for one in run.timings if one["stage"] == "judge"]
    assert [(one["arm"], one["same_as"]) for one in rows] == [("live", None), ("oracle", "live")]
    assert len(judging.requests) == run.manifest["judge"]["replies"] == 1
    assert run.manifest["judge"]["input_tokens"] == 100


def test_a_judge_without_a_model_is_as_good(root):
    project = make(root, [question("q1", "do you ship to Norway", "shipping", expected_answer="ship to Norway")])
    project.__dict__["judge"] = FakeJudge()
    run = evaluate(project)
    (live,) = (one.live for one in run.questions)
    assert live is not None
    assert live.judged == Judged(True, False, None, True, True, claims=(live.text,))  # the citation stands in no passage
    assert run.manifest["judge"] | {"identity": "fake", "replies": 0, "cost": 0} == run.manifest["judge"]
