"""The stretch of a document that holds a passage, word by word."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from ragtriage.search.systems.alignment_stretch import Stretch, occurrences, straight_of, stretch_of, tells
from ragtriage.search.systems.alignment_words import words_of

PAGE = "Goods may be sent back within 30 days of delivery, as our terms say, and we pay for the way back to us."


def stretch(passage: str, page: str = PAGE) -> Stretch | None:
    return stretch_of(words_of(passage), words_of(page))


def test_a_passage_that_stands_there_is_one_straight_stretch() -> None:
    found = stretch("WITHIN 30 days, of delivery")
    assert found == Stretch(0, 5, 5, 9, 5)
    assert found.straight


def test_what_is_put_in_or_left_out_does_not_end_it() -> None:
    put_in = stretch("may be sent back at once within 30 days of delivery as our terms say")
    assert put_in == Stretch(0, 15, 1, 13, 13)  # "at once" is two words more
    left_out = stretch("may be sent back within 30 days delivery as our terms say")
    assert left_out == Stretch(0, 12, 1, 13, 12)
    assert not left_out.straight


def test_more_words_than_a_few_left_out_end_it() -> None:
    words = [letter * 3 for letter in "abcdefghijklmnopqrstuvwx"]
    for left_out, found in ((3, Stretch(0, 21, 0, 23, 21)), (4, Stretch(0, 10, 0, 9, 10))):
        assert stretch(" ".join(words[:10] + words[10 + left_out :]), " ".join(words)) == found


def test_a_number_that_differs_is_not_part_of_it() -> None:
    found = stretch("may be sent back within 60 days of delivery, as our terms say")
    assert found is not None
    assert (found.start, found.stop) == (6, 13)  # what comes after the number is the longer side
    page = "We say that it is what everybody pays here 1.5 euros a day"
    assert stretch(page.replace("here", "here now"), page) == Stretch(0, 15, 0, 13, 14)
    assert stretch(page.replace("here 1.5", "here now 1,5"), page) == Stretch(0, 9, 0, 8, 9)
    assert stretch("1.5 euros", "1,5 euros") is None
    assert straight_of(words_of("1.5 euros"), words_of("1,5 euros")) is None


def test_nothing_in_common_and_nothing_at_all() -> None:
    for passage, page in (("refund", PAGE), ("", PAGE), ("refund", ""), ("…", "…")):
        assert stretch(passage, page) is None
        assert straight_of(words_of(passage), words_of(page)) is None


def test_straight_takes_no_word_that_was_put_in() -> None:
    passage = words_of("may be sent back at once within 30 days of delivery as our terms say")
    assert straight_of(passage, words_of(PAGE)) == Stretch(6, 15, 5, 13, 9)


def test_a_few_words_tell_only_between_marks() -> None:
    page = words_of("see in the end there is a way")
    for text, enough in (
        ("Whoever asks: in the end there is. But not here", True),
        ("Whoever asks in the end there is. But not here", False),
        ("Whoever asks: in the end there is but not here", False),
        ("Whoever asks: the end there is. But not here", False),  # four words are too few
        ("in the end there is", True),
    ):
        passage = words_of(text)
        found = straight_of(passage, page)
        assert found is not None
        assert tells(passage, found) is enough, text


_word = st.sampled_from(["a", "b", "c", "d", "17", "18"])


@given(st.lists(_word, max_size=12), st.lists(_word, max_size=20))
def test_a_stretch_is_made_of_words_that_both_have_in_one_order(said: list[str], there: list[str]) -> None:
    passage, page = words_of(" ".join(said)), words_of(" ".join(there))
    straight = straight_of(passage, page)
    if straight is not None:
        assert straight.straight
        assert said[straight.start : straight.stop] == there[straight.first : straight.last + 1]
    found = stretch_of(passage, page)
    assert (found is not None) or straight is None
    if found is not None:
        assert 0 <= found.start < found.stop <= len(said)
        assert 0 <= found.first <= found.last < len(there)
        assert found.matched <= min(found.stop - found.start, found.last - found.first + 1)
        inside, outside = said[found.start : found.stop], there[found.first : found.last + 1]
        assert [one for one in inside if one.isdigit()] == [one for one in outside if one.isdigit()]


@given(st.lists(_word, min_size=1, max_size=3), st.lists(_word, max_size=20), st.integers(0, 5))
def test_occurrences_are_all_places_up_to_so_many(wanted: list[str], there: list[str], most: int) -> None:
    places = [at for at in range(len(there)) if there[at : at + len(wanted)] == wanted]
    assert occurrences(words_of(" ".join(wanted)).hashes, words_of(" ".join(there)).hashes, most) == places[:most]
