"""The other commands as processes, in text and in JSON."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.tui.conftest import Command


def test_search_has_the_stable_keys(ragtriage: Command) -> None:
    done = ragtriage("search", "ERR_4021", "--json")
    assert (done.code, done.err) == (0, "")
    assert done.json.keys() >= {"question", "hits"}
    best = done.json["hits"][0]
    assert best.keys() >= {"rank", "chunk_id", "doc_id", "bm25_rank", "dense_rank", "rerank_rank", "score", "text"}
    assert (best["rank"], best["doc_id"], best["bm25_rank"], best["dense_rank"]) == (1, "errors", 1, None)
    assert "ERR_4021" in best["text"]


def test_search_respects_access(ragtriage: Command) -> None:
    def documents(*words: str) -> set[str]:
        return {hit["doc_id"] for hit in ragtriage("search", "goodwill voucher", "--json", *words).json["hits"]}

    assert "staff/goodwill" not in documents()
    assert "staff/goodwill" not in documents("--as", "sales")
    assert "staff/goodwill" in documents("--as", "staff")


def test_search_that_finds_nothing_is_fine(ragtriage: Command) -> None:
    done = ragtriage("search", "zyzzyva")
    assert done.code == 0
    assert "Nothing is retrieved" in done.out
    assert ragtriage("search", " ").code == 2


def test_find_looks_through_everything(ragtriage: Command) -> None:
    # not the ranking's business, nor that of access: evidence is labelled from here
    done = ragtriage("find", "voucher", "--json")
    (match,) = done.json["matches"]
    assert (match["doc_id"], match["heading"]) == ("staff/goodwill", ["Goodwill"])
    assert ragtriage("find", "VOUCHER", "--case", "--json").json["matches"] == []
    assert len(ragtriage("find", r"ERR_\d+", "--regex", "--json").json["matches"]) == 2
    assert "2 places" in ragtriage("find", r"ERR_\d+", "--regex").out
    assert ragtriage("find", "(", "--json").json["matches"] == []
    assert ragtriage("find", "(", "--regex").code == 2


def test_find_without_text_lists_the_documents(ragtriage: Command) -> None:
    found = {entry["doc_id"]: entry["headings"] for entry in ragtriage("find", "--json").json["documents"]}
    assert found["refunds"] == [["Refunds"], ["Refunds", "Time limit"], ["Refunds", "Who pays"]]
    assert "  Time limit" in ragtriage("find").out


def test_show_tells_where_a_question_was_lost(ragtriage: Command) -> None:
    done = ragtriage("show", "q003")
    assert done.code == 0
    assert "what voucher may support give" in done.out
    assert "suggested not-retrieved" in done.out
    assert "✗ access" in done.out
    document = ragtriage("show", "q003", "--json").json
    assert (document["qid"], document["suggested"], document["verdict"]) == ("q003", "not-retrieved", None)


def test_show_a_chunk_and_a_document(ragtriage: Command) -> None:
    document = ragtriage("show", "refunds", "--json").json
    assert document["title"] == "Refunds"
    first = document["chunks"][0]
    chunk = ragtriage("show", first["chunk_id"], "--json").json
    assert chunk["text"] == document["text"][first["start"] : first["end"]]
    assert "within 30 days of delivery" in ragtriage("show", "refunds.md").out
    assert "did you mean refunds?" in ragtriage("show", "refund").err


def test_a_verdict_and_its_undoing(ragtriage: Command, project: Path) -> None:
    ragtriage("eval")
    done = ragtriage("verdict", "q003", "6", "--note", "staff only")
    assert (done.code, done.out.splitlines()[0].split(" (")[0]) == (0, "q003 is now 6 bad label")
    assert ragtriage("eval", "--json").json["failures"]["confirmed"]["bad-label"] == 1
    assert "without the 1 labelled bad label" in ragtriage("eval").out
    (row,) = ragtriage("failures", "--json").json["failing"]
    assert (row["qid"], row["suggested"], row["labelled"]) == ("q003", "not-retrieved", "bad-label")
    assert ragtriage("failures", "--unlabelled", "--json").json["failing"] == []
    assert ragtriage("verdict", "q003", "not-retrieved", "--json").json["category"] == "not-retrieved"
    assert ragtriage("verdict", "--undo").out == "q003 is bad-label again\n"
    assert ragtriage("verdict", "--undo").out == "q003 has no verdict again\n"
    assert ragtriage("verdict", "--undo").code == 2
    assert (
        len((project / "evals" / "verdicts.jsonl").read_bytes().splitlines()) == 4
    )  # 2 verdicts and 2 undos: nothing is erased


def test_a_verdict_can_be_cleared(ragtriage: Command) -> None:
    ragtriage("verdict", "q003", "1")
    assert ragtriage("verdict", "q003", "0").code == 0
    assert ragtriage("failures", "--json").json["failing"][0]["labelled"] is None


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["q003", "8"], "no category"),
        (["q003", "not-retreived"], "did you mean not-retrieved?"),
        (["q999", "1"], "q999: no such question"),
        (["q003"], "a question and a category are needed"),
        (["q003", "1", "--read-only"], "--read-only"),
    ],
)
def test_a_verdict_that_cannot_be(ragtriage: Command, project: Path, words: list[str], says: str) -> None:
    done = ragtriage("verdict", *words)
    assert done.code == 2
    assert says in done.err
    assert not (project / "evals" / "verdicts.jsonl").exists()


def test_failures_by_category(ragtriage: Command) -> None:
    assert [row["qid"] for row in ragtriage("failures", "--category", "1", "--json").json["failing"]] == ["q003"]
    assert ragtriage("failures", "--category", "made-up").out == "Nothing fails.\n"
    assert "✗ q003      1? not retrieved" in ragtriage("failures").out


def test_runs_are_listed_shown_exported_and_pruned(ragtriage: Command, project: Path, tmp_path: Path) -> None:
    assert "No runs yet" in ragtriage("runs").out
    for number in range(3):
        ragtriage("eval", "--note", f"try {number}")
    listed = ragtriage("runs", "list", "--json").json["runs"]
    assert len(listed) == 3
    assert {run["note"] for run in listed} == {"try 0", "try 1", "try 2"}
    assert "try 1" in ragtriage("runs", "list").out
    shown = ragtriage("runs", "show", listed[-1]["run"], "--json").json
    assert shown["run"] == listed[-1]["run"]
    assert ragtriage("runs", "show", listed[0]["run"]).out.splitlines()[0].endswith(listed[0]["run"])
    target = tmp_path / "run.json"
    assert ragtriage("runs", "export", "latest", "--to", str(target)).code == 0
    assert json.loads(target.read_text(encoding="utf-8")) == ragtriage("runs", "export", "--json").json
    assert ragtriage("runs", "show", "never").code == 2
    done = ragtriage("runs", "prune", "--keep", "1", "--json").json
    assert (len(done["removed"]), done["left"]) == (2, 1)
    assert len(list((project / ".ragtriage" / "runs").iterdir())) == 1


def test_a_run_that_a_verdict_names_is_not_pruned(ragtriage: Command) -> None:
    ragtriage("eval")
    ragtriage("verdict", "q003", "1")
    ragtriage("eval", "--note", "newer")
    assert ragtriage("runs", "prune", "--keep", "0", "--json").json["left"] == 1


def test_index_does_the_work_once(ragtriage: Command) -> None:
    done = ragtriage("index", "--json")
    assert (done.code, done.err) == (0, "")
    assert (done.json["documents"], done.json["encoded"]) == (4, 0)
    assert "4 documents" in ragtriage("index").out


def test_doctor_is_content_with_the_small_project(ragtriage: Command, project: Path) -> None:
    done = ragtriage("doctor", "--json")
    assert done.code == 0, done.out
    assert done.json["ok"] is True
    (project / "docs" / "picture.png").write_bytes(b"\x89PNG\r\n\x1a\n\x00\x00")
    (project / "docs" / "empty.md").write_bytes(b"")
    skipped = {item["source"]: item["reason"] for item in ragtriage("doctor", "--json").json["skipped"]}
    assert skipped == {"picture.png": "unmatched", "empty.md": "empty"}
    shown = ragtriage("eval").out
    assert "2 skipped below the corpus folder" in shown
    assert "unmatched: picture.png" in shown


def test_doctor_outside_a_project_says_what_to_do(ragtriage: Command, tmp_path: Path) -> None:
    done = ragtriage("doctor", cwd=tmp_path)
    assert done.code == 2
    assert "ragtriage init" in done.out


def test_golden_check_names_every_bad_line(ragtriage: Command, project: Path) -> None:
    assert ragtriage("golden", "check").code == 0
    golden = project / "evals" / "golden.jsonl"
    bad = '{"qid": "q001", "question": "again"}\nnonsense\n{"question": "x", "evidence": [{"doc": "nowhere", "quote": "y"}]}\n'
    golden.write_text(golden.read_text(encoding="utf-8") + bad, encoding="utf-8")
    done = ragtriage("golden", "check", "--json")
    assert done.code == 2
    lines = {problem["line"] for problem in done.json["problems"] if problem["severity"] == "error"}
    assert lines >= {1, 6, 7}
    assert "golden.jsonl:7: not JSON" in ragtriage("golden", "check").out


def test_add_a_question_that_fails_today(ragtriage: Command, project: Path) -> None:
    done = ragtriage(
        "add", "may i get a voucher", "--quote", "staff/goodwill", "a voucher of 15 euros", "--from", "ticket", "--ref", "8812"
    )
    assert done.code == 0, done.err
    assert "fails today" in done.out
    saved = json.loads((project / "evals" / "golden.jsonl").read_text(encoding="utf-8").splitlines()[-1])
    assert saved["qid"].startswith("q-")
    assert saved["question"] == "may i get a voucher"
    assert saved["evidence"][0]["doc"] == "staff/goodwill"
    assert "voucher of 15 euros" in saved["evidence"][0]["quote"]
    assert saved["source"]["from"] == "ticket"
    assert saved["source"]["ref"] == "8812"
    assert saved["qid"] in [question["qid"] for question in ragtriage("eval", "--json").json["per_question"]]


def test_add_reads_standard_input_and_takes_references(ragtriage: Command) -> None:
    done = ragtriage(
        "add", "--evidence", "shipping.md#abroad", "--mention", "Norway", "--json", stdin="do you ship to norway\n"
    )
    assert done.code == 0, done.err
    assert (done.json["question"]["question"], done.json["status"]) == ("do you ship to norway", "found")


def test_the_first_question_starts_the_golden_set(ragtriage: Command, project: Path) -> None:
    golden = project / "evals" / "golden.jsonl"
    golden.unlink()
    told = ragtriage("eval")
    assert (told.code, told.out) == (2, "")
    assert "ragtriage add" in told.err
    assert ragtriage("add", "what does ERR_4022 mean", "--quote", "errors", "ERR_4022 means").code == 0
    assert len(golden.read_text(encoding="utf-8").splitlines()) == 1


def test_nearly_the_same_is_said(ragtriage: Command) -> None:
    done = ragtriage("add", "do you ship to the moon please", "--unanswerable")
    assert done.code == 0
    assert "nearly the same: q004 do you ship to the moon" in done.err


def test_add_an_unanswerable_question(ragtriage: Command) -> None:
    done = ragtriage("add", "do you repair bicycles", "--unanswerable", "--json")
    assert done.json["question"]["answerable"] is False


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ([], "empty"),
        (["x?"], "--unanswerable"),
        (["x?", "--evidence", "nowhere"], "nowhere"),
        (["x?", "--quote", "refunds", "words that stand nowhere in it"], "words that stand nowhere"),
        (["x?", "--unanswerable", "--evidence", "refunds"], "--unanswerable"),
        (["x?", "--evidence", "refunds", "--read-only"], "--read-only"),
        (["do you ship to the moon", "--unanswerable"], "q004"),
    ],
)
def test_what_cannot_be_added(ragtriage: Command, project: Path, words: list[str], says: str) -> None:
    before = (project / "evals" / "golden.jsonl").read_bytes()
    done = ragtriage("add", *words)
    assert done.code == 2
    assert says in done.err
    assert (project / "evals" / "golden.jsonl").read_bytes() == before
