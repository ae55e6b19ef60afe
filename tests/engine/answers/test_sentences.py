from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragtriage.answers.sentences import is_heading, sentence_spans, table_cells


def split(text: str) -> list[str]:
    return [text[span.start : span.end] for span in sentence_spans(text)]


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("One. Two! Three? Four", ["One.", "Two!", "Three?", "Four"]),
        ("It costs 3.50 €. See v1.2.3. Done.", ["It costs 3.50 €.", "See v1.2.3.", "Done."]),
        ("Ask e.g. Dr. Smith, i.e. her. Then go.", ["Ask e.g. Dr. Smith, i.e. her.", "Then go."]),
        ("A line that\nwraps. Next.", ["A line that\nwraps.", "Next."]),
        ("Para one\n\nPara two", ["Para one", "Para two"]),
        ("Intro:\n- first item\n- second\n  goes on\n1. third", ["Intro:", "- first item", "- second\n  goes on", "1. third"]),
        ("# Title\nText here. More.", ["# Title", "Text here.", "More."]),
        ("| a | b |\n|---|---|\n| 1 | 2. x |", ["| a | b |", "| 1 | 2. x |"]),
        ("Run:\n```\na = 1. b\n\nc\n```\nDone.", ["Run:", "```\na = 1. b\n\nc\n```", "Done."]),
        ("```\nnever closed. x", ["```\nnever closed. x"]),
        ("He said “go.” Then left.", ["He said “go.”", "Then left."]),
        ("Cited. [1] Next [2].", ["Cited. [1]", "Next [2]."]),
        ("第一句。第二句！第三", ["第一句。", "第二句！", "第三"]),
        ("wait ... what", ["wait ... what"]),
        ("- - -\n***\n", []),
        ("", []),
    ],
)
def test_units(text: str, sentences: list[str]) -> None:
    assert split(text) == sentences


@given(st.text(alphabet=".!? \nab1|#-`“”。\u3000\t", max_size=80))
def test_spans_ascend_apart_and_lose_no_word(text: str) -> None:
    spans = sentence_spans(text)
    assert all(first.end <= second.start for first, second in pairwise(spans))
    inside = "".join(text[span.start : span.end] for span in spans)
    assert [c for c in inside if c.isalnum()] == [c for c in text if c.isalnum()]
    assert all(text[span.start : span.end].strip() == text[span.start : span.end] for span in spans)


def test_hostile_text_takes_linear_time() -> None:
    for text in ("." * 200_000, " " * 200_000, "\n" * 200_000, "|" * 200_000, "``` " * 50_000, ". " * 100_000, '.""' * 60_000):
        sentence_spans(text)


def test_headings_and_rows() -> None:
    assert is_heading("## Refunds")
    assert not is_heading("#hashtag")
    assert table_cells("| Pro | 20 € |") == ["Pro", "20 €"]
    assert table_cells("Pro | 20 €") == []
