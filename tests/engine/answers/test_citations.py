from __future__ import annotations

import pytest

from ragtriage.answers.citations import cited_numbers, find_citations, invalid_citations, without_citations


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("Thirty days [1].", (1,)),
        ("Thirty days[1].", (1,)),
        ("One [2][1] two [2].", (2, 1)),
        ("One [1, 3; 2].", (1, 3, 2)),
        ("One [1 and 3] & [4&5].", (1, 3, 4, 5)),
        ("One [2-4] and [6–7].", (2, 3, 4, 6, 7)),
        ("One [^1].", (1,)),
        ("One 【1】 and 【3†source】.", (1, 3)),
        ("One [Source 2], [passage 3], [Document 4].", (2, 3, 4)),
        ("One [passages 1, 2] and [source 1, source 3].", (1, 2, 3)),
        ("One [1](https://example.org).", (1,)),
        ("One [0] and [12].", (0, 12)),
        ("No citation.", ()),
        ("In [2024] it was [30 days], see [a], [ ] and [x].", ()),
        ("Run `items[1]` or\n```\na[2]\n```\n", ()),
        ("Run `items[1]`, it says [2].", (2,)),
        ("An open `code span and [3]", (3,)),
        ("[9-2] runs backwards", (9, 2)),
        ("[1", ()),
        ("", ()),
    ],
)
def test_what_is_cited(text: str, numbers: tuple[int, ...]) -> None:
    assert cited_numbers(text) == numbers


def test_a_citation_points_to_a_passage_that_was_sent_or_is_invalid() -> None:
    assert invalid_citations((1, 0, 3, 4), 3) == (0, 4)
    assert invalid_citations((1,), 0) == (1,)
    assert invalid_citations((), 3) == ()


def test_positions_are_those_of_the_text() -> None:
    text = "`x[1]` thirty days [2, 3]."
    (citation,) = find_citations(text)
    assert text[citation.start : citation.end] == "[2, 3]"
    assert citation.numbers == (2, 3)


def test_taken_out_they_leave_a_blank() -> None:
    assert without_citations("30[1] days [2, 3].") == "30  days  ."
    assert without_citations("plain") == "plain"


def test_hostile_text_takes_linear_time() -> None:
    for text in ("[" * 200_000, "[1," * 100_000, "`" * 200_001, "[ " * 100_000, "[1] " * 50_000):
        find_citations(text)
