from __future__ import annotations

from pathlib import Path

import pytest
from tests.shared_data import shared

from ragtriage.errors import GoldenError
from ragtriage.golden.beir import find_qrels, read_beir
from ragtriage.types import Evidence, Place


def folder(where: Path, **files: str) -> Path:
    for name, text in files.items():
        path = where / name.replace("__", "/").replace("_", ".")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return where


QUERIES = '{"_id": "1", "text": "one"}\n{"_id": "2", "text": "two"}\n'


@pytest.mark.parametrize("header", ["", "query-id\tcorpus-id\tscore\n"])
def test_judgements_above_0_are_the_evidence_with_their_grade(tmp_path: Path, header: str) -> None:
    golden = read_beir(
        folder(tmp_path, queries_jsonl=QUERIES, qrels_tsv=header + "1\tdoc#7\t3\n1\tb c\t0\n1\td\t1\n2\td\t-1\n")
    )
    assert golden.problems == ()
    one, two = golden.questions
    assert one.evidence == (Evidence(Place(chunk="doc#7"), (), 3.0), Evidence(Place(chunk="d"), (), 1.0))
    assert (one.needs, one.answerable) == ("any", True)
    assert (two.evidence, two.answerable) == ((), True), "no judgement above 0: unlabelled"


def test_trec_lines_spaces_and_bad_lines(tmp_path: Path) -> None:
    text = "1 0 a 2\n1  b  1\n\n1\tc\n1\td\tnan\n1\te\thigh\n9\ta\t1\n1\ta\t1\n"
    golden = read_beir(folder(tmp_path, queries_jsonl=QUERIES, qrels_tsv=text))
    assert [(evidence.place.chunk, evidence.gain) for evidence in golden.questions[0].evidence] == [("a", 2.0), ("b", 1.0)]
    said = {problem.line: problem.message for problem in golden.problems}
    assert "question, document and grade" in said[4]
    assert "not a finite number" in said[5]
    assert "question, document and grade" in said[6]
    assert "judged twice for 1, as 2 and 1; the higher counts" in said[8]
    assert "1 judged questions are not in queries.jsonl, the first is 9" in said[0]


def test_answerable_counts_and_null_is_unlabelled(tmp_path: Path) -> None:
    queries = "".join(
        f'{{"_id": "{qid}", "text": "t{qid}", "answerable": {value}}}\n'
        for qid, value in ((1, "false"), (2, "null"), (3, "true"))
    )
    golden = read_beir(folder(tmp_path, queries_jsonl=queries, qrels_tsv="1\ta\t1\n2\ta\t1\n3\ta\t1\n"))
    assert [(one.answerable, one.labelled) for one in golden.questions] == [(False, False), (True, False), (True, True)]


def test_answers_fill_the_expected_answer(tmp_path: Path) -> None:
    answers = '{"_id": "1", "answer": "yes"}\n{"_id": "2", "answers": ["no", "never"]}\n{"_id": "3", "answers": []}\n[]\n'
    golden = read_beir(folder(tmp_path, queries_jsonl=QUERIES, answers_jsonl=answers))
    assert [one.expected_answer for one in golden.questions] == ["yes", "no"]
    assert [problem.line for problem in golden.problems] == [4]
    assert not any(one.labelled for one in golden.questions), "no judgements: nothing is labelled"


def test_references_are_quotes_at_offsets_where_the_documents_are_there(tmp_path: Path) -> None:
    queries = '{"_id": "1", "text": "one", "references": [{"doc_id": "d", "start": 4, "end": 6, "content": "ab"}]}\n'
    folder(tmp_path, queries_jsonl=queries, qrels_tsv="1\td:0-9\t1\n")
    assert [one.place for one in read_beir(tmp_path).questions[0].evidence] == [Place(chunk="d:0-9")]
    folder(tmp_path, documents_jsonl='{"_id": "d", "text": "0123ab"}\n')
    assert [one.place for one in read_beir(tmp_path).questions[0].evidence] == [Place(doc="d", quote="ab", at=4)]


def test_keys_that_mean_something_else_in_beir_files_are_left_alone(tmp_path: Path) -> None:
    queries = '{"_id": "1", "text": "one", "split": "test", "kind": 3, "source": "web", "metadata": {"a": 1}, "access": "x"}\n'
    golden = read_beir(folder(tmp_path, queries_jsonl=queries))
    assert (golden.problems, golden.questions[0].split, golden.questions[0].evidence) == ((), "dev", ())


def test_which_judgements_are_used(tmp_path: Path) -> None:
    assert find_qrels(tmp_path) is None
    folder(tmp_path, qrels__dev_tsv="")
    assert find_qrels(tmp_path) == tmp_path / "qrels" / "dev.tsv"
    folder(tmp_path, qrels__train_tsv="")
    with pytest.raises(GoldenError, match=r"several.*dev.tsv, train.tsv.*--qrels"):
        find_qrels(tmp_path)
    assert find_qrels(tmp_path, Path("train.tsv")) == tmp_path / "qrels" / "train.tsv"
    folder(tmp_path, qrels__test_tsv="")
    assert find_qrels(tmp_path) == tmp_path / "qrels" / "test.tsv"
    folder(tmp_path, qrels_tsv="")
    assert find_qrels(tmp_path) == tmp_path / "qrels.tsv"
    assert find_qrels(tmp_path, tmp_path / "qrels" / "dev.tsv") == tmp_path / "qrels" / "dev.tsv"
    with pytest.raises(GoldenError, match="there is no such file"):
        find_qrels(tmp_path, Path("other.tsv"))


def test_a_folder_without_queries_says_so(tmp_path: Path) -> None:
    with pytest.raises(GoldenError, match=r"queries\.jsonl: there is no such file"):
        read_beir(tmp_path)


def test_the_fingerprint_covers_judgements_and_answers(tmp_path: Path) -> None:
    seen = {read_beir(folder(tmp_path, queries_jsonl=QUERIES)).fingerprint}
    seen.add(read_beir(folder(tmp_path, qrels_tsv="1\ta\t1\n")).fingerprint)
    seen.add(read_beir(folder(tmp_path, answers_jsonl='{"_id": "1", "answer": "x"}\n')).fingerprint)
    assert len(seen) == 3


@pytest.mark.parametrize(
    ("name", "questions", "judged", "unanswerable"),
    [
        ("cranfield", 225, 1837 - 225, 0),
        ("mongodb-faq", 201, 207, 5),
        ("clapnq-dev", 600, 300, 300),
        ("chunking-eval", 472, 790, 0),
    ],
)
def test_the_shared_sets_hold_what_they_say(name: str, questions: int, judged: int, unanswerable: int) -> None:
    golden = read_beir(shared(name))
    assert golden.problems == ()
    assert len(golden.questions) == questions
    assert sum(len(one.evidence) for one in golden.questions) == judged
    assert sum(not one.answerable for one in golden.questions) == unanswerable


def test_other_judgements_of_cranfield_can_be_chosen() -> None:
    golden = read_beir(shared("cranfield"), qrels=Path("qrels_source_as_relevant.tsv"))
    assert sum(len(one.evidence) for one in golden.questions) == 1837
