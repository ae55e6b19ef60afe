from __future__ import annotations

import random

import pytest
from tests.shared_data import shared

from ragtriage.golden.beir import read_beir
from ragtriage.golden.similar import Wordings, similar
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


def test_a_vectors_score_counts_where_it_is_higher() -> None:
    found = similar("refund window", SET, vectors={"b": 0.7, "c": 0.2, "d": -0.1})
    assert [(one.qid, one.score, one.vector) for one in found] == [("b", 0.7, 0.7), ("c", 0.2, 0.2)]


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


def test_twins_of_mongodb_faq_are_proposed() -> None:
    golden = read_beir(shared("mongodb-faq"))
    answers: dict[str, set[str]] = {}
    for question in golden.questions:
        for evidence in question.evidence:
            answers.setdefault(evidence.place.chunk, set()).add(question.qid)
    twins = {qid: group - {qid} for group in answers.values() if len(group) > 1 for qid in group}
    hits = sum(
        any(one.qid in twins[question.qid] for one in similar(question.question, golden.questions, skip=question.qid))
        for question in golden.questions
        if question.qid in twins
    )
    assert hits >= 0.7 * len(twins), "words alone; vectors add to them"
