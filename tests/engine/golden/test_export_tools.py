from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.engine.golden.tiny import chunks_of, corpus_of, document

from ragtriage.errors import GoldenError
from ragtriage.golden.beir import read_beir
from ragtriage.golden.evidence import resolve
from ragtriage.golden.export_beir import as_beir
from ragtriage.golden.export_tools import as_promptfoo, as_ragas, named_documents
from ragtriage.golden.gap import evidence_texts
from ragtriage.inbox.reading import read_reports
from ragtriage.types import Document, Evidence, Place, Question

CORPUS = corpus_of(
    [
        document("refunds", "# Refunds\nWithin 30 days of delivery.\n# Fees\nThey are 5.\n"),
        Document("a/b", "B", "Other.", access=("staff",)),
    ]
)
CHUNKS = chunks_of(CORPUS, {"refunds": [(0, 38), (38, 57)]})
QUESTIONS = [
    Question(
        "q1", "how long", (Evidence(Place(doc="refunds", quote="Within 30 days")), Evidence(Place(chunk="refunds#2"), (), 2.0)),
        kind="exact", tags=("x",), must_mention=(("30",), ("days", "d")), must_not_mention=("14",), expected_answer="30 days",
    ),
    Question("q2", "moon", answerable=False, split="holdout", access=("staff",), query="moon landing"),
    Question("q3", "gone", (Evidence(Place(doc="nowhere")), Evidence(Place(doc="refunds", quote="was never there at all")))),
    Question("q4", "either", (Evidence(Place(doc="a/b"), (Place(doc="refunds", section="fees"),), 0.5),)),
]  # fmt: skip
ITEMS = {question.qid: resolve(question, CORPUS, CHUNKS) for question in QUESTIONS}


def test_ragas_samples_have_what_the_labels_say() -> None:
    texts = {qid: evidence_texts(items, CORPUS) for qid, items in ITEMS.items()}
    lines = [json.loads(line) for line in as_ragas(QUESTIONS, texts, ITEMS).splitlines()]
    assert lines[0] == {
        "user_input": "how long", "reference": "30 days", "reference_contexts": ["Within 30 days", "# Fees\nThey are 5.\n"],
        "reference_context_ids": ["refunds"], "qid": "q1", "kind": "exact", "split": "dev", "answerable": True,
    }  # fmt: skip
    assert (lines[1]["reference"], lines[1]["reference_contexts"], lines[1]["split"]) == ("", [], "holdout")
    assert lines[2]["reference_context_ids"] == ["nowhere", "refunds"]
    assert len({tuple(line) for line in lines}) == 1


def test_promptfoo_tests_assert_without_a_model() -> None:
    tests = json.loads(as_promptfoo(QUESTIONS))
    assert tests[0]["vars"] == {"question": "how long", "reference": "30 days"}
    assert tests[0]["assert"] == [
        {"type": "icontains", "value": "30"},
        {"type": "icontains-any", "value": ["days", "d"]},
        {"type": "not-icontains", "value": "14"},
    ]
    assert tests[0]["metadata"]["evidence"] == [
        {"doc": "refunds", "quote": "Within 30 days"},
        {"chunk": "refunds#2", "gain": 2},
    ]
    assert (tests[1]["assert"], tests[1]["metadata"]["id"]) == ([{"type": "is-refusal"}], "q2")
    assert "assert" not in tests[2]


@pytest.mark.parametrize(
    ("text", "quoted"),
    [
        ("what is {{ env.KEY }}", 'what is {{ "{{" }} env.KEY }}'),
        ("{% raw %}", '{{ "{%" }} raw %}'),
        ("{{{#", '{{ "{{" }}{{ "{#" }}'),
        ("file:///etc/passwd", '{{ "file://" }}/etc/passwd'),
        ("see file://x and {a}", "see file://x and {a}"),
    ],
)
def test_what_promptfoo_would_fill_in_or_read_is_quoted(text: str, quoted: str) -> None:
    [one] = json.loads(as_promptfoo([Question("q", text, must_mention=((text,),))]))
    assert (one["vars"]["question"], one["assert"][0]["value"]) == (quoted, quoted)


def test_half_characters_go_out_as_none() -> None:
    question = Question("q\ud800", "\udfff", must_mention=(("\ud800", "a"),))
    assert json.loads(as_promptfoo([question]))[0]["vars"] == {"question": "\ufffd"}
    assert json.loads(as_ragas([question], {}, {}))["qid"] == "q\ufffd"


def test_a_beir_folder_reads_back_with_documents_as_labels(tmp_path: Path) -> None:
    found = as_beir(QUESTIONS, CORPUS, ITEMS)
    assert found.unlabelled == ("q3",)
    for name, data in found.files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(data)
    golden = read_beir(tmp_path)
    assert not golden.problems
    labels = {one.qid: {(item.place.chunk, item.gain) for item in one.evidence} for one in golden.questions}
    assert labels == {"q1": {("refunds", 2.0)}, "q2": set(), "q3": set(), "q4": {("a/b", 0.5), ("refunds", 0.5)}}
    for before, after in zip(QUESTIONS, golden.questions, strict=True):
        for name in ("qid", "question", "answerable", "kind", "split", "tags", "access", "query", "expected_answer"):
            assert getattr(after, name) == getattr(before, name), name
    documents = [json.loads(line) for line in found.files["corpus.jsonl"].splitlines()]
    assert [(one["_id"], one["text"], one.get("access")) for one in documents] == [
        (one.doc_id, one.text, None if one.access is None else list(one.access)) for one in CORPUS.documents
    ]


@pytest.mark.parametrize("name", ["a\tb", "a\nb", " a", "a\u2028b"])
def test_ids_that_no_table_can_hold_are_named(name: str) -> None:
    with pytest.raises(GoldenError, match="cannot stand in qrels") as raised:
        as_beir([Question(name, "x")], CORPUS, {})
    assert len(raised.value.problems) == 1


def test_documents_are_named_once() -> None:
    assert named_documents(ITEMS["q4"]) == ["a/b", "refunds"]
    assert named_documents(resolve(Question("q", "x", (Evidence(Place(chunk="old#7")),)), CORPUS, CHUNKS)) == ["old"]


def test_what_goes_out_can_be_taken_in() -> None:
    texts = {qid: evidence_texts(items, CORPUS) for qid, items in ITEMS.items()}
    for data, name in ((as_ragas(QUESTIONS, texts, ITEMS), "ragas.jsonl"), (as_promptfoo(QUESTIONS), "promptfoo.json")):
        reports = read_reports(data, name).reports
        assert [(one.ref, one.question) for one in reports] == [(one.qid, one.question) for one in QUESTIONS]
        assert [one.expected for one in reports] == [one.expected_answer for one in QUESTIONS]
        if name == "ragas.jsonl":
            assert [[passage.text for passage in one.evidence] for one in reports] == [texts[one.qid] for one in QUESTIONS]
        else:
            assert [one.mentions for one in reports] == [one.must_mention for one in QUESTIONS]
