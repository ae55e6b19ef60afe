from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragtriage.answers.numbers import _stands_in, unsupported_numbers
from ragtriage.answers.words import written_numbers

PASSAGE = "Returns are free for thirty days. Orders above 1,000 € ship in 3-5 days, since 5 January 2024 (v2.10.3)."


@pytest.mark.parametrize(
    ("answer", "made_up"),
    [
        ("You have 30 days [1].", ()),
        ("You have 45 days [1].", ("45",)),
        ("Orders above €1000 ship in 3 to 5 days.", ()),
        ("Orders above 1.000,00 € ship.", ()),
        ("It has been so since 2024-01-05.", ()),
        ("It has been so since 2023.", ("2023",)),
        ("In version 2.10 or 2.10.3.", ("2.10",)),
        ("1. Open it.\n2. Wait.\n3) Close it.", ()),
        ("One of seventeen.", ()),
        ("On the 5th of January 2024.", ()),
        ("On the 6th of January 2024.", ("6",)),
        ("It has been so since 2024-07-05.", ("7",)),
        ("The code is ERR_4021.", ("4021",)),
        ("It takes 7 days, 7 days [2].", ("7",)),
        ("It costs 1.5 million.", ("1500000",)),
        ("No number at all.", ()),
        ("", ()),
    ],
)
def test_numbers_without_support(answer: str, made_up: tuple[str, ...]) -> None:
    assert unsupported_numbers(answer, [PASSAGE]) == made_up


def test_a_number_of_the_question_is_no_invention() -> None:
    assert unsupported_numbers("After 12 months it is over.", ["what happens after 12 months", PASSAGE]) == ()


def test_without_sources_every_number_is() -> None:
    assert unsupported_numbers("From 2 to 3.", []) == ("2", "3")


def test_a_sign_may_be_dropped_by_the_source() -> None:
    assert unsupported_numbers("Keep it at -18 °C.", ["Keep it at minus 18 °C."]) == ()
    assert unsupported_numbers("Keep it at 18 °C.", ["Keep it at -18 °C."]) == ("18",)


@pytest.mark.parametrize(
    ("answer", "source", "made_up"),
    [
        ("Open from 9:00 to 17:00.", "Open from 9 am to 5 pm.", ()),
        ("Open from 9 am to 6 pm.", "Open from 9:00 to 17:00.", ("18:00",)),
        ("Open from 9:00 to 17:00.", "Open from 9 to 5.", ()),
        ("Open from 9:30.", "Open from 9.", ("9:30",)),
        ("Version 2.10 has it.", "Python 2.10 has it.", ()),
        ("Python 2.10 has it.", "Since v2.10.", ()),
        ("Error ERR_4021.", "ERR_4021 means that it is full.", ()),
        ("The 21st time.", "For the twenty-first time.", ()),
        ("Half of 2½ hours.", "2.5 hours", ()),
        ("1,000,000 users", "1 000 000 users", ()),
        ("It has 1.5M users.", "1,500,000 users", ()),
    ],
)
def test_numbers_in_other_forms(answer: str, source: str, made_up: tuple[str, ...]) -> None:
    assert unsupported_numbers(answer, [source]) == made_up


@pytest.mark.parametrize(
    ("answer", "source"),
    [
        ("30", "130"),
        ("30", "300"),
        ("30", "30.5"),
        ("30", "0.30,5"),
        ("30", "1,030"),
        ("2.1", "12.1"),
        ("2.1", "2.1.3"),
        ("9:30", "19:30"),
    ],
)
def test_a_part_of_another_number_supports_nothing(answer: str, source: str) -> None:
    assert unsupported_numbers(answer, [source]) == (answer,)


@given(st.integers(0, 9999), st.text(alphabet="0123456789.,-−:/ ax", max_size=30))
def test_what_stands_in_a_text_is_one_of_its_numbers(number: int, text: str) -> None:
    for source in (text, f"{text}{number}{text[::-1]}"):
        assert not _stands_in(str(number), source) or str(number) in written_numbers(source)
