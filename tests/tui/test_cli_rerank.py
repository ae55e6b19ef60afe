"""`ragtriage rerank` as text and as JSON, and what eval says of a reranker."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from tests.tui.conftest import Command

from ragtriage_tui.text import width

ROW = {
    "pool", "before", "after", "ceiling", "held", "headroom", "used", "promoted", "demoted", "outside", "alarms", "interval",
    "p50_ms", "p95_ms", "timed", "passages", "ms_per_point", "step",
}  # fmt: skip
PROGRAM = """import sys, json
for line in sys.stdin:
    asked = json.loads(line)
    scores = {"scores": [-len(text) for text in asked["passages"]]}
    print(json.dumps(scores if "goods" in asked["question"] else {}), flush=True)
"""


def test_the_table_of_a_reranker_without_a_model(project: Path, ragtriage: Command) -> None:
    done = ragtriage("rerank", "--model", "lexical", "--pools", "4,2", "--budget-ms", "100000")
    assert (done.code, done.err) == (0, "")
    assert all(width(line) <= 80 for line in done.out.splitlines())
    lines = done.out.splitlines()
    assert lines[0].startswith("bm25 rerank=lexical k=2 ")
    assert lines[1] == "3 dev questions with evidence"
    # q003 may not see its page; the two others have it at rank 1
    assert [line.split()[:7] for line in lines if line.startswith(("     2", "     4"))][:2] == [
        ["2", "0.667", "0.667", "0.667", "–", "0", "0"],
        ["4", "0.667", "0.667", "0.667", "–", "0", "0"],
    ]
    assert "The largest of these pools within 100000 ms (p95) is 4." in lines
    assert "! pool 2: The pool of 2 is k: a reranker can win nothing. Raise retrieval.pool." in lines
    assert "! pool 4: Of the 0.333 that recall@2 lacks, 0.333 is evidence outside of the" in lines
    assert not (project / ".ragtriage").exists()


def test_a_golden_set_without_a_usable_question_says_why(project: Path, ragtriage: Command) -> None:
    golden = project / "evals" / "golden.jsonl"
    lines = golden.read_text(encoding="utf-8").splitlines(keepends=True)
    golden.write_text("".join([*lines, *lines]), encoding="utf-8")
    done = ragtriage("rerank", "--model", "lexical")
    assert done.code == 2
    assert "no line can be used" in done.err
    assert "is also on line" in done.err
    golden.write_text("", encoding="utf-8")
    assert "No questions yet" in ragtriage("rerank", "--model", "lexical").err
    golden.write_text("".join(line.replace("{", '{"split": "holdout", ', 1) for line in lines), encoding="utf-8")
    assert "no question in split dev" in ragtriage("rerank", "--model", "lexical").err


def test_the_document(project: Path, ragtriage: Command) -> None:
    done = ragtriage("rerank", "--model", "lexical", "--pools", "2,4,8", "--json")
    assert (done.code, done.err) == (0, "")
    document = done.json
    assert document.keys() == {"format", "reranker", "k", "questions", "failed", "rows", "budget_ms", "within_budget"}
    assert (document["reranker"], document["k"], document["questions"], document["budget_ms"]) == ("lexical", 2, 3, None)
    assert all(row.keys() == ROW for row in document["rows"])
    assert [row["pool"] for row in document["rows"]] == [2, 4, 8]
    assert [row["step"] and row["step"]["from"] for row in document["rows"]] == [None, 2, 4]


def test_a_program_that_fails_at_a_question(project: Path, ragtriage: Command) -> None:
    (project / "rr.py").write_text(PROGRAM, encoding="utf-8")
    with (project / "ragtriage.toml").open("a", encoding="utf-8") as file:
        file.write(f'rerank = "command"\nrerank_command = {json.dumps([sys.executable, "rr.py"])}\n')
    refused = ragtriage("rerank", "--pools", "4")
    assert (refused.code, refused.out) == (2, "")
    assert "retrieval: runs a program in " in refused.err
    done = ragtriage("rerank", "--pools", "4", "--trust")
    assert done.code == 3
    assert "questions could not be reranked" in done.out or "1 question could not be reranked" in done.out
    assert "! reranker: its answer has no list of scores: q002" in done.out
    assert "3 dev questions with evidence, 1 of 3 measured" in done.out.splitlines()
    shown = ragtriage("eval", "--trust")
    assert shown.code == 3
    assert "! q002      could not be measured: reranker: its answer has no list of scores" in shown.out
    assert "reranked: recall@2 " in shown.out
    trusted = ragtriage("trust", "--json").json
    assert [one["table"] for one in trusted["settings"]] == ["retrieval"]


def test_doctor_looks_at_the_reranker(ragtriage: Command) -> None:
    assert "✓ reranker     lexical; no model is asked" in ragtriage("doctor", "--set", "retrieval.rerank=lexical").out
    command = ("--set", "retrieval.rerank=command", "--set", 'retrieval.rerank_command=["./absent"]')
    done = ragtriage("doctor", *command)
    assert done.code == 2
    assert "✗ retrieval    ./absent cannot be run: there is no such program, or it is not executable" in done.out


def test_eval_has_it_in_its_report(project: Path, ragtriage: Command) -> None:
    document = ragtriage("eval", "--json", "--set", "retrieval.rerank=lexical").json
    assert document["rerank"].keys() == {"reranker"} | (
        ROW - {"interval", "p50_ms", "p95_ms", "timed", "passages", "ms_per_point", "step"}
    )
    assert (document["rerank"]["reranker"], document["rerank"]["pool"], document["rerank"]["used"]) == ("lexical", 50, None)
    assert "rerank" not in ragtriage("eval", "--json").json


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ((), "no reranker is configured: --model names one, or retrieval.rerank; lexical needs no model"),
        (("--model", "lexical", "--pools", "1,4"), "--pools: 1 is smaller than k (2), and a reranker has to see what is sent"),
        (("--model", "lexical", "--pools", "x"), "--pools: x is no whole number from 1 to 10000"),
        (("--model", "lexical", "--pools", "-4"), "--pools: -4 is no whole number from 1 to 10000"),
        (("--model", "lexical", "--pools", ","), "--pools: 1 to 20 sizes are needed, separated by commas"),
        (("--model", "lexical", "--budget-ms", "nan"), "--budget-ms: nan is no number of milliseconds above 0"),
        (("--model", "command"), "command needs retrieval.rerank_command"),
        (("--model", "./absent\"\n"), "retrieval.rerank: there is no folder"),
    ],
)  # fmt: skip
def test_bad_use_is_one_message(ragtriage: Command, words: tuple[str, ...], says: str) -> None:
    done = ragtriage("rerank", *words)
    assert (done.code, done.out) == (2, "")
    assert says in done.err
    assert "Traceback" not in done.err
