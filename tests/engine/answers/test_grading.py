from __future__ import annotations

from tests.engine.answers.passages import passages

from ragtriage.answers.extractive import REFUSAL
from ragtriage.answers.grading import gradable, grade
from ragtriage.types import Answer, Grade, Question

PASSAGES = passages("You can return it within 30 days.", "It costs 1,000 €.", title="Returns 2024")
DAYS = Question("q1", "how long do i have", must_mention=(("30 days", "a month"), ("return",)), must_not_mention=("60 days",))
MOON = Question("q2", "do you ship to the moon", answerable=False)


def graded(question: Question, text: str) -> Grade:
    return grade(question, Answer(text, ("c#1", "c#2"), "test"), PASSAGES)


def test_every_must_mention_makes_it_correct() -> None:
    assert graded(DAYS, "Return it within thirty days [1].") == Grade(correct=True, refused=False, cited=(1,))


def test_a_missing_one_makes_it_wrong_and_is_named() -> None:
    got = graded(DAYS, "Return it soon [1].")
    assert (got.correct, got.missing) == (False, ("30 days",))


def test_the_stale_number_makes_it_wrong() -> None:
    got = graded(DAYS, "Return it within 30 days, some say 60 days [1].")
    assert (got.correct, got.missing, got.said_wrong, got.unsupported) == (False, (), ("60 days",), ("60",))


def test_an_unanswerable_question_wants_a_refusal() -> None:
    assert graded(MOON, REFUSAL) == Grade(correct=True, refused=True)
    assert graded(MOON, "Yes, for 1000 € [2].").correct is False


def test_a_refusal_of_an_answerable_question_is_wrong() -> None:
    got = graded(DAYS, "I don't know whether you can return it within 30 days.")
    assert (got.correct, got.refused) == (False, True)


def test_without_a_must_mention_nothing_can_be_judged() -> None:
    open_question = Question("q3", "why")
    assert graded(open_question, "Because [1].").correct is None
    assert graded(open_question, REFUSAL).correct is None
    assert not gradable(open_question)
    assert gradable(DAYS)
    assert gradable(MOON)


def test_a_must_not_mention_alone_can_only_condemn() -> None:
    question = Question("q4", "why", must_not_mention=("60 days",))
    assert graded(question, "After 60 days.").correct is False
    assert graded(question, "After a while.").correct is None


def test_citations_and_numbers_are_checked_against_what_was_sent() -> None:
    got = graded(DAYS, "Return within 30 days [1][3], costs 1000 € in 2024 [2], or 77 [0].")
    assert (got.cited, got.invalid, got.unsupported) == ((1, 3, 2, 0), (3, 0), ("77",))


def test_markup_is_only_text() -> None:
    question = Question("q5", "[/b] what [red]", must_mention=(("[/path]",),))
    assert graded(question, "the tag [/path] closes [1]").correct is True
