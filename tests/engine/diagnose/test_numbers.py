from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from tests.engine.diagnose.planted import WINGS, chunks_of, filler

from ragtriage.chunking.base import Chunks
from ragtriage.diagnose.duplicates import exact_duplicates, near_duplicates
from ragtriage.diagnose.numbers import Contradictions, contradictions
from ragtriage.diagnose.places import Places

BACK = "You may send goods back within {} days of delivery."


def found(chunks: Chunks) -> Contradictions:
    return contradictions(chunks, near_duplicates(chunks, exact_duplicates(chunks)), Places(chunks))


def sides(chunks: Chunks) -> list[list[tuple[tuple[str, ...], str, int]]]:
    return [
        [(side.numbers, side.place.doc_id, side.place.line) for side in difference.sides] for difference in found(chunks).found
    ]


def test_the_same_sentence_with_another_number_is_shown_with_both_lines() -> None:
    chunks = chunks_of({"a": [filler(1), BACK.format(30)], "b": [BACK.format(14), filler(2)]})
    assert sides(chunks) == [[(("30",), "a", 3), (("14",), "b", 1)]]
    (difference,) = found(chunks).found
    assert [side.place.chunk_id for side in difference.sides] == ["a#2", "b#1"]
    assert difference.sides[1].place.text == BACK.format(14)


def test_numbers_compare_by_value_however_they_are_written() -> None:
    assert sides(chunks_of({"a": [BACK.format(30)], "b": [BACK.format("thirty")], "c": [BACK.format("30.0")]})) == []
    chunks = chunks_of({"a": [BACK.format("thirty")], "b": [BACK.format("fourteen")]})
    assert sides(chunks) == [[(("30",), "a", 1), (("14",), "b", 1)]]


def test_in_near_duplicates_the_sentence_need_not_be_the_same() -> None:
    a = f"{WINGS} You may send goods back within 30 days of delivery."
    b = f"{WINGS} You can send goods back within 14 days of delivery."
    assert sides(chunks_of({"a": [a], "b": [b]})) == [[(("30",), "a", 1), (("14",), "b", 1)]]
    assert sides(chunks_of({"a": [a], "b": [b.replace("14", "30")]})) == []
    assert sides(chunks_of({"a": [a], "b": [filler(3) + b[len(WINGS) :]]})) == []  # elsewhere it is another statement


def test_further_places_are_counted_with_the_first_that_says_so() -> None:
    chunks = chunks_of({"a": [BACK.format(30)], "b": [BACK.format(14)], "c": [filler(1) + " " + BACK.format(30)]})
    (difference,) = found(chunks).found
    assert [(side.numbers, side.more) for side in difference.sides] == [(("30",), 1), (("14",), 0)]


def test_many_values_are_a_series_and_no_contradiction() -> None:
    series = found(chunks_of({str(at): [f"{filler(at)} Release {at} went out to all customers we have."] for at in range(9)}))
    assert (series.found, series.series) == ((), 1)
    near = found(chunks_of({str(at): [f"{WINGS} It takes {at + 2} days."] for at in range(9)}))
    assert (near.found, near.series) == ((), 1)


def test_things_that_a_number_in_their_name_tells_apart_do_not_contradict() -> None:
    titles = {"a": "Set up a T200", "b": "Set up a T210"}
    apart = found(chunks_of({"a": [BACK.format(30)], "b": [BACK.format(14)]}, titles=titles))
    assert (apart.found, apart.told_apart) == ((), 1)
    heads = found(chunks_of({"a": ["# Version 2", BACK.format(30)], "b": ["# Version 3", BACK.format(14)]}))
    assert (heads.found, heads.told_apart) == ((), 1)
    named = "The cell of the T{} may be charged five hundred times over its life."
    assert found(chunks_of({"a": [named.format(200)], "b": [named.format(210)]})).found == ()


def test_what_differs_in_a_year_comes_last() -> None:
    year = "The fee for every payment abroad is {} euros since {}."
    chunks = chunks_of({"a": [year.format(3, 2023), BACK.format(30)], "b": [year.format(4, 2024), BACK.format(14)]})
    assert [difference.dated for difference in found(chunks).found] == [False, True]


def test_pages_of_different_years_are_listed_apart_with_their_year() -> None:
    heads = {year: [f"# Pricing {year}", f"{WINGS} {BACK.format(days)}"] for year, days in (("2023", 30), ("2024", 14))}
    (difference,) = found(chunks_of(heads)).found
    assert difference.dated
    assert [(side.year, side.numbers) for side in difference.sides] == [("2023", ("30",)), ("2024", ("14",))]
    titles = {"a": "Prices of 2023", "b": "Prices of 2024"}
    (difference,) = found(chunks_of({"a": [BACK.format(30)], "b": [BACK.format(14)]}, titles=titles)).found
    assert (difference.dated, [side.year for side in difference.sides]) == (True, ["2023", "2024"])


def test_two_numbers_of_one_year_are_no_matter_of_years() -> None:
    pages = {"a": ("2023", 30), "b": ("2024", 14), "c": ("2024", 30)}  # of 2024 there are both
    (difference,) = found(
        chunks_of({name: [f"# Pricing {year}", BACK.format(days)] for name, (year, days) in pages.items()})
    ).found
    assert not difference.dated
    same = {name: ["# Pricing 2024", BACK.format(days)] for name, days in (("a", 30), ("b", 14))}
    (difference,) = found(chunks_of(same)).found
    assert (difference.dated, [side.year for side in difference.sides]) == (False, ["", ""])


def test_a_name_that_looks_like_a_year_still_tells_apart() -> None:
    titles = {"a": "Set up a T2000", "b": "Set up a T-2010"}
    apart = found(chunks_of({"a": [BACK.format(30)], "b": [BACK.format(14)]}, titles=titles))
    assert (apart.found, apart.told_apart) == ((), 1)
    both = {"a": ["# Version 2 of 2023", BACK.format(30)], "b": ["# Version 3 of 2024", BACK.format(14)]}
    assert found(chunks_of(both)).told_apart == 1


def test_list_numbers_headings_code_and_figures_state_nothing() -> None:
    assert sides(chunks_of({"a": ["1. Take the card out of the reader."], "b": ["2. Take the card out of the reader."]})) == []
    assert (
        sides(chunks_of({"a": ["## 1 What to do when the parcel is lost"], "b": ["## 2 What to do when the parcel is lost"]}))
        == []
    )
    code = "```\nlet the timeout of every request be = {}\n```"
    assert sides(chunks_of({"a": [f"{filler(1)}\n\n{code.format(3)}"], "b": [f"{filler(2)}\n\n{code.format(4)}"]})) == []
    row = "| one | two | three | wages | rent | tools | 3 | {} | 5 | 6 | 7 | 8 |"
    assert sides(chunks_of({"a": [row.format(3)], "b": [row.format(4)]})) == []


def test_a_sentence_of_few_words_is_the_same_by_chance() -> None:
    assert sides(chunks_of({"a": [f"{filler(1)} It costs 3 euros."], "b": [f"{filler(2)} It costs 4 euros."]})) == []


@given(st.lists(st.text(alphabet="ab1 .\n|#`-é7三0", max_size=60), max_size=6))
def test_any_text_can_be_looked_at(texts: list[str]) -> None:
    chunks = chunks_of({str(at): [text, f"{WINGS} {text}"] for at, text in enumerate(texts)})
    first = found(chunks)
    assert first == found(chunks)
    for difference in first.found:
        assert len({side.numbers for side in difference.sides}) == len(difference.sides) > 1
