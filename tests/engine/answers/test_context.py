from __future__ import annotations

import numpy as np
import pytest
from tests.engine.golden.tiny import chunks_of, corpus_of

from ragtriage.answers.context import forced_context, live_context, oracle_context, padded_context, prompt_texts
from ragtriage.golden.evidence import resolve
from ragtriage.golden.ranks import PromptText
from ragtriage.types import Evidence, Needs, Passage, Place, Question, Span

REFUNDS = "Return within 30 days. Keep the box. Refunds take a week."
FAQ = "A month to return. Nothing else."
CORPUS = corpus_of({"faq": FAQ, "refunds": REFUNDS})
CHUNKS = chunks_of(CORPUS, {"faq": [(0, 18), (19, 32)], "refunds": [(0, 22), (23, 36), (37, 57)]})
CHUNKS.tokens = np.array([4, 2, 4, 3, 4], np.int32)  # a word is a token


def ids(passages: tuple[Passage, ...] | None) -> list[str]:
    assert passages is not None
    return [passage.chunk_id for passage in passages]


def oracle(*evidence: Evidence, budget: int = 3000, needs: Needs = "all") -> tuple[Passage, ...] | None:
    return oracle_context(resolve(Question("q", "?", evidence), CORPUS, CHUNKS), CHUNKS, budget, needs=needs)


def quote(doc: str, text: str, *also: Place) -> Evidence:
    return Evidence(Place(doc=doc, quote=text), also)


def test_prompt_texts_keep_every_position() -> None:
    assert prompt_texts(["refunds#2", "not-ours", "faq#1"], CHUNKS) == [
        PromptText("refunds#2", "refunds", Span(23, 36)),
        PromptText("not-ours", "", Span(0, 0)),
        PromptText("faq#1", "faq", Span(0, 18)),
    ]
    assert prompt_texts([], CHUNKS) == []
    assert prompt_texts(["faq#1"], CHUNKS)[0] is prompt_texts(["faq#1"], CHUNKS)[0]


def test_live_is_the_first_k_in_the_order_of_the_ranking() -> None:
    live = live_context(("refunds#3", "faq#1", "refunds#1"), CHUNKS, 2, 3000)
    assert live == (
        Passage(1, "refunds#3", "refunds", Span(37, 57), (), "Refunds", "Refunds take a week."),
        Passage(2, "faq#1", "faq", Span(0, 18), (), "Faq", "A month to return."),
    )


def test_k_larger_than_the_ranking_and_an_empty_one() -> None:
    assert ids(live_context(("faq#1",), CHUNKS, 1000, 3000)) == ["faq#1"]
    assert live_context((), CHUNKS, 5, 3000) == ()


def test_a_passage_that_is_no_chunk_of_ours_takes_its_place() -> None:
    assert ids(live_context(("not-ours", "faq#1", "faq#2"), CHUNKS, 2, 3000)) == ["faq#1"]


def test_the_budget_ends_the_context_before_the_passage_that_breaks_it() -> None:
    ranking = ("faq#1", "refunds#1", "faq#2")  # 4, 4 and 2 tokens
    assert ids(live_context(ranking, CHUNKS, 3, 10)) == ["faq#1", "refunds#1", "faq#2"]
    assert ids(live_context(ranking, CHUNKS, 3, 9)) == ["faq#1", "refunds#1"]
    assert ids(live_context(ranking, CHUNKS, 3, 7)) == ["faq#1"]


def test_of_a_first_passage_beyond_the_budget_the_beginning_is_sent() -> None:
    (passage,) = live_context(("refunds#1", "faq#2"), CHUNKS, 2, 2)  # 4 tokens, 22 characters: the first 11 hold one word
    assert passage.text == "Return"
    assert passage.span == Span(0, 6)


def test_oracle_is_what_overlaps_the_evidence_in_document_order() -> None:
    assert ids(oracle(quote("refunds", "Refunds take a week."), quote("faq", "A month"))) == ["faq#1", "refunds#3"]
    assert ids(oracle(quote("refunds", "30 days. Keep the box. Refunds take"))) == ["refunds#1", "refunds#2", "refunds#3"]


def test_touching_chunks_do_not_overlap() -> None:
    assert ids(oracle(quote("refunds", "Keep the box."))) == ["refunds#2"]


def test_a_chunk_is_sent_once_for_all_its_evidence() -> None:
    assert ids(oracle(quote("refunds", "Return"), quote("refunds", "30 days"), budget=4)) == ["refunds#1"]


def test_a_chunk_label_gives_its_chunk_and_a_document_itself() -> None:
    assert ids(oracle(Evidence(Place(chunk="refunds#2")))) == ["refunds#2"]
    assert ids(oracle(Evidence(Place(doc="faq")))) == ["faq#1", "faq#2"]


def test_the_first_place_that_exists_counts() -> None:
    gone = quote("refunds", "no such words in here at all", Place(doc="faq", quote="A month to return"))
    assert ids(oracle(gone)) == ["faq#1"]
    both = quote("refunds", "Keep the box", Place(doc="faq", quote="A month to return"))
    assert ids(oracle(both)) == ["refunds#2"]


def test_evidence_that_is_missing_or_too_large_has_no_oracle() -> None:
    assert oracle(quote("refunds", "Keep the box"), quote("refunds", "no such words in here at all")) is None
    assert oracle(Evidence(Place(doc="refunds")), budget=10) is None  # 11 tokens
    assert ids(oracle(Evidence(Place(doc="refunds")), budget=11)) == ["refunds#1", "refunds#2", "refunds#3"]
    assert oracle() is None


def test_one_reading_is_enough_where_any_will_do() -> None:
    gone, box, month = quote("refunds", "no such words at all here"), quote("refunds", "Keep the box"), quote("faq", "A month")
    assert ids(oracle(gone, box, needs="any")) == ["refunds#2"]
    assert ids(oracle(box, month, needs="any", budget=4)) == ["refunds#2"]
    assert oracle(gone, needs="any") is None
    assert oracle(box, needs="any", budget=1) is None


@pytest.mark.parametrize("chunk_id", ["refunds#9", "refunds#0", "refunds#", "#1", "", "[/x]", "refunds#²"])
def test_ids_that_name_nothing(chunk_id: str) -> None:
    assert live_context((chunk_id,), CHUNKS, 5, 100) == ()
    assert prompt_texts([chunk_id], CHUNKS) == [PromptText(chunk_id, "", Span(0, 0))]


EVIDENCE = (quote("refunds", "Refunds take a week."),)


def test_padded_is_the_evidence_first_and_then_the_distractors() -> None:
    evidence = oracle(*EVIDENCE) or ()
    live = live_context(("faq#1", "refunds#3", "faq#2"), CHUNKS, 3, 3000)
    assert ids(padded_context(evidence, live, CHUNKS, 3, 3000)) == ["refunds#3", "faq#1", "faq#2"]
    assert ids(padded_context(evidence, live, CHUNKS, 2, 3000)) == ["refunds#3", "faq#1"]
    assert ids(padded_context(evidence, live, CHUNKS, 3, 7)) == ["refunds#3"]  # the next would be 8 tokens
    both = oracle(*EVIDENCE, quote("faq", "Nothing else.")) or ()
    assert ids(padded_context(both, live, CHUNKS, 1, 3000)) == ["faq#2", "refunds#3"]  # evidence alone may exceed k


def test_forced_keeps_the_order_of_live_and_puts_what_it_lacks_last() -> None:
    evidence = oracle(*EVIDENCE) or ()
    live = live_context(("faq#1", "refunds#1", "faq#2"), CHUNKS, 3, 3000)
    assert ids(forced_context(evidence, live, CHUNKS, 3, 3000)) == ["faq#1", "refunds#1", "refunds#3"]
    assert ids(forced_context(evidence, live, CHUNKS, 4, 3000)) == ["faq#1", "refunds#1", "faq#2", "refunds#3"]
    assert ids(forced_context(evidence, live, CHUNKS, 4, 8)) == ["faq#1", "refunds#3"]  # 4 and 4 tokens
    partly = oracle(*EVIDENCE, quote("refunds", "Return within 30 days.")) or ()
    assert ids(forced_context(partly, live, CHUNKS, 3, 3000)) == ["faq#1", "refunds#1", "refunds#3"]
    assert [passage.number for passage in forced_context(partly, live, CHUNKS, 3, 3000)] == [1, 2, 3]


def test_the_order_of_passages_is_the_configured_one() -> None:
    ranking = ("refunds#3", "faq#1", "refunds#1")
    assert ids(live_context(ranking, CHUNKS, 3, 3000, "reversed")) == ["refunds#1", "faq#1", "refunds#3"]
    assert ids(live_context(ranking, CHUNKS, 3, 3000, "document")) == ["faq#1", "refunds#1", "refunds#3"]
    assert ids(live_context(ranking, CHUNKS, 3, 8, "reversed")) == ["faq#1", "refunds#3"]  # the budget takes the best
    evidence = oracle(*EVIDENCE) or ()
    live = live_context(("faq#1", "refunds#1"), CHUNKS, 2, 3000)
    assert ids(padded_context(evidence, live, CHUNKS, 3, 3000, "reversed")) == ["refunds#1", "faq#1", "refunds#3"]
    assert ids(forced_context(evidence, live, CHUNKS, 3, 3000, "document")) == ["faq#1", "refunds#1", "refunds#3"]
