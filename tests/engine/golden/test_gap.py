from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.engine.golden.tiny import chunks_of, corpus_of, document

from ragtriage.golden.evidence import resolve
from ragtriage.golden.gap import evidence_texts, gaps, vocabulary_gap
from ragtriage.search.lexical import content_terms
from ragtriage.types import Evidence, Place, Question

TERMS = content_terms()


@pytest.mark.parametrize(
    ("question", "evidence", "share"),
    [
        ("how long until the refund arrives", ["Refunds arrive after ten days."], 2 / 3),  # long, refund, arriv
        ("refund refund refund money", ["refunds"], 1 / 2),  # a word counts once
        ("ERR_4021", ["The code ERR_4021 means declined."], 1.0),
        ("what is the of", ["what is the of"], None),  # stop words alone
        ("refund", ["", "the"], None),
        ("refund", [], None),
        ("refund time", ["refund", "time"], 1.0),  # over all of its evidence
        ("卡 被拒", ["卡"], 1 / 3),
    ],
)
def test_the_share_of_content_words_that_the_evidence_has(question: str, evidence: list[str], share: float | None) -> None:
    assert vocabulary_gap(question, evidence, TERMS) == share


@given(st.text(max_size=40), st.lists(st.text(max_size=40), max_size=3))
def test_it_is_a_share_and_more_evidence_never_lowers_it(question: str, evidence: list[str]) -> None:
    found = vocabulary_gap(question, evidence, TERMS)
    assert found is None or 0 <= found <= 1
    more = vocabulary_gap(question, [*evidence, question], TERMS)
    assert more in (None, 1.0)


def test_words_are_those_of_the_language() -> None:
    german = content_terms("de")
    assert vocabulary_gap("wann kommen die Zahlungen", ["Die Zahlung ist da."], german) == 1 / 3  # wann, komm, zahlung


CORPUS = corpus_of([document("refunds", "# Refunds\nWithin 30 days. Within 30 days.\n# Fees\nThey are 5.\n")])
CHUNKS = chunks_of(CORPUS, {"refunds": [(0, 42), (42, 61)]})


def texts(*places: Place) -> list[str]:
    question = Question("q", "a", tuple(Evidence(place) for place in places))
    return evidence_texts(resolve(question, CORPUS, CHUNKS), CORPUS)


def test_the_texts_of_labels() -> None:
    assert texts(Place(doc="refunds", quote="They are 5.")) == ["They are 5."]
    assert texts(Place(doc="refunds", quote="Within 30 days.")) == ["Within 30 days.", "Within 30 days."]
    assert texts(Place(doc="refunds", section="fees")) == ["# Fees\nThey are 5.\n"]
    assert texts(Place(chunk="refunds#2"), Place(chunk="refunds#2")) == [CORPUS.documents[0].text[42:61]]
    assert texts(Place(doc="refunds", quote="is gone from there")) == ["is gone from there"]
    assert texts(Place(doc="nowhere")) == []


def test_a_set_without_labels_has_no_mean() -> None:
    assert gaps([Question("q", "a")], {"q": []}, TERMS) == ({}, None, {})


def test_the_end_of_a_long_page_counts() -> None:
    page = "word and " * 30_000 + "refund"
    assert vocabulary_gap("refund money", [page], TERMS) == 1 / 2
    assert vocabulary_gap("refund money", ["x" * 50_000 + " money"], TERMS) == 1 / 2
