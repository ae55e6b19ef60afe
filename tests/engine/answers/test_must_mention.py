from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.engine.answers.mention_tables import NOT_STATED, STATED

from ragtriage.answers.must_mention import mentioned, mentions, missing_mentions


@pytest.mark.parametrize(("phrase", "text"), STATED)
def test_the_same_fact_in_another_form_is_stated(phrase: str, text: str) -> None:
    assert mentions(text, phrase)


@pytest.mark.parametrize(("phrase", "text"), NOT_STATED)
def test_another_fact_is_not(phrase: str, text: str) -> None:
    assert not mentions(text, phrase)


def test_one_alternative_of_each_requirement_is_enough() -> None:
    required = (("30 days", "a month"), ("free",), ("card", "bank account"))
    assert missing_mentions("It is free for a month.", required) == ("card",)
    assert missing_mentions("", required) == ("30 days", "free", "card")
    assert missing_mentions("anything", ()) == ()


def test_the_stale_number_is_heard() -> None:
    assert mentioned("You have 14 days, or 30-day cover.", ("30 days", "60 days")) == ("30 days",)


@given(st.text(max_size=60))
def test_every_text_states_itself(text: str) -> None:
    assert mentions(text, text) == bool(text.strip()) or "[" in text or "【" in text


@given(st.text(max_size=60), st.text(max_size=20))
def test_no_text_breaks_it(text: str, phrase: str) -> None:
    assert mentions(text, phrase) in (True, False)


@pytest.mark.parametrize(
    "text",
    [
        "1 " * 50_000,
        "1 000 " * 30_000,
        "may 1 " * 20_000,
        "one hundred " * 20_000,
        "three billion " * 2_000,
        "9" * 100_000,
        "a-" * 50_000,
        "9" * 5_000 + "st",
        "9 a" * 30_000,
        "1 to " * 30_000,
        "1/2 " * 20_000,
        "½" * 20_000,
        "_" * 100_000,
        "1\t" + " " * 50_000 + "to",
    ],
    ids=lambda text: text[:8],
)
def test_hostile_text_takes_linear_time(text: str) -> None:
    assert mentions(text, "thirty days of 5 pm") is False
