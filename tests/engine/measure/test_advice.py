"""Each sentence from made-up results in which it, and only it, follows."""

from __future__ import annotations

from typing import Any

from ragtriage.measure.advice import MOST, advise
from ragtriage.measure.answer_results import AnswerResult
from ragtriage.measure.results import ItemResult, QuestionResult
from ragtriage.types import Grade


def item(rank: int | None, lost_at: str = "") -> ItemResult:
    return ItemResult("quote", "doc", (), "words", 1.0, "exact", False, False, (), rank, lost_at, ())


def result(qid: str, *ranks: int | None, k: int = 5, **more: Any) -> QuestionResult:
    items = tuple(item(rank, "" if rank is not None and rank <= k else "context") for rank in ranks)
    status = "found" if all(rank is not None and rank <= k for rank in ranks) else "missed"
    return QuestionResult(qid, "exact", "dev", "all", status, items, rr=0.0, **more)


def answer(correct: bool) -> AnswerResult:
    return AnswerResult("words", (), Grade(correct, refused=False))


def said(*questions: QuestionResult) -> dict[str, tuple[str, ...]]:
    return {advice.lever: advice.qids for advice in advise(questions, 5)}


def test_nothing_wrong_nothing_said():
    assert said(result("a", 1), result("b", 5)) == {}
    assert advise([], 5) == []


def test_evidence_in_no_pool():
    assert said(result("a", None, suggested="not-retrieved"), result("b", 5)) == {"retriever": ("a",)}


def test_evidence_below_k_has_the_headroom_of_all_questions():
    (advice,) = advise([result("a", 7, suggested="ranked-too-low"), result("b", 5)], 5)
    assert advice.qids == ("a",)
    assert "recall@5 by at most 0.50" in advice.sentence  # (1 - 0 + 1 - 1) / 2


def test_evidence_that_fusion_left_out_is_not_for_a_reranker():
    low = "ranked-too-low"
    assert said(result("a", 7, suggested=low), result("b", None, suggested=low)) == {"reranker": ("a",), "pool": ("b",)}


def test_a_wrong_oracle_answer_owns_what_is_inside_k():
    both = result("a", 5, live=answer(False), oracle=answer(False))
    live = result("b", 5, live=answer(False), oracle=answer(True))
    assert said(both, live) == {"prompt": ("a",), "distraction": ("b",)}


def test_only_the_oracle_answer_is_right():
    live = result("b", 5, live=answer(False), oracle=answer(True))
    lost = result("c", 7, live=answer(False), oracle=answer(True))
    (own,), (stand_in,) = advise([live, lost], 5, generator="command"), advise([live], 5, generator="extractive")
    assert own.qids == ("b",)
    assert own.sentence == (
        "1 question had the evidence inside k and only the oracle answer is right: the passages beside it distract; "
        "a smaller k, a reranker or the prompt."
    )
    assert "distract what answers (extractive stand-in)" in stand_in.sentence
    assert said(result("d", 5, live=answer(True), oracle=answer(True))) == {}


def test_the_stand_in_is_not_called_a_prompt_or_a_model():
    wrong = result("a", 5, live=answer(False), oracle=answer(False))
    (own,), (stand_in,) = advise([wrong], 5, generator="command"), advise([wrong], 5, generator="extractive")
    assert own.sentence.endswith("look at the prompt or the model.")
    assert stand_in.sentence.endswith("what answers is (extractive stand-in).")


def test_a_smaller_k_that_finds_as_much_needs_enough_questions():
    few = [result(f"q{number}", 2) for number in range(19)]
    assert said(*few) == {}
    (advice,) = advise([*few, result("last", 3, context_tokens=1000)], 5)
    assert advice.lever == "smaller-k"
    assert advice.qids == ("last",)
    assert "k = 3 finds as much as k = 5 (n 20)" in advice.sentence
    assert "about 20 tokens" in advice.sentence  # 1000 / 20 questions, two fifths of it


def test_at_most_three_sentences_those_of_most_questions_first():
    low = "ranked-too-low"
    questions = [result("a", None, suggested="not-retrieved"), *(result(f"b{n}", 7, suggested=low) for n in range(3))]
    questions += [result(f"c{n}", None, suggested=low) for n in range(2)]
    questions += [result(f"d{n}", 1, live=answer(False), oracle=answer(False)) for n in range(4)]
    levers = [advice.lever for advice in advise(questions, 5)]
    assert levers == ["prompt", "reranker", "pool"]
    assert len(levers) == MOST
