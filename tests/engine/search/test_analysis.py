from __future__ import annotations

import time
from collections.abc import Callable

import pytest

from ragtriage.errors import ConfigError
from ragtriage.search.analysis import QuestionReader, scrub, stemmer_name
from ragtriage.search.stop_words import ENGLISH


def reader(*held: str) -> QuestionReader:
    def split(*extra: str) -> Callable[[str], list[str]]:
        def tokens(text: str) -> list[str]:
            text = "".join(c if c.isalnum() or c in extra else " " for c in text.lower())
            return text.split()

        return tokens

    words = split()
    return QuestionReader(
        words=words,
        stems=lambda text: [word.removesuffix("s") for word in words(text)],
        wholes=split("_", "-", "."),
        is_stop=ENGLISH.__contains__,
        holds_whole=lambda token: token in held,
    )


def test_each_word_is_searched_stemmed_and_lightly_as_it_stands() -> None:
    assert reader().weights("How do I return the shoes") == ({"return": 1, "shoe": 1}, {"return": 0.25, "shoes": 0.25})


def test_a_repeated_word_counts_as_often_as_it_occurs() -> None:
    assert reader().weights("shoes, shoes and shoe") == ({"shoe": 3}, {"shoe": 0.25, "shoes": 0.5})


def test_an_identifier_that_is_held_whole_outweighs_its_parts() -> None:
    assert reader("err_4021").weights("what is ERR_4021") == ({"4021": 0.25, "err": 0.25}, {"err_4021": 2})
    assert reader("v1.2.3").weights("v1.2.3") == ({"2": 0.25, "3": 0.25, "v1": 0.25}, {"v1.2.3": 3})


def test_an_identifier_that_is_not_held_is_searched_by_its_parts() -> None:
    assert reader().weights("ERR_4021") == ({"4021": 1, "err": 1}, {"err_4021": 0.25})


def test_a_joined_word_without_digit_or_underscore_is_no_identifier() -> None:
    assert reader("sign-on").weights("sign-on") == ({"sign": 1}, {"sign-on": 0.25})


def test_stop_words_alone_are_searched() -> None:
    assert reader().weights("to be or not to be").stem == {"be": 2, "not": 1, "or": 1, "to": 2}


def test_contractions_are_stop_words_and_possessives_lose_their_s() -> None:
    assert reader().weights("don't what's company's o'clock").stem == {"clock": 1, "company": 1, "o": 1}
    assert reader().weights("I don’t know the company’s rule").stem == {"company": 1, "know": 1, "rule": 1}


def test_terms_of_a_sentence_keep_their_order() -> None:
    assert reader().stem_terms("The shoes are in a box of shoes") == ["shoe", "box", "shoe"]
    assert reader().stem_terms("it is what it is") == []


def test_a_pasted_file_is_cut() -> None:
    assert len(reader().weights(" ".join(f"w{n}x" for n in range(5000))).stem) == 1024


def test_long_lines_take_linear_time() -> None:
    start = time.process_time()
    for text in ("a" * 1_000_000 + "'", "'" * 1_000_000, "a'" * 500_000, "don't " * 150_000):
        reader().weights(text)
    assert time.process_time() - start < 60  # quadratic would be hours


def test_lone_surrogates_are_replaced() -> None:
    assert scrub("a\ud800b") == "a\ufffdb"
    assert scrub("\udfff") == "\ufffd"
    assert scrub("naïve 東京 😀") == "naïve 東京 😀"


def test_languages() -> None:
    assert stemmer_name("en") == stemmer_name("EN") == "english"
    assert stemmer_name("zh") == ""
    with pytest.raises(ConfigError, match=r"retrieval\.language: 'klingon' is not known"):
        stemmer_name("klingon")
