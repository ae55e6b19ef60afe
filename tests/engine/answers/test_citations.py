from __future__ import annotations

import pytest
from tests.engine.answers.citation_tables import CITED, STATES

from ragtriage.answers.citations import (
    citation_state,
    cited_numbers,
    find_citations,
    invalid_citations,
    without_citations,
)


@pytest.mark.parametrize(("text", "numbers"), CITED)
def test_what_is_cited(text: str, numbers: tuple[int, ...]) -> None:
    assert cited_numbers(text) == numbers


def test_a_citation_points_to_a_passage_that_was_sent_or_is_invalid() -> None:
    assert invalid_citations((1, 0, 3, 4), 3) == (0, 4)
    assert invalid_citations((1,), 0) == (1,)
    assert invalid_citations((), 3) == ()


@pytest.mark.parametrize(("text", "passages", "state"), STATES)
def test_an_answer_without_citations_is_a_state_of_its_own(text: str, passages: int, state: str) -> None:
    cited = cited_numbers(text)
    assert citation_state(cited, invalid_citations(cited, passages)) == state


def test_positions_are_those_of_the_text() -> None:
    text = "`x[1]` thirty days [2, 3]."
    (citation,) = find_citations(text)
    assert text[citation.start : citation.end] == "[2, 3]"
    assert citation.numbers == (2, 3)


def test_taken_out_they_leave_a_blank() -> None:
    assert without_citations("30[1] days [2, 3].") == "30  days  ."
    assert without_citations("plain") == "plain"


def test_hostile_text_takes_linear_time() -> None:
    for text in (
        "[" * 200_000,
        "[1," * 100_000,
        "`" * 200_001,
        "[ " * 100_000,
        "[1] " * 50_000,
        "(see " * 50_000,
        "[source 1:" * 20_000,
        "(source" * 50_000,
    ):
        find_citations(text)
