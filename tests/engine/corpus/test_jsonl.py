from __future__ import annotations

import json

import pytest

from ragtriage.corpus.base import ParsedFile
from ragtriage.corpus.decoding import NotText
from ragtriage.corpus.jsonl import parse_beir_corpus, parse_jsonl
from ragtriage.types import Cut, Span


def parsed(*lines: object, access_key: str = "") -> ParsedFile:
    data = "\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines)
    return parse_jsonl(data.encode("utf-8"), "docs.jsonl", access_key)


def test_documents_by_any_of_three_ids() -> None:
    result = parsed(
        {"id": "a", "text": "x"}, {"_id": 7, "title": " T ", "text": "y"}, {"doc_id": "c", "text": "z", "access": ["hr"]}
    )
    assert [(item.doc_id, item.title, item.text, item.access) for item in result.documents] == [
        ("a", "", "x", None),
        ("7", "T", "y", None),
        ("c", "", "z", ("hr",)),
    ]


def test_texts_stand_as_they_are_and_markdown_in_them_has_sections() -> None:
    document = parsed({"id": "a", "text": "# One\r\nx\r\n# Two\n"}).documents[0]
    assert document.text == "# One\r\nx\r\n# Two\n"
    assert document.title == "One"
    assert [document.text[section.span.start :][:5] for section in document.sections] == ["# One", "# Two"]


def test_every_bad_line_is_named_and_the_good_ones_count() -> None:
    result = parsed(
        {"id": "a", "text": "x"},
        "{",
        "[1]",
        {"id": "b"},
        {"text": "no id"},
        {"id": "c", "text": 5},
        "",
        {"id": "d", "text": "y"},
    )
    assert [item.doc_id for item in result.documents] == ["a", "d"]
    assert [problem.line for problem in result.problems] == [2, 3, 4, 5, 6]


def test_a_file_of_something_else_is_one_problem() -> None:
    result = parsed({"qid": "q1", "question": "?"}, {"qid": "q2", "question": "?"})
    assert len(result.problems) == 1
    assert "include" in result.problems[0].message


def test_ready_made_chunks_become_one_document_each() -> None:
    result = parsed(
        {"chunk_id": "a-1", "doc_id": "a", "text": "first", "title": "A"},
        {"chunk_id": "b-1", "doc_id": "b", "text": "other"},
        {"chunk_id": "a-2", "doc_id": "a", "text": "second"},
        {"chunk_id": "lone#4", "text": "x"},
    )
    first, other, lone = result.documents
    assert (first.doc_id, first.title, first.text) == ("a", "A", "first\n\nsecond")
    assert first.cuts == (Cut("a-1", Span(0, 5)), Cut("a-2", Span(7, 13)))
    assert other.cuts == (Cut("b-1", Span(0, 5)),)
    assert lone.doc_id == "lone"


def test_a_document_of_chunks_is_as_restricted_as_its_most_restricted_one() -> None:
    def access(*values: object) -> tuple[str, ...] | None:
        lines = [
            {"chunk_id": str(row), "doc_id": "a", "text": "x", **({"access": v} if v else {})} for row, v in enumerate(values)
        ]
        return parsed(*lines).documents[0].access

    assert access(None, ["hr"]) == ("hr",)
    assert access(["hr", "it"], None, ["it"]) == ("it",)
    assert access(["hr"], ["it"]) == ()
    assert access(None, None) is None


def test_access_by_the_configured_key_goes_first_and_what_cannot_be_read_hides() -> None:
    result = parsed(
        {"id": "a", "text": "x", "groups": ["hr"], "access": ["it"]}, {"id": "b", "text": "x", "access": 5}, access_key="groups"
    )
    assert [item.access for item in result.documents] == [("hr",), ()]
    assert [problem.line for problem in result.problems] == [2]


def test_lone_surrogates_and_nul_in_a_text_are_kept_apart_from_crashes() -> None:
    document = parsed('{"id": "a", "text": "x\\ud800y\\u0000z"}').documents[0]
    assert document.text == "x\ufffdy\0z"


def test_beir_keeps_ids_texts_and_empty_documents() -> None:
    data = b'\xef\xbb\xbf{"_id": "a#1", "title": "T", "text": "# x"}\n{"_id": "e", "title": "", "text": ""}\n'
    result = parse_beir_corpus(data, "corpus.jsonl", "")
    assert [(item.doc_id, item.cuts, item.sections) for item in result.documents] == [
        ("a#1", (Cut("a#1", Span(0, 3)),), ()),
        ("e", (Cut("e", Span(0, 0)),), ()),
    ]
    assert [item.reason for item in result.skipped] == ["no text"]


@pytest.mark.parametrize("data", [b"", b" \n", b"\xef\xbb\xbf", b"\xff\xfe"])
def test_a_file_of_nothing_is_empty(data: bytes) -> None:
    with pytest.raises(NotText) as caught:
        parse_jsonl(data, "docs.jsonl", "")
    assert caught.value.reason == "empty"


def test_utf_16_lines() -> None:
    data = '{"id": "é", "text": "x"}\n'.encode("utf-16")
    assert parse_jsonl(data, "docs.jsonl", "").documents[0].doc_id == "é"
