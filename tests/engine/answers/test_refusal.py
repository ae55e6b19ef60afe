from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.engine.answers import refusal_held_out
from tests.engine.answers.refusal_tables import ANSWERS, IN_OTHER_LANGUAGES, REFUSALS

from ragtriage.answers.extractive import REFUSAL
from ragtriage.answers.refusal import is_refusal


@pytest.mark.parametrize("text", [*REFUSALS, REFUSAL])
def test_a_refusal_is_one(text: str) -> None:
    assert is_refusal(text)


@pytest.mark.parametrize("text", ANSWERS)
def test_an_answer_is_none(text: str) -> None:
    assert not is_refusal(text)


def test_what_was_held_out_is_told_right_now() -> None:
    assert [text for text in refusal_held_out.REFUSALS if not is_refusal(text)] == []
    assert [text for text in refusal_held_out.ANSWERS if is_refusal(text)] == []


@pytest.mark.parametrize("text", IN_OTHER_LANGUAGES)
def test_another_language_counts_as_an_answer(text: str) -> None:
    assert not is_refusal(text)


def test_hostile_text_takes_linear_time() -> None:
    for text in (
        "while the " * 50_000,
        "the passages " * 50_000,
        "'" * 100_000,
        "." * 100_000,
        " " * 100_000 + "x",
        "no " * 50_000,
        "x" + " " * 50_000 + "x",
        "the context " + "and it " * 50_000,
        "the exact " * 50_000,
        "I searched " * 50_000,
        "outside the scope of " * 20_000,
    ):
        is_refusal(text)


@given(st.text(max_size=80))
def test_no_text_breaks_it(text: str) -> None:
    assert is_refusal(text) in (True, False)
