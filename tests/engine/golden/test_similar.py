from __future__ import annotations

import random

import pytest
from tests.benchmarks.near_equal import twins_of
from tests.shared_data import shared

from ragtriage.golden.beir import read_beir
from ragtriage.golden.similar import Wordings, likeness, similar
from ragtriage.types import Question

SET = [
    Question("a", "How long do I have to return an item?"),
    Question("b", "how long do i have to return my items"),
    Question("c", "Do you ship to the moon?"),
    Question("d", "what is it"),
    Question("e", "[/path] returns ERR_4021"),
]


def ids(text: str, **more: object) -> list[str]:
    return [one.qid for one in similar(text, SET, **more)]  # type: ignore[arg-type]


def test_the_nearest_wordings_come_first() -> None:
    assert ids("how long can i return items") == ["a", "b", "e"]
    assert ids("shipping moon") == ["c"]
    assert ids("") == []
    assert ids("zebra") == []


def test_a_question_of_stop_words_is_still_compared() -> None:
    assert ids("what is it?", limit=1) == ["d"]


def test_the_same_text_scores_1_and_can_be_left_out() -> None:
    first = similar(SET[2].question, SET)[0]
    assert (first.qid, first.lexical, first.vector) == ("c", pytest.approx(1.0), None)
    assert ids(SET[2].question, skip="c") == []


def test_words_stand_beside_a_cosine_and_alone_where_they_say_more() -> None:
    assert likeness(0.0, 0.66) == pytest.approx(0.66 / 1.1)
    assert likeness(0.5, 0.66) == pytest.approx((0.66 + 0.1 * 0.5) / 1.1, abs=1e-6)
    assert likeness(0.9, 0.66) == 0.9
    assert likeness(0.5, None) == 0.5
    assert likeness(1.0, 1.0) == 1.0
    assert likeness(0.0, -0.3) == 0.0
    found = similar("refund window", SET, vectors={"b": 0.77, "c": 0.22, "d": -0.1})
    assert [(one.qid, one.score, one.vector) for one in found] == [("b", 0.7, 0.77), ("c", 0.2, 0.22)]


def test_another_number_is_another_question_however_like_it_is() -> None:
    questions = [Question("a", "What does ERR_4021 mean on the terminal?"), Question("b", "and what means 4028 on a terminal")]
    found = similar("what does ERR_4028 mean on the terminal", questions, vectors={"a": 0.99, "b": 0.95})
    assert [(one.qid, one.same_numbers, one.nearly_equal) for one in found] == [("a", False, False), ("b", True, True)]
    long = "please tell me what the terminal of our second shop means by error {} shown at night"
    assert not Wordings([Question("a", long.format("4021")), Question("b", long.format("4028"))]).pairs(0.5)
    assert Wordings([Question("a", long.format("4021")), Question("b", "so " + long.format("4021"))]).pairs(0.5)


def test_pairs_are_those_that_comparing_all_finds() -> None:
    rng = random.Random(2)
    words = ("red", "green", "blue", "fish", "boat", "tree", "lamp", "seven")
    questions = [Question(f"q{n}", " ".join(rng.choices(words, k=5))) for n in range(60)]
    wordings = Wordings(questions)
    first: dict[tuple[str, ...], str] = {}
    same = {one.qid: first.setdefault(tuple(sorted(one.question.split())), one.qid) for one in questions}
    firsts = set(first.values())
    for least in (0.5, 0.8, 0.95):
        slow = {
            (one.qid, other)
            for at, one in enumerate(questions)
            for other, score in wordings.like(one.question).items()
            if score >= least and int(other[1:]) > at
        }
        slow = {(one, other) for one, other in slow if {one, other} <= firsts or (same[other] == one)}
        assert {(one, other) for one, other, _ in wordings.pairs(least)} == slow


def test_the_same_question_many_times_over_is_paired_with_the_first() -> None:
    questions = [Question(f"q{n}", "Where is it made?") for n in range(3_000)]
    assert Wordings(questions).pairs() == [("q0", f"q{n}", 1.0) for n in range(1, 3_000)]


def test_twins_of_mongodb_faq_are_proposed_by_words_alone() -> None:
    golden = read_beir(shared("mongodb-faq"))
    twins = twins_of(golden.questions)
    hits = sum(
        any(one.qid in twins[question.qid] for one in similar(question.question, golden.questions, skip=question.qid))
        for question in golden.questions
        if question.qid in twins
    )
    assert hits >= 0.8 * len(twins), "words alone; vectors add to them"
