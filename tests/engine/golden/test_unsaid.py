from __future__ import annotations

from typing import Any

import pytest
from tests.engine.golden.tiny import chunks_of, corpus_of

from ragtriage.golden.dialects import read_question
from ragtriage.golden.evidence import resolve
from ragtriage.golden.unsaid import unsaid, unsaid_in, unsaid_text
from ragtriage.types import Question

TEXT = "# Refunds\nSend it back within 30 days.\n\nWe pay within 48 hours.\n# Fees\nIt costs 5 euros.\n"
CORPUS = corpus_of({"policy": TEXT})
QUOTE = {"doc": "policy", "quote": "Send it back within 30 days."}


def asked(*evidence: Any, mentions: list[Any], **more: Any) -> Question:
    obj = {"qid": "q", "question": "how?", "evidence": list(evidence), "answer_must_mention": mentions, **more}
    question = read_question(obj, where="golden.jsonl", line=1).question
    assert question is not None
    return question


def said(question: Question) -> list[tuple[str, ...]]:
    return list(unsaid(question, resolve(question, CORPUS, None), CORPUS))


@pytest.mark.parametrize(
    ("mentions", "left"),
    [
        (["30 days"], []),
        ([["thirty days", "a month"]], []),
        (["48 hours"], []),  # its section says so, which goes into the prompt with it
        (["policy"], []),  # the title of its document
        (["5 euros"], [("5 euros",)]),
        ([["14 days", "two weeks"], "30 days"], [("14 days", "two weeks")]),
    ],
)
def test_the_words_of_a_quote_and_of_what_is_around_it(mentions: list[Any], left: list[tuple[str, ...]]) -> None:
    assert said(asked(QUOTE, mentions=mentions)) == left


def test_one_of_several_places_is_enough() -> None:
    assert said(asked(QUOTE, "policy#fees", mentions=["30 days", "5 euros"])) == []
    assert said(asked({**QUOTE, "also": ["policy#fees"]}, mentions=["5 euros"])) == []


def test_a_chunk_across_the_border_of_a_section_is_looked_at() -> None:
    question = asked(QUOTE, mentions=["5 euros"])
    chunks = chunks_of(CORPUS, {"policy": [(0, len(TEXT))]})
    assert unsaid(question, resolve(question, CORPUS, chunks), CORPUS, chunks) == ()


def test_nothing_is_said_of_questions_without_evidence_to_read() -> None:
    assert said(asked(mentions=["5 euros"], answerable=False)) == []
    assert said(asked(mentions=["5 euros"])) == []
    assert said(asked({"doc": "gone", "quote": "5"}, mentions=["5 euros"])) == []


def test_words() -> None:
    assert unsaid_text(("48 hours", "2 days")) == "mentions “48 hours” or “2 days”, which its evidence does not say"
    assert unsaid_text(("x" * 70,)) == f"mentions “{'x' * 59}…”, which its evidence does not say"
    question = asked(QUOTE, mentions=["5 euros"])
    assert unsaid_in([question], CORPUS, None) == ["q mentions “5 euros”, which its evidence does not say"]
    assert unsaid_in([asked(QUOTE, mentions=["5 euros"], obsolete="gone")], CORPUS, None) == []
