from __future__ import annotations

from typing import Any

import pytest

from ragtriage.golden.dialects import Reading, qid_of, read_question
from ragtriage.ids import question_id
from ragtriage.types import Evidence, Place, Question


def read(value: dict[str, Any], **needs: Any) -> Reading:
    return read_question(value, where="golden.jsonl", line=7, **needs)


def good(value: dict[str, Any], **needs: Any) -> Question:
    question, problems = read(value, **needs)
    assert question is not None, problems
    return question


def labels(value: dict[str, Any]) -> list[Place]:
    return [evidence.place for evidence in good(value).evidence]


def test_the_standard_line() -> None:
    value = {
        "qid": "q001",
        "question": "how long do i have to send something back",
        "query": "return period",
        "kind": "paraphrase",
        "split": "holdout",
        "tags": ["returns"],
        "access": ["staff"],
        "needs": "any",
        "evidence": [{"doc": "policy-refunds", "quote": "within 30 days of delivery"}],
        "relevant_chunk_ids": ["policy-refunds#3"],
        "expected_answer": "30 days",
        "answer_must_mention": ["30 days", ["delivery", "arrival"], 30],
        "answer_must_not_mention": ["14 days"],
        "source": {"from": "ticket", "ref": "8812"},
        "mine": {"kept": [1, None]},
    }
    question = good(value)
    assert question == Question(
        qid="q001",
        question="how long do i have to send something back",
        evidence=(Evidence(Place(doc="policy-refunds", quote="within 30 days of delivery")),),
        needs="any",
        kind="paraphrase",
        split="holdout",
        tags=("returns",),
        access=("staff",),
        query="return period",
        expected_answer="30 days",
        must_mention=(("30 days",), ("delivery", "arrival"), ("30",)),
        must_not_mention=("14 days",),
        source={"from": "ticket", "ref": "8812"},
        line=7,
        raw=value,
    )
    assert question.sent == "return period"


def test_the_short_dialects() -> None:
    assert labels({"q": "where?", "relevant": ["a#1", "b.md#intro"]}) == [
        Place(chunk="a#1"),
        Place(doc="b.md", section="intro"),
    ]
    question = good({"id": 17, "question": "where?", "relevant": [], "answerable": False})
    assert (question.qid, question.answerable, question.evidence) == ("17", False, ())
    assert labels({"id": "x", "question": "where?", "relevant": "a"}) == [Place(doc="a")]


def test_source_as_a_string_or_list_is_a_reference() -> None:
    assert labels({"question": "where?", "source": "handbook.pdf#page=3"}) == [Place(doc="handbook.pdf", page=3)]
    assert labels({"question": "where?", "source": ["a", "b"]}) == [Place(doc="a"), Place(doc="b")]
    value = {"question": "where?", "source": "a", "expected_answer": "here", "relevant_ids": ["a#2"]}
    assert labels(value) == [Place(chunk="a#2")], "the finer label decides"
    assert good(value).source == {}


def test_source_may_name_where_a_labelled_question_comes_from() -> None:
    question = good({"question": "where?", "source": "ticket", "evidence": ["a"]})
    assert question.source == {"from": "ticket"}
    assert [evidence.place for evidence in question.evidence] == [Place(doc="a")]


def test_a_beir_query() -> None:
    question = good({"_id": "ce-001", "text": "what?", "references": [{"doc_id": "d", "start": 3, "end": 5, "content": "xy"}]})
    assert (question.qid, question.question) == ("ce-001", "what?")
    assert [evidence.place for evidence in question.evidence] == [Place(doc="d", quote="xy", at=3)]


def test_evidence_decides_then_chunks_then_documents() -> None:
    value: dict[str, Any] = {"qid": "a", "question": "q", "relevant_chunk_ids": ["d#1"], "relevant_doc_ids": ["d"]}
    assert labels(value | {"evidence": ["e"]}) == [Place(doc="e")]
    assert labels(value) == [Place(chunk="d#1")]
    assert labels(value | {"relevant_chunk_ids": []}) == [Place(doc="d")]
    assert labels({"qid": "a", "question": "q", "relevant_chunk_ids": ["c-17", 4]}) == [Place(chunk="c-17"), Place(chunk="4")]


def test_a_question_without_an_id_gets_one_from_its_text() -> None:
    assert good({"question": "where?"}).qid == question_id("where?")
    assert qid_of({"qid": " ", "question": "where?"}) == question_id("where?")
    assert qid_of({"evidence": []}) == ""


@pytest.mark.parametrize(
    ("value", "answerable", "warned"),
    [
        ({}, True, False),
        ({"answerable": None}, True, False),
        ({"kind": "unanswerable"}, False, False),
        ({"kind": "unanswerable", "answerable": True}, True, True),
        ({"answerable": False, "evidence": ["a"]}, False, True),
    ],
)
def test_answerable(value: dict[str, Any], answerable: bool, warned: bool) -> None:
    question, problems = read({"question": "q", **value})
    assert question is not None
    assert question.answerable is answerable
    assert bool(problems) is warned
    assert not question.evidence


def test_an_ambiguous_question_needs_any_of_its_readings() -> None:
    assert good({"question": "q"}).needs == "all"
    assert good({"question": "q"}, needs="any").needs == "any"
    assert good({"question": "q", "kind": "ambiguous"}).needs == "any"
    assert good({"question": "q", "kind": "ambiguous", "needs": "all"}).needs == "all"


@pytest.mark.parametrize(
    ("value", "key", "says"),
    [
        ({}, "question", "there is no question"),
        ({"question": ""}, "question", "empty"),
        ({"question": 3}, "question", "a string is needed"),
        ({"question": "q", "qid": []}, "qid", "a string is needed"),
        ({"question": "q", "evidence": [{"quote": "x"}]}, "evidence[1]", "is missing"),
        ({"question": "q", "evidence": 3}, "evidence", "a string or an object"),
        ({"question": "q", "relevant_chunk_ids": [None]}, "relevant_chunk_ids[1]", "not null"),
        ({"question": "q", "answerable": "no"}, "answerable", "true or false"),
        ({"question": "q", "split": "test"}, "split", "'test' is not dev or holdout"),
        ({"question": "q", "split": ["dev"]}, "split", "is not dev or holdout"),
        ({"question": "q", "needs": "some"}, "needs", "is not all or any"),
        ({"question": "q", "tags": [{}]}, "tags", "a list of strings"),
        ({"question": "q", "access": [["a"]]}, "access", "a list of strings"),
        ({"question": "q", "answer_must_mention": [[]]}, "answer_must_mention", "a list of strings"),
        ({"question": "q", "answer_must_mention": {"a": 1}}, "answer_must_mention", "a list of strings"),
        ({"question": "q", "kind": 3}, "kind", "a string is needed"),
        ({"question": "q", "source": 3}, "source", "an object, or a reference"),
    ],
)
def test_a_bad_line_says_which_key_and_why(value: dict[str, Any], key: str, says: str) -> None:
    question, problems = read(value)
    assert question is None
    (problem,) = [one for one in problems if one.severity == "error"]
    assert (problem.where, problem.line, problem.key) == ("golden.jsonl", 7, key)
    assert says in problem.message


def test_all_problems_of_a_line_come_together() -> None:
    _, problems = read({"question": "q", "split": "x", "needs": "y", "tags": 1.5})
    assert [problem.key for problem in problems] == ["needs", "split", "tags"]


def test_an_unknown_kind_is_kept_out_of_the_counts_and_said() -> None:
    question, problems = read({"question": "q", "kind": "multihop"})
    assert question is not None
    assert question.kind == ""
    assert [problem.severity for problem in problems] == ["warning"]
