from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.engine.answers.passages import FakeStatistics, passages

from ragtriage.answers.citations import cited_numbers
from ragtriage.answers.extractive import REFUSAL, ExtractiveGenerator
from ragtriage.answers.grading import grade
from ragtriage.types import Passage, Question

REFUNDS = "Refunds go to the original card. You can return items within 30 days of delivery. Opened items are excluded."
SHIPPING = "We ship to every country in Europe. Parcels take five days."
HOURS = "The office is open from nine to five. On Sunday it is closed."
CLOSE = {"c#1": 0.7, "c#2": 0.2, "c#3": 0.1}


def generator(*texts: str, cosines: dict[str, float] | None = None) -> ExtractiveGenerator:
    return ExtractiveGenerator(FakeStatistics(texts, cosines))


def test_the_best_sentences_in_the_order_of_the_context_each_cited() -> None:
    given = passages(REFUNDS, SHIPPING, HOURS)
    answer = generator(REFUNDS, SHIPPING, HOURS, cosines=CLOSE).answer("within how many days can i return items", given)
    sentences = (
        "Refunds go to the original card.",
        "You can return items within 30 days of delivery.",
        "Opened items are excluded.",
    )
    assert answer.text == " ".join(f"{sentence} [1]" for sentence in sentences)
    assert answer.passages == ("c#1", "c#2", "c#3")


def test_a_multi_part_question_is_answered_from_two_passages() -> None:
    cosines = {"c#1": 0.6, "c#2": 0.6, "c#3": 0.1}
    answer = generator(REFUNDS, SHIPPING, HOURS, cosines=cosines).answer(
        "what days to return items, and which country do you ship to in europe", passages(REFUNDS, SHIPPING, HOURS)
    )
    assert cited_numbers(answer.text) == (1, 2)
    assert "30 days" in answer.text
    assert "every country" in answer.text


def test_it_refuses_when_nothing_fits() -> None:
    far = {"c#1": 0.2, "c#2": 0.15, "c#3": 0.1}
    answer = generator(REFUNDS, SHIPPING, HOURS, cosines=far).answer("who founded acme", passages(REFUNDS, SHIPPING, HOURS))
    assert answer.text == REFUSAL
    assert answer.passages == ("c#1", "c#2", "c#3")


def test_it_refuses_without_passages_or_without_a_term() -> None:
    asked = generator(REFUNDS, cosines=CLOSE)
    assert asked.answer("return items", ()).text == REFUSAL
    assert asked.answer("what is it", passages(REFUNDS)).text == REFUSAL
    assert asked.answer("", passages(REFUNDS)).text == REFUSAL
    assert asked.answer("return", passages("")).text == REFUSAL


def test_without_vectors_coverage_decides() -> None:
    asked = generator(REFUNDS, SHIPPING, HOURS)
    given = passages(REFUNDS, SHIPPING, HOURS)
    assert "30 days" in asked.answer("return items within days", given).text
    assert asked.answer("refund for a broken bicycle pump", given).text == REFUSAL


def test_terms_that_are_strewn_over_a_page_answer_nothing() -> None:
    filler = "Nothing of interest stands here. Nor here. Nor in this one. "
    strewn = f"Return tickets are sold. {filler}Delivery is on time. {filler}Items are listed. {filler}"
    asked = generator(REFUNDS, strewn, HOURS)
    assert asked.answer("return items for delivery", passages(strewn)).text == REFUSAL
    assert asked.answer("return items for delivery", passages(REFUNDS)).text != REFUSAL


def test_more_passages_need_a_better_one() -> None:
    cosines = {"c#1": 0.55}
    asked = generator(REFUNDS, SHIPPING, HOURS, cosines=cosines)
    question = "return for a broken pump"
    assert asked.answer(question, passages(REFUNDS)).text != REFUSAL
    assert asked.answer(question, passages(REFUNDS, *[HOURS] * 9)).text == REFUSAL


def test_what_two_passages_say_alike_is_said_once() -> None:
    answer = generator(REFUNDS, HOURS, cosines={"c#1": 0.7, "c#2": 0.7}).answer(
        "return items within days", passages(REFUNDS, REFUNDS)
    )
    assert answer.text.count("30 days") == 1


def test_a_table_row_is_said_with_its_heads() -> None:
    table = "# Plans\n\n| Plan | Price |\n|---|---|\n| Grow | 20 € |\n| Start | 10 € |\n"
    answer = generator(table, HOURS, cosines=CLOSE).answer("price of the grow plan", passages(table))
    assert "Plan: Grow; Price: 20 €" in answer.text
    assert "|" not in answer.text
    assert "#" not in answer.text


def test_rows_without_their_head_are_said_as_they_are() -> None:
    rows = "| Grow | 20 € |\n| Start | 10 € |\n"
    assert "Grow; 20 €" in generator(rows, HOURS, cosines=CLOSE).answer("grow", passages(rows)).text


def test_headings_guide_and_are_not_said() -> None:
    text = "## Return window\n\nThirty days.\n\n## Fee window\n\nTen days."
    answer = generator(text, HOURS, cosines=CLOSE).answer("return window days", passages(text))
    assert "##" not in answer.text
    assert "Thirty days." in answer.text


def test_brackets_of_the_source_never_read_as_citations_of_ours() -> None:
    text = "Returns take 30 days [7]. See the list [12, 13] of returns."
    given = passages(text)
    answer = generator(text, HOURS, cosines=CLOSE).answer("returns days list", given)
    assert cited_numbers(answer.text) == (1,)
    assert grade(Question("q", "returns days list"), answer, given).invalid == ()


def test_a_source_that_speaks_of_not_finding_is_still_an_answer() -> None:
    text = "The documents do not mention the error. I do not know what the terminal does."
    given = passages(text)
    answer = generator(text, HOURS, cosines=CLOSE).answer("what does the error mean for the terminal", given)
    assert not grade(Question("q", "x"), answer, given).refused


def test_the_same_question_over_the_same_passages_gets_the_same_answer() -> None:
    asked = generator(REFUNDS, SHIPPING, cosines=CLOSE)
    first = asked.answer("return items", passages(REFUNDS, SHIPPING))
    assert asked.answer("return items", passages(REFUNDS, SHIPPING)) == first
    assert generator(REFUNDS, SHIPPING, cosines=CLOSE).answer("return items", passages(REFUNDS, SHIPPING)) == first


def test_the_last_bit_of_a_cosine_decides_nothing() -> None:
    given = passages(REFUNDS, SHIPPING)
    question = "return items ship country"
    texts = {
        generator(REFUNDS, SHIPPING, cosines={"c#1": 0.6 + tiny, "c#2": 0.6}).answer(question, given).text
        for tiny in (-1e-7, 0.0, 1e-7)
    }
    assert len(texts) == 1


def test_a_word_is_analysed_once_and_a_passage_read_once() -> None:
    statistics = FakeStatistics((REFUNDS, SHIPPING), CLOSE)
    asked = ExtractiveGenerator(statistics)
    asked.answer("return items", passages(REFUNDS, SHIPPING))
    before = statistics.asked
    asked.answer("return items", passages(REFUNDS, SHIPPING))
    assert statistics.asked == before + 1  # the question


def test_the_beginning_of_a_chunk_is_another_passage() -> None:
    asked = generator(REFUNDS, HOURS, cosines=CLOSE)
    (whole,) = passages(REFUNDS)
    assert "30 days" in asked.answer("return items", [whole]).text
    cut: Passage = whole._replace(text="Refunds go to the original card.")
    assert "30 days" not in asked.answer("return items card", [cut]).text


def test_its_name_says_what_it_is() -> None:
    assert generator().spec == generator().answer("x", ()).generator == "extractive"


@given(st.lists(st.text(max_size=60), max_size=4), st.text(max_size=40))
def test_no_text_breaks_it_and_every_citation_is_valid(texts: list[str], question: str) -> None:
    given = passages(*texts)
    answer = generator(*texts, cosines={f"c#{n}": 0.9 for n in range(9)}).answer(question, given)
    assert set(cited_numbers(answer.text)) <= set(range(1, len(texts) + 1))
    assert answer.text == REFUSAL or answer.text.count("[") >= 1


@pytest.mark.parametrize(
    "text", ["word " * 40_000, "| " * 40_000, "a. " * 40_000, "- x\n" * 20_000], ids=["words", "bars", "stops", "items"]
)
def test_a_huge_passage_takes_linear_time(text: str) -> None:
    generator(text, cosines=CLOSE).answer("word x a", passages(text))


def test_the_cosines_are_those_of_what_the_retriever_was_asked() -> None:
    asked: list[str] = []

    class Recording(FakeStatistics):
        def similarity(self, query_text: str, chunk_ids: Sequence[str]) -> npt.NDArray[np.float32] | None:
            asked.append(query_text)
            return super().similarity(query_text, chunk_ids)

    answerer = ExtractiveGenerator(Recording((REFUNDS, SHIPPING), CLOSE))
    answerer.answer("return items", passages(REFUNDS))
    answerer.answer("return items", passages(REFUNDS), sent="return window")
    assert asked == ["return items", "return window"]
