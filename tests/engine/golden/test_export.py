from __future__ import annotations

import csv
import dataclasses
import io
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.shared_data import shared

from ragtriage.errors import GoldenError
from ragtriage.golden.base import GoldenSet
from ragtriage.golden.beir import read_beir
from ragtriage.golden.export import COLUMNS, as_csv, as_jsonl
from ragtriage.golden.file import append_question, read_golden
from ragtriage.types import Needs, Question

SAMPLE = Path(__file__).resolve().parents[3] / "sample_corpus" / "evals" / "golden.jsonl"
KNOWN = {"qid", "id", "_id", "question", "q", "text", "relevant", "relevant_ids", "references", *COLUMNS}


def same(question: Question) -> Question:
    return dataclasses.replace(question, line=0, raw={})


def written(folder: Path, data: bytes) -> Path:
    path = folder / "golden.jsonl"
    path.write_bytes(data)
    return path


def from_csv(data: bytes) -> list[dict[str, Any]]:
    """The objects of a table, as a script would read it."""
    out = []
    texts = ("qid", "question", "query", "kind", "split", "expect", "needs", "expected_answer")
    for row in csv.DictReader(io.StringIO(data.decode(), newline="")):
        values = {key: cell if key in texts else json.loads(cell) for key, cell in row.items() if cell}
        out.append({**values, **values.pop("other", {})})
    return out


def round_trips(folder: Path, golden: GoldenSet, *, needs: Needs = "all") -> None:
    """Both formats read back as the same questions with the same unknown keys."""
    before = [same(question) for question in golden.questions]
    unknown = [{key: value for key, value in question.raw.items() if key not in KNOWN} for question in golden.questions]
    table = "".join(json.dumps(value) + "\n" for value in from_csv(as_csv(golden, golden.questions)))
    for data in (as_jsonl(golden, golden.questions), table.encode()):
        again = read_golden(written(folder, data), needs=needs)
        assert [same(question) for question in again.questions] == before
        assert [
            {key: value for key, value in question.raw.items() if key not in KNOWN} for question in again.questions
        ] == unknown
        assert not [problem for problem in again.problems if problem.severity == "error"]


QUOTE = {"doc": "faq", "quote": "a month", "prefix": "x", "at": 4}
DIALECTS: list[dict[str, Any]] = [
    {
        "qid": "q1",
        "question": "a",
        "relevant_chunk_ids": ["d#3"],
        "evidence": [QUOTE],
        "answer_must_mention": ["30", ["a", "b"]],
    },
    {"qid": "q1", "question": "a", "answerable": False, "kind": "unanswerable"},
    {"qid": "q1", "question": "a", "answerable": False, "evidence": ["d"], "mine": 1},
    {
        "qid": "q1",
        "question": "a",
        "kind": "ambiguous",
        "needs": "any",
        "evidence": [{**QUOTE, "also": ["d", QUOTE], "gain": 2}],
    },
    {"question": "a", "relevant_doc_ids": ["d"], "split": "holdout", "expect": "guard", "tags": ["x"], "access": []},
    {"q": "a", "relevant": ["d#3", "b.md#fees", "c/§14.2", "h.pdf#page=12"], "mine": {"b": 1, "a": [1.0, None]}},
    {"q": "a", "source": "faq.md"},
    {"q": "a", "source": ["faq.md"], "relevant": ["d"]},
    {"id": 7, "question": "a", "relevant": ["d"], "answerable": True, "relevant_doc_ids": ["e"]},
    {"id": 7, "question": "a", "relevant": ["d"], "answerable": False},
    {"question": "a", "source": "faq.md", "expected_answer": "30 days", "relevant_ids": ["c1", "c2"]},
    {"question": "a", "source": ["faq.md", "d#2"], "expected_answer": "30 days"},
    {"question": "a", "source": "ticket"},
    {"question": "a", "source": {"from": "ticket", "ref": "8417", "mine": 1}},
    {"_id": "x#1", "text": "a", "answerable": True, "references": [{"doc_id": "f", "start": 3, "end": 9, "content": "profit"}]},
    {"_id": "x", "text": "a", "metadata": {"k": "v"}, "source": "faq.md", "title": "t"},
    {"qid": None, "q": "a", "question": None, "id": "i", "_id": "j", "evidence": "d"},
    {"qid": "q1", "id": "other", "question": "a", "text": "other", "evidence": [{"chunk": "d#3", "chunk_sha": "9f2c"}]},
    {"qid": "q1", "question": '"quoted", and\r\nmore', "query": "=1+1", "expected_answer": " x "},
]


@pytest.mark.parametrize("line", DIALECTS)
def test_every_dialect_reads_back_the_same(tmp_path: Path, line: dict[str, Any]) -> None:
    path = tmp_path / "from" / "golden.jsonl"
    path.parent.mkdir()
    path.write_text(json.dumps(line) + "\n", encoding="utf-8")
    golden = read_golden(path)
    assert len(golden.questions) == 1
    round_trips(tmp_path, golden)


REFERENCES = st.sampled_from(
    ["d", "d#3", "b.md#fees", "c/§14.2", "h.pdf#page=12", QUOTE, {"chunk": "d#3", "quote": "x"}, {"doc": "d", "page": 2}]
)
LISTS = st.lists(REFERENCES, max_size=2)
TEXT = st.text(min_size=1, max_size=6).filter(str.strip)
VALUES = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False)
    | st.text(max_size=5)
    | st.lists(st.integers(), max_size=2)
)
LINES = st.fixed_dictionaries(
    {},
    optional={
        "qid": TEXT | st.integers(), "id": TEXT | st.integers(), "_id": TEXT, "question": TEXT, "q": TEXT, "text": TEXT,
        "evidence": LISTS, "relevant": LISTS, "relevant_ids": LISTS, "references": LISTS, "relevant_chunk_ids": LISTS,
        "relevant_doc_ids": LISTS, "source": st.sampled_from(["faq.md", ["a", "b"], "ticket", {"from": "log"}, {}]),
        "answerable": st.booleans() | st.none(), "kind": st.sampled_from(["exact", "ambiguous", "unanswerable", "odd"]),
        "split": st.sampled_from(["dev", "holdout"]), "needs": st.sampled_from(["all", "any"]),
        "tags": st.lists(TEXT, max_size=2),
        "access": st.lists(TEXT, max_size=2), "query": st.text(max_size=4), "expected_answer": st.text(max_size=4),
        "answer_must_mention": st.lists(TEXT | st.lists(TEXT, min_size=1, max_size=2), max_size=2),
        "mine": VALUES, "\ud83d": VALUES,
    },
)  # fmt: skip


@given(st.lists(LINES, max_size=3), st.sampled_from(["all", "any"]))
def test_any_mixture_of_dialects_reads_back_the_same(
    tmp_path_factory: pytest.TempPathFactory, lines: list[Any], needs: Needs
) -> None:
    folder = tmp_path_factory.mktemp("export")
    (folder / "from").mkdir()
    path = folder / "from" / "golden.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    round_trips(folder, read_golden(path, needs=needs), needs=needs)


def test_a_standard_line_goes_out_as_it_is_spelled(tmp_path: Path) -> None:
    line = '{"qid": "q\\u0031", "question": "a", "evidence": [{"doc": "d", "quote": "x"}], "mine": 1e400, "n": [1.0 ,2]}\n'
    golden = read_golden(written(tmp_path, line.encode()))
    assert as_jsonl(golden, golden.questions).decode() == line


def test_the_names_are_the_standard_ones(tmp_path: Path) -> None:
    golden = read_golden(written(tmp_path, b'{"relevant": ["d#3"], "mine": 1, "_id": 7, "q": "a"}\n'))
    assert as_jsonl(golden, golden.questions) == b'{"qid": "7", "question": "a", "evidence": ["d#3"], "mine": 1}\n'


def test_only_the_questions_asked_for_go_out(tmp_path: Path) -> None:
    golden = read_golden(SAMPLE)
    dev = [question for question in golden.questions if question.split == "dev"]
    assert as_jsonl(golden, dev).count(b"\n") == len(dev) < len(golden.questions)
    round_trips(tmp_path, golden)


def test_a_file_that_changed_meanwhile_is_not_mixed_up(tmp_path: Path) -> None:
    golden = read_golden(written(tmp_path, b'{"qid": "q1", "question": "a"}\n'))
    golden.path.write_bytes(b'{"qid": "q2", "question": "b"}\n')
    with pytest.raises(GoldenError, match="was changed meanwhile"):
        as_jsonl(golden, golden.questions)
    golden.path.unlink()
    append_question(golden.path, {"qid": "q1", "question": "a"})
    assert as_jsonl(golden, golden.questions)


@pytest.mark.parametrize("name", ["mongodb-faq", "chunking-eval", "cranfield"])
def test_public_sets_read_back_the_same(tmp_path: Path, name: str) -> None:
    round_trips(tmp_path, read_beir(shared(name)))


@pytest.mark.parametrize("quoted", [True, False])
def test_a_beir_folder_reads_back_the_same(tmp_path: Path, quoted: bool) -> None:
    folder = tmp_path / "beir"
    folder.mkdir()
    place = {"doc_id": "f", "start": 3, "end": 9, "content": "profit"}
    queries: list[dict[str, Any]] = [
        {"_id": "q1", "text": "a", "answerable": True, "references": [place], "metadata": {"x": 1}},
        {"_id": "q2", "text": "b", "answerable": None, "references": [place], "relevant": ["z"]},
        {"_id": "q3", "text": "c", "answerable": False, "split": "test", "source": "file"},
        {"_id": "q4", "text": "d", "relevant": ["z"], "evidence": ["z"]},
    ]
    files = {
        "queries.jsonl": "".join(json.dumps(query) + "\n" for query in queries),
        "corpus.jsonl": '{"_id": "f", "text": "my profit"}\n',
        "qrels.tsv": "q1\tf\t2\nq2\tf\t1\nq4\tf\t1\nq4\tg\t0\n",
        "answers.jsonl": '{"_id": "q1", "answer": "profit"}\n',
    }
    if quoted:
        files["documents.jsonl"] = '{"_id": "f", "text": "my profit"}\n'
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
    golden = read_beir(folder)
    assert [len(question.evidence) for question in golden.questions] == [1, 0, 0, 1]
    again = read_golden(written(tmp_path, as_jsonl(golden, golden.questions)))
    assert [same(question) for question in again.questions] == [same(question) for question in golden.questions]
