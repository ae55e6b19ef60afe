from __future__ import annotations

import random
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragtriage.golden.quotes import find_quote
from ragtriage.types import Span

TEXT = (
    "Refunds\n\nYou can send an item back within 30 days of delivery, unused and in its box. "
    "The customer’s account is credited — in full – after “inspection”.\nOpened software\n  cannot be returned…\n"
)


def found(quote: str, text: str = TEXT) -> tuple[str, list[str]]:
    result = find_quote(text, quote)
    return result.how, [text[span.start : span.end] for span in result.spans]


def test_exact_text_comes_first() -> None:
    assert found("within 30 days of delivery") == ("exact", ["within 30 days of delivery"])


@pytest.mark.parametrize(
    ("quote", "stands"),
    [
        ("Opened software cannot", "Opened software\n  cannot"),
        ("The customer's account", "The customer’s account"),
        ('after "inspection"', "after “inspection”"),
        ("after ''inspection''", "after “inspection”"),
        ("credited -- in full - after", "credited — in full – after"),
        ("cannot be returned...", "cannot be returned…"),
        ("  within   30\tdays ", "within 30 days"),
    ],
)
def test_white_space_and_typography_are_folded(quote: str, stands: str) -> None:
    assert found(quote) == ("folded", [stands])


def test_reworded_text_is_found_whole_words_and_punctuation_included() -> None:
    assert found("You may send an item back within 30 days of the delivery, unused and in its box.") == (
        "fuzzy",
        ["You can send an item back within 30 days of delivery, unused and in its box."],
    )
    assert found("you can send an item back WITHIN 30 days")[0] == "fuzzy"


@pytest.mark.parametrize(
    "quote",
    [
        "You can send an item back within 14 days of delivery, unused and in its box.",
        "You can send an item back within 3 days of delivery, unused and in its box.",
        "You can send an item back within 30 days of delivery, unused and in its 2 boxes.",
        "You can send an item back within days of delivery, unused and in its box.",
    ],
)
def test_a_changed_number_is_never_bridged(quote: str) -> None:
    assert found(quote) == ("missing-quote", [])


@pytest.mark.parametrize(
    ("text", "quote"),
    [
        ("within 130 days", "30 days"),
        ("within 1,30 days", "30 days"),
        ("it costs $5.50 each", "it costs $5"),
        ("see ERR_4021 there", "see ERR_402"),
        ("take 130  days off", "30 days off"),
    ],
)
def test_a_number_is_found_whole_or_not_at_all(text: str, quote: str) -> None:
    assert find_quote(text, quote).how == "missing-quote"


def test_numbers_at_the_edge_are_found_where_they_are_whole() -> None:
    for text in ("30 days.", "a 30 days", "in 2. 30 days", "(30 days)", "30 days, 5"):
        assert find_quote(text, "30 days").how == "exact"
    assert find_quote("in 2024. 5 more", "in 2024").how == "exact"
    assert find_quote("it is 1,000 km", "it is 1000 km").how == "fuzzy"


def test_what_was_marked_inside_a_number_stays_there() -> None:
    assert find_quote("number 12345", "345", at=9).spans == (Span(9, 12),)


def test_something_else_is_not_found() -> None:
    for quote in ("We ship to the moon on every second Tuesday", "box", "?!"):
        assert (find_quote(TEXT, quote).how == "exact") is (quote == "box")
    assert find_quote("", "anything").how == "missing-quote"


TWICE = "Plan A: cancel within 30 days. Plan B: cancel within 30 days. End."


def test_a_quote_that_occurs_twice_is_found_at_both_places() -> None:
    result = find_quote(TWICE, "cancel within 30 days")
    assert (result.how, result.occurrences) == ("exact", 2)
    assert [span.start for span in result.spans] == [8, 39]


@pytest.mark.parametrize(
    ("told", "start"),
    [
        ({"at": 39}, 39),
        ({"prefix": "Plan A: "}, 8),
        ({"prefix": "Plan  B:"}, 39),
        ({"suffix": ". End."}, 39),
        ({"prefix": "Plan B: ", "at": 8}, 39),
    ],
)
def test_offset_prefix_or_suffix_settle_which(told: dict[str, object], start: int) -> None:
    result = find_quote(TWICE, "cancel within 30 days", **told)  # type: ignore[arg-type]
    assert [span.start for span in result.spans] == [start]
    assert result.occurrences == 2


@pytest.mark.parametrize("told", [{"at": 40}, {"prefix": "Plan C: "}, {"prefix": " "}])
def test_what_settles_nothing_leaves_both(told: dict[str, object]) -> None:
    assert len(find_quote(TWICE, "cancel within 30 days", **told).spans) == 2  # type: ignore[arg-type]


def test_text_without_spaces_between_words() -> None:
    text = "本製品は、お届けから30日以内であれば返品できます。送料はお客様のご負担です。"
    result = find_quote(text, "本製品はお届けから30日以内なら返品できます")
    assert result.how == "fuzzy"
    assert "30日以内" in text[result.spans[0].start : result.spans[0].end]


def test_the_place_is_found_in_a_large_document() -> None:
    rng = random.Random(7)
    words = [f"{a}{b}" for a in ("ba", "ko", "ti", "mu", "re") for b in ("lan", "der", "son", "vik", "pur", "zet")]
    filler = " ".join(rng.choice(words) for _ in range(20_000))
    sentence = "The warranty covers the compressor for five years and every other part for two."
    text = f"{filler[:60_000]} {sentence} {filler[60_000:]}"
    result = find_quote(text, "The warranty covers compressors for five years and each other part for two.")
    assert result.how == "fuzzy"
    assert text[result.spans[0].start : result.spans[0].end] == sentence


def test_a_long_quote_is_aligned_by_its_ends() -> None:
    rng = random.Random(4)
    sentences = [
        " ".join(rng.choices(["alpha", "beta", "gamma", "delta", "omega", "sigma", "kappa", "lambda"], k=9)).capitalize()
        for _ in range(300)
    ]
    text = ". ".join(sentences) + "."
    part = ". ".join(sentences[100:160]) + "."
    quote = part.replace(sentences[130], "Something else entirely stands here now")
    result = find_quote(text, quote)
    assert result.how == "fuzzy"
    assert [text[span.start : span.end] for span in result.spans] == [part]


def test_hostile_sizes_end() -> None:
    letters = find_quote("a" * 50_000, "a", at=49_999)
    assert (letters.spans, letters.occurrences) == ((Span(49_999, 50_000),), 1_001)
    for text, quote in (
        (" " * 50_000 + "x", "a  b" * 1_000),
        ("-" * 50_000, "- -- " * 1_000 + "x"),
        ("a b " * 10_000, "a  c " * 1_000),
        ("x" * 50_000, "y" * 50_000),
    ):
        assert find_quote(text, quote).how == "missing-quote"


@given(st.text(st.sampled_from("ab1,. \n-–’'"), min_size=1, max_size=30), st.integers(0, 30), st.integers(1, 12))
def test_what_stands_there_is_found_there(text: str, start: int, size: int) -> None:
    start = min(start, len(text) - 1)
    quote = text[start : start + size]
    result = find_quote(text, quote, at=start)
    assert result.how == "exact"
    assert result.spans == (Span(start, start + len(quote)),)


@given(st.data())
def test_whatever_is_found_has_the_quotes_numbers(data: st.DataObject) -> None:
    words = st.sampled_from(
        ["refund", "fee", "day", "of", "delivery", "within", "30", "14", "3", "1,000", "5.50", "130", ".", "–"]
    )
    text = " ".join(data.draw(st.lists(words, max_size=14)))
    quote = " ".join(data.draw(st.lists(words, min_size=1, max_size=6)))
    numbers = re.compile(r"\d+(?:[.,]\d+)*")
    for span in find_quote(text, quote).spans:
        assert numbers.findall(text[span.start : span.end]) == numbers.findall(quote)
        inside = [match.span() for match in numbers.finditer(text) if match.start() < span.end and span.start < match.end()]
        assert all(span.start <= low and high <= span.end for low, high in inside)
