"""A number stays the same in digits and in words, and no other becomes it."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragtriage.answers.words import tokens_of
from ragtriage.golden.quote_numbers import numbers_of, same_numbers
from ragtriage.golden.quotes import find_quote


def same(one: str, other: str) -> bool:
    forth = same_numbers(numbers_of(one), numbers_of(other))
    assert forth == same_numbers(numbers_of(other), numbers_of(one))
    return forth


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("within 10 days", "within ten days"),
        ("Ten days.", "10 days."),
        ("a 10-day trial", "a ten–day trial"),
        ("for 24 hours", "for twenty-four hours"),
        ("for 21 hours", "for twenty one hours"),
        ("2 or 3 parcels (at most 4)", "two or three parcels (at most four)"),
        ("from 9 to 17", "from nine to seventeen"),
        ("0 errors", "zero errors"),
        ("1,000 km", "1000 km"),
        ("Twenty-four", "twenty four"),
    ],
)
def test_the_same_number(one: str, other: str) -> None:
    assert same(one, other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("within 10 days", "within twelve days"),
        ("within twenty days", "within twenty-one days"),
        ("within 20 days", "within twenty-one days"),
        ("within 20 days", "within twenty one days"),
        ("21 time codes", "twenty one-time codes"),
        ("a hundred keys", "a hundred and one keys"),
        ("terminal T10 works", "terminal ten works"),
        ("at 10% a year", "at ten a year"),
        ("it costs $10 each", "it costs ten each"),
        ("10.5 litres", "ten point five litres"),
        ("10 litres", "ten point five litres"),
        ("10 litres", "minus ten litres"),
        ("2 thousand seats", "two seats"),
        ("2 of them", "two-thirds of them"),
        ("2 of them", "two thirds of them"),
        ("10-20 days", "ten days"),
        ("at 10:30", "at ten"),
        ("in 010 cases", "in ten cases"),
        ("7 of 11", "seven eleven"),
        ("one of 2", "one of 3"),
        ("10² metres", "ten metres"),
        ("the 10th day", "the ten day"),
        ("the second day", "the 2 day"),
    ],
)
def test_another_number(one: str, other: str) -> None:
    assert not same(one, other)


FEW = "10 2 20 21 ten two twenty twenty-one one hundred and point minus five 5 0 zero days in -10 10-day ten-day 2.5 , . ( %"
WORDS = st.sampled_from(FEW.split())


@given(st.lists(WORDS, max_size=6), st.lists(WORDS, max_size=6))
def test_what_is_called_the_same_has_the_same_values(one: list[str], other: list[str]) -> None:
    """Against another reading of numbers: that of answers."""

    def values(words: list[str]) -> list[str]:
        return [token.text for token in tokens_of(" ".join(words)) if token.number and token.text != "1"]

    mine, theirs = numbers_of(" ".join(one)), numbers_of(" ".join(other))
    if same_numbers(mine, theirs) and [number.text for number in mine] != [number.text for number in theirs]:
        assert values(one) == values(other)


@pytest.mark.parametrize("number", range(100))
def test_every_number_below_a_hundred_has_its_words(number: int) -> None:
    words = "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen"
    small = f"{words} eighteen nineteen".split()
    tens = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
    word = small[number] if number < 20 else tens[number // 10 - 2] + (f"-{small[number % 10]}" if number % 10 else "")
    if number == 1:  # mostly it counts nothing
        assert numbers_of("one day") == []
        return
    assert same(f"in {number} days", f"in {word} days")
    for low, high in pairwise((number - 1, number, number + 1)):
        other = high if low == number else low
        assert not same(f"in {other} days", f"in {word} days")


def test_a_quote_whose_number_was_spelled_out_is_found() -> None:
    quote = "You can send an item back within 10 days of delivery, unused and in its box."
    (span,) = find_quote(f"# Refunds\n\n{quote.replace('10', 'ten')}\n\nMore.", quote).spans
    assert span.end - span.start == len(quote) + 1
    assert find_quote(f"# Refunds\n\n{quote.replace('10', 'six')}\n\nMore.", quote).how == "missing-quote"
