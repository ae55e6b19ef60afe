from __future__ import annotations

from typing import Any

import pytest
from tests.engine.golden.tiny import chunks_of, corpus_of

from ragtriage.errors import CorpusError, GoldenError
from ragtriage.golden.capture import Mark
from ragtriage.golden.dialects import read_question
from ragtriage.golden.other_places import with_other_place
from ragtriage.types import Place, Question, Span

CORPUS = corpus_of({"refunds": "Within 30 days of delivery.", "faq": "You have a month. Send it back.", "other": "Nothing."})
CHUNKS = chunks_of(CORPUS, {})
MARK = Mark("faq", Span(2, 8))
NEW = {"doc": "faq", "quote": "You have a month.", "at": 0}


def question(**keys: Any) -> Question:
    found = read_question({"qid": "q", "question": "how long?", **keys}, where="golden.jsonl", line=1).question
    assert found is not None
    return found


def test_an_item_gets_another_place_and_keeps_what_is_not_ours() -> None:
    asked = question(evidence=[{"doc": "refunds", "quote": "30 days", "mine": [1]}, "other"], note="x")
    assert with_other_place(asked, 0, MARK, CORPUS) == {
        "qid": "q",
        "question": "how long?",
        "evidence": [{"doc": "refunds", "quote": "30 days", "mine": [1], "also": [NEW]}, "other"],
        "note": "x",
    }
    assert with_other_place(asked, 1, MARK, CORPUS)["evidence"][1] == {"doc": "other", "also": [NEW]}
    assert with_other_place(asked, None, MARK, CORPUS)["evidence"][2] == NEW
    assert asked.raw["evidence"] == [{"doc": "refunds", "quote": "30 days", "mine": [1]}, "other"], (
        "nothing is changed in place"
    )


def test_a_whole_chunk_is_a_place_too() -> None:
    (item,) = with_other_place(question(evidence="refunds"), 0, Mark("faq", None, "faq#1"), CORPUS, CHUNKS)["evidence"]
    (also,) = item["also"]
    assert (also["chunk"], also["quote"]) == ("faq#1", CORPUS.document("faq").text)


@pytest.mark.parametrize(
    "label",
    [
        {"evidence": "refunds"},
        {"evidence": ["refunds", "other#1"]},
        {"evidence": {"doc": "refunds", "also": "other", "mine": 1}},
        {"evidence": [{"doc": "refunds", "gain": 2}]},
        {"evidence": [{"chunk_id": "refunds#1", "text": "Within"}]},
        {"relevant_chunk_ids": ["refunds#1", "other#1"]},
        {"relevant": "refunds"},
        {"source": "refunds.md"},
        {"text": "how long?", "question": None, "references": [{"doc": "refunds", "start": 7, "end": 14, "text": "30 days"}]},
        {},
    ],
)
def test_in_every_dialect_the_rest_of_the_label_stays(label: dict[str, Any]) -> None:
    before = question(**label)
    for item in (0, None) if before.evidence else (None,):
        obj = with_other_place(before, item, MARK, CORPUS, CHUNKS)
        after = read_question(obj, where="golden.jsonl", line=1).question
        assert after is not None
        kept = after.evidence[: len(before.evidence)]
        assert [(one.place, one.gain) for one in kept] == [(one.place, one.gain) for one in before.evidence]
        added = after.evidence[0].also[-1] if item == 0 else after.evidence[-1].place
        assert added == Place("faq", "You have a month.", at=0)
        changed = {key for key in {*obj, *before.raw} if obj.get(key) != before.raw.get(key)}
        assert changed <= {"evidence", "references"}


def test_what_cannot_be_added_is_refused() -> None:
    asked = question(evidence=[{"doc": "refunds", "quote": "30 days", "also": [NEW]}])
    for item, mark, says in (
        (0, MARK, "already"),
        (None, MARK, "already"),
        (2, MARK, "number 3"),
        (-1, MARK, "number 0"),
        (0, Mark("faq", Span(3, 3)), "white space"),
        (0, Mark("faq", None, "faq#7"), "no such chunk"),
    ):
        with pytest.raises(GoldenError, match=says):
            with_other_place(asked, item, mark, CORPUS, CHUNKS)
    with pytest.raises(CorpusError):
        with_other_place(asked, 0, Mark("elsewhere", Span(0, 3)), CORPUS)
    with pytest.raises(GoldenError, match="does not answer"):
        with_other_place(question(answerable=False), None, MARK, CORPUS)
