from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.engine.chunking.cutting import documents

from ragtriage.chunking.sentences import sentence_starts
from ragtriage.types import Document


def sentences(text: str, language: str = "en") -> list[str]:
    cuts = [0, *sentence_starts(text, 0, len(text), language), len(text)]
    return [text[start:end].strip() for start, end in pairwise(cuts)]


@pytest.mark.parametrize(
    ("language", "parts"),
    [
        ("en", ["Dr. Smith paid $3.50 to Mr. J. R. Jones.", "He left at 5 p.m. on Jan. 5.", "Version v1.2.3 is out!"]),
        ("en", ["See Fig. 3 and example.com for more.", '"Is it?" she asked.', "U.S. fees are 1,234.56 a year."]),
        ("de", ["Herr Dr. Müller kam z.B. mit 3.500 Mark um 3.15 Uhr.", "Das ist das Ende."]),
        ("es", ["El Sr. Pérez pagó 3.50 a la Dra. Gil.", "Fin."]),
        ("ja", ["漢字です。", "仮名です！", "終わり"]),
        ("hi", ["यह है।", "वह है।"]),
        ("ar", ["مرحبا.", "كيف؟", "نعم."]),
        ("xx", ["One here.", "Two there."]),
        ("", ["One here.", "Two there."]),
    ],
)
def test_languages_abbreviations_and_decimals(language: str, parts: list[str]) -> None:
    joint = "" if language == "ja" else " "
    assert sentences(joint.join(parts), language) == parts


def test_positions_are_code_points() -> None:
    text = "😀 One. E\u0301 two. \u202fThree."
    assert sentence_starts(text, 0, len(text)) == [text.index("E"), text.index("Three")]


def test_only_what_lies_inside_is_looked_at() -> None:
    text = "One here. Two here. Three here. Four."
    assert sentence_starts(text, 10, 32) == [20]
    assert sentence_starts(text, 10, 20) == []
    assert sentence_starts(text, 5, 5) == []


def test_lone_surrogates_and_controls() -> None:
    assert sentences("a\ud800 one.\udfff Two \x00 here. Three.") == ["a\ud800 one.", "\udfff Two \x00 here.", "Three."]


def test_what_is_read_in_parts_is_cut_as_if_it_were_not() -> None:
    text = " ".join(f"Sentence number {row} of Dr. Lee costs $3.{row}." for row in range(400))
    found = sentence_starts(text, 0, len(text))
    assert len(found) == 399
    assert all(text.startswith("Sentence", place) for place in found)


def test_a_sentence_longer_than_a_part_is_one() -> None:
    text = "First one. " + "word " * 3000 + "end. Last one."
    assert sentence_starts(text, 0, len(text)) == [11, len(text) - len("Last one.")]


@given(documents, st.sampled_from(["en", "de", "ja", "xx"]), st.data())
def test_any_text(document: Document, language: str, data: st.DataObject) -> None:
    text = document.text
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    found = sentence_starts(text, start, end, language)
    assert found == sorted(set(found))
    assert all(start < place < end and not text[place].isspace() for place in found)


def test_a_million_characters_of_anything() -> None:
    for text in (
        "x" * 1_000_000,
        "word " * 200_000,
        "A b. " * 200_000,
        "漢字。" * 300_000,
        "“a. " * 250_000,
        "- a\n" * 250_000,
    ):
        found = sentence_starts(text, 0, len(text))
        assert found == sorted(set(found))
