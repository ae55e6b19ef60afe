"""The order of the suggested categories, and what a question's status is."""

from __future__ import annotations

from typing import Any

import pytest

from ragtriage.measure.answer_results import AnswerResult
from ragtriage.measure.failing import ItemState, judged_alone, status_of, suggest
from ragtriage.types import Grade, Judged

INSIDE = ItemState(inside=True, in_pool=True, bad_label=False)
BELOW = ItemState(inside=False, in_pool=True, bad_label=False)
UNSEEN = ItemState(inside=False, in_pool=False, bad_label=False)
BAD = ItemState(inside=False, in_pool=False, bad_label=True)


def answer(correct: bool | None, refused: bool = False, judged: Judged | None = None, **found: Any) -> AnswerResult:
    return AnswerResult("words", (), Grade(correct, refused, **found), judged)


RIGHT = answer(True)
WRONG = answer(False, missing=("30 days",))
REFUSED = answer(False, refused=True)
UNGRADED = answer(None)


@pytest.mark.parametrize(
    ("items", "needs", "expected"),
    [
        ([INSIDE, INSIDE], "all", "found"),
        ([INSIDE, BELOW], "all", "partly"),
        ([INSIDE, BELOW], "any", "found"),
        ([BELOW, UNSEEN], "all", "missed"),
        ([BELOW, UNSEEN], "any", "missed"),
        ([], "all", "unlabelled"),
    ],
)
def test_status(items, needs, expected):
    assert status_of(items, needs, answerable=True) == expected


def test_an_unanswerable_question_is_never_missed():
    assert status_of([], "all", answerable=False) == "unanswerable"


@pytest.mark.parametrize(
    ("items", "needs", "expected"),
    [
        ([INSIDE, BAD], "all", "bad-label"),
        ([BAD, UNSEEN], "all", "bad-label"),
        ([INSIDE, UNSEEN], "all", "not-retrieved"),
        ([BELOW, UNSEEN], "all", "not-retrieved"),
        ([INSIDE, BELOW], "all", "ranked-too-low"),
        ([BELOW, UNSEEN], "any", "ranked-too-low"),  # one reading could still be ranked up
        ([UNSEEN, UNSEEN], "any", "not-retrieved"),
        ([BELOW, BAD], "any", "ranked-too-low"),
        ([BAD, UNSEEN], "any", "not-retrieved"),  # nothing to rank up, and not every label is bad
    ],
)
def test_retrieval_owns_what_is_not_inside_k(items, needs, expected):
    status = status_of(items, needs, answerable=True)
    for live in (None, RIGHT, WRONG, REFUSED, UNGRADED):
        assert suggest(status, items, needs, live) == expected


@pytest.mark.parametrize(
    ("live", "expected"),
    [
        (None, ""),
        (RIGHT, ""),
        (UNGRADED, ""),
        (WRONG, "misused"),
        (REFUSED, "refused-wrongly"),
        (answer(True, invalid=(7,)), "made-up"),
        (answer(False, missing=("30",), unsupported=("90",)), "made-up"),
        (answer(False, said_wrong=("14 days",)), "misused"),
        (answer(None, judged=Judged(correct=False, grounded=True)), "misused"),
        (answer(None, judged=Judged(correct=True, grounded=False)), "made-up"),
        (answer(None, judged=Judged(correct=True, grounded=None)), ""),
        (answer(True, judged=Judged(correct=False, grounded=True)), ""),  # what must be mentioned is
    ],
)
def test_the_answer_owns_what_is_inside_k(live, expected):
    assert suggest("found", [INSIDE], "all", live) == expected


def test_an_unanswerable_question_fails_only_when_it_is_answered():
    assert suggest("unanswerable", [], "all", REFUSED) == ""
    assert suggest("unanswerable", [], "all", UNGRADED) == "should-have-refused"
    assert suggest("unanswerable", [], "all", None) == ""


@pytest.mark.parametrize("status", ["unlabelled", "failed"])
def test_nothing_is_said_where_nothing_was_measured(status):
    assert suggest(status, [], "all", WRONG) == ""


@pytest.mark.parametrize(
    ("live", "axis"),
    [
        (answer(None, judged=Judged(correct=False)), "correct"),
        (answer(None, judged=Judged(correct=False, grounded=False)), "grounded"),
        (answer(False, judged=Judged(correct=False)), None),  # the grade says so, too
        (answer(False, judged=Judged(grounded=False)), "grounded"),  # misused without the judge
        (answer(False, invalid=(7,), judged=Judged(grounded=False)), None),
        (answer(True, judged=Judged(correct=False, grounded=True)), None),
        (answer(None), None),
        (None, None),
    ],
)
def test_a_cause_that_is_the_judges_word_alone_is_known(live: AnswerResult | None, axis: str | None) -> None:
    assert judged_alone("found", live) == axis
    assert judged_alone("missed", live) is None
