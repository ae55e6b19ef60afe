from __future__ import annotations

from pathlib import Path

import pytest
from tests.engine.answers.judges import FakeJudge, reply
from tests.engine.answers.models.fakes import FakeModel, Says, asker
from tests.engine.answers.passages import passages

from ragtriage.answers.judge import Judge, Judging, ModelJudge
from ragtriage.answers.models.asking import Asker
from ragtriage.answers.models.base import Reply, Request
from ragtriage.answers.models.replies import ReplyCache
from ragtriage.errors import Cancelled, ModelFailed
from ragtriage.remote.endpoint import Endpoint
from ragtriage.remote.estimate import Agree, Estimate
from ragtriage.types import Judged, Question

ENDPOINT = Endpoint("openai", "fake", concurrency=2)
REFUNDS = Judging(
    Question("q1", "how long may i send goods back", expected_answer="30 days"),
    passages("Send goods back within 30 days.", "We ship to Norway."),
    "Within 30 days [1].",
)


def agree(*_: Estimate) -> None:
    """Whatever it takes."""


def judge_of(folder: Path, says: Says) -> tuple[ModelJudge, FakeModel]:
    model = FakeModel(says)
    return ModelJudge(asker(folder, model, ENDPOINT), headings=False), model


def judged(
    judge: Judge, judgings: list[Judging], *, stability: bool = False, agree: Agree | None = None
) -> list[Judged | None]:
    return [one.judged for one in judge.judge(judgings, agree=agree, stability=stability)]


def backwards(request: Request) -> bool:
    return request.user.index("<passage_2") < request.user.index("<passage_1")


def test_what_the_judge_says_comes_back_by_axis(tmp_path: Path) -> None:
    judge, model = judge_of(tmp_path, lambda _: reply("yes no ? yes no", ["It snows."]))
    assert judged(judge, [REFUNDS], agree=agree) == [Judged(True, False, None, True, False, claims=("It snows.",))]
    (one,) = judge.judge([REFUNDS])
    assert one.cached
    assert [(one.model, one.input_tokens) for one in one.replies] == [("fake-1", 100)]
    assert model.requests == judge.requests([REFUNDS])


def test_nobody_is_asked_without_agreement_and_nothing_twice(tmp_path: Path) -> None:
    judge, model = judge_of(tmp_path, lambda _: reply())
    other = REFUNDS._replace(answer="In 30 days.")
    assert judged(judge, [REFUNDS, other]) == [None, None]
    assert model.requests == []
    judged(judge, [REFUNDS, REFUNDS], agree=agree)
    assert len(model.requests) == 1
    assert [one is None for one in judged(judge, [REFUNDS, other])] == [False, True]
    again, model = judge_of(tmp_path, lambda _: ModelFailed("not to be asked"))
    assert judged(again, [REFUNDS], agree=agree)[0] == Judged(True, True, True, True, True)
    assert model.requests == []


def test_no_answers_are_no_work(tmp_path: Path) -> None:
    judge, _ = judge_of(tmp_path, lambda _: reply())
    assert (judged(judge, [], agree=agree), judge.requests([])) == ([], [])


def test_what_nobody_can_know_is_not_taken_from_the_judge(tmp_path: Path) -> None:
    judge, _ = judge_of(tmp_path, lambda _: reply("yes yes yes yes yes"))
    unexpected = REFUNDS._replace(question=Question("q2", "what then"))
    uncited = REFUNDS._replace(answer="Within 30 days.")
    first, second = judged(judge, [unexpected, uncited], agree=agree)
    assert first == Judged(None, True, True, True, True)
    assert second == Judged(True, True, None, True, True)


def test_a_bad_reply_is_repaired_once_and_both_are_kept(tmp_path: Path) -> None:
    judge, model = judge_of(tmp_path, lambda request: reply() if "asked before" in request.user else "It is fine.")
    (one,) = judge.judge([REFUNDS], agree=agree)
    assert one.judged == Judged(True, True, True, True, True)
    assert len(one.replies) == len(model.requests) == 2
    assert "It is fine." in model.requests[1].user
    assert "it holds no JSON object" in model.requests[1].user
    again, model = judge_of(tmp_path, lambda _: ModelFailed("not to be asked"))
    (two,) = again.judge([REFUNDS], agree=agree)
    assert (two.judged, two.cached, model.requests) == (one.judged, True, [])


def test_two_bad_replies_are_unscored_and_a_third_is_not_asked_for(tmp_path: Path) -> None:
    judge, model = judge_of(tmp_path, lambda request: "No." if "asked before" in request.user else "{}")
    reason = (
        "a reply that cannot be used: the object lacks addresses, cited, correct, grounded, honest; "
        "asked again: it holds no JSON object"
    )
    assert judged(judge, [REFUNDS], agree=agree) == [Judged(reason=reason)]
    assert judged(judge, [REFUNDS], agree=agree) == [Judged(reason=reason)]
    assert len(model.requests) == 2


def test_a_repair_that_was_not_asked_for_yet_is_not_known(tmp_path: Path) -> None:
    judge, _ = judge_of(tmp_path, lambda request: ModelFailed("down") if "asked before" in request.user else "?")
    (one,) = judged(judge, [REFUNDS], agree=agree)
    assert one == Judged(reason="a first reply that cannot be used: it holds no JSON object; asked again: down")
    assert judged(judge, [REFUNDS]) == [None]
    back, model = judge_of(tmp_path, lambda _: reply())
    assert judged(back, [REFUNDS], agree=agree) == [Judged(True, True, True, True, True)]
    assert len(model.requests) == 1, "the repair alone"


def test_a_reply_that_was_cut_is_told_to_be_shorter(tmp_path: Path) -> None:
    judge, model = judge_of(tmp_path, lambda request: reply() if "asked before" in request.user else Reply('{"cor', cut=True))
    assert judged(judge, [REFUNDS], agree=agree)[0] == Judged(True, True, True, True, True)
    assert "shorter reasons are needed" in model.requests[1].user


def test_a_failure_is_the_reason_and_others_are_judged_all_the_same(tmp_path: Path) -> None:
    other = REFUNDS._replace(answer="Never.")
    judge, _ = judge_of(tmp_path, lambda request: ModelFailed("timed out") if "Never." in request.user else reply())
    assert judged(judge, [other, REFUNDS], agree=agree) == [Judged(reason="timed out"), Judged(True, True, True, True, True)]


def test_a_second_pass_in_another_order_makes_none_of_what_differs(tmp_path: Path) -> None:
    def says(request: Request) -> str:
        return reply("yes no yes no yes", ["It snows."]) if backwards(request) else reply("yes yes yes ? yes")

    judge, model = judge_of(tmp_path, says)
    assert judged(judge, [REFUNDS], agree=agree, stability=True) == [
        Judged(True, None, True, None, True, claims=("It snows.",), unstable=("grounded", "honest"))
    ]
    assert len(model.requests) == 2
    assert judged(judge, [REFUNDS]) == [Judged(True, True, True, None, True)], "one pass says nothing of the other"
    assert len(judge.requests([REFUNDS], stability=True)) == 2


def test_what_the_judge_may_not_say_is_not_unstable_either(tmp_path: Path) -> None:
    judge, _ = judge_of(tmp_path, lambda request: reply("no yes no yes yes" if backwards(request) else "yes yes yes yes yes"))
    bare = REFUNDS._replace(question=Question("q2", "what then"), answer="30 days")
    assert judged(judge, [bare], agree=agree, stability=True) == [Judged(None, True, None, True, True)]


def test_one_passage_has_one_order_and_costs_one_request(tmp_path: Path) -> None:
    judge, model = judge_of(tmp_path, lambda _: reply())
    for sent in (passages("Send goods back within 30 days."), ()):
        assert judged(judge, [REFUNDS._replace(passages=sent)], agree=agree, stability=True)[0] == Judged(
            True, True, True, True, True
        )
    assert len(model.requests) == 2


def test_where_the_second_pass_fails_nothing_is_scored(tmp_path: Path) -> None:
    judge, _ = judge_of(tmp_path, lambda request: ModelFailed("timed out") if backwards(request) else reply())
    assert judged(judge, [REFUNDS], agree=agree, stability=True) == [Judged(reason="timed out")]
    assert judged(judge, [REFUNDS], stability=True) == [None]
    assert judged(judge, [REFUNDS]) == [Judged(True, True, True, True, True)]


def test_who_does_not_agree_or_stops_is_heard(tmp_path: Path) -> None:
    judge, model = judge_of(tmp_path, lambda _: reply())

    def no(estimate: Estimate) -> None:
        raise Cancelled(f"{estimate.stage} {estimate.requests}")

    with pytest.raises(Cancelled, match="judging 2"):
        judged(judge, [REFUNDS], agree=no, stability=True)
    assert model.requests == []


def test_two_judges_are_one_where_nothing_differs_that_matters() -> None:
    def identity(endpoint: Endpoint) -> str:
        return ModelJudge(Asker(endpoint, ReplyCache(Path("none")), permit=agree), headings=False).identity

    base = identity(Endpoint("openai", "gpt-x"))
    assert identity(Endpoint("openai", "gpt-x", retries=9, timeout_s=3, api_key_env="KEY", concurrency=1)) == base
    others = [Endpoint("openai", "gpt-y"), Endpoint("openai", "gpt-x", temperature=0.5), Endpoint("anthropic", "gpt-x"),
              Endpoint("openai", "gpt-x", base_url="http://localhost:8000")]  # fmt: skip
    assert len({base, *map(identity, others)}) == 5
    for part in ("openai(model=gpt-x)", "temperature=0", "rubric=1", "template=", "judge="):
        assert part in base


def test_the_manifest_names_the_judge_and_counts(tmp_path: Path) -> None:
    judge, _ = judge_of(tmp_path, lambda _: reply())
    judged(judge, [REFUNDS], agree=agree)
    counts = {"asked": 1, "failed": 0}
    assert judge.manifest() == {"spec": "openai(model=fake)", "rubric": "1", "identity": judge.identity, **counts}


def test_both_judges_keep_to_the_border(tmp_path: Path) -> None:
    judges: list[Judge] = [judge_of(tmp_path, lambda _: reply())[0], FakeJudge()]
    for judge in judges:
        (said,) = judged(judge, [REFUNDS._replace(answer="Send goods back within 30 days.")], agree=agree)
        assert said == Judged(True, True, None, True, True)
