from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.tui.conftest import Command


def test_a_run_goes_out_as_it_was_ranked(ragtriage: Command, project: Path, tmp_path: Path) -> None:
    run = ragtriage("eval", "--json").json
    for by, name in (("chunk", lambda hit: hit["chunk_id"]), ("document", lambda hit: hit["chunk_id"].rpartition("#")[0])):
        lines = [line.split(" ") for line in ragtriage("runs", "export", "--format", "run", "--by", by).out.splitlines()]
        for question in run["per_question"]:
            mine = [line for line in lines if line[0] == question["qid"]]
            assert [line[2] for line in mine] == list(dict.fromkeys(map(name, question["ranking"])))
            assert [int(line[3]) for line in mine] == list(range(1, len(mine) + 1))
            scores = [float(line[4]) for line in mine]
            assert scores == sorted(set(scores), reverse=True)
    table = tmp_path / "run.csv"
    done = ragtriage("runs", "export", "--format", "run", "--to", str(table), "--json")
    assert done.json["written"] == str(table)
    assert table.read_text(encoding="utf-8").startswith("qid,doc,rank,score\n")


def test_files_of_a_beir_folder_score_as_its_run(ragtriage: Command, tmp_path: Path) -> None:
    folder = tmp_path / "beir"
    folder.mkdir()
    texts = {f"d#{n}": f"wing lift number {n} " + "slipstream " * (n % 4) + "delta " * (n % 3) for n in range(30)}
    queries = {"1": "wing slipstream", "2": "delta wing", "3": "lift number 7", "4": "nothing of this"}
    judged = {"1": {"d#3": 2, "d#9": 1}, "2": {"d#2": 1, "d#28": 1}, "3": {"d#7": 3}}
    (folder / "corpus.jsonl").write_text("".join(json.dumps({"_id": i, "text": t}) + "\n" for i, t in texts.items()), "utf-8")
    (folder / "queries.jsonl").write_text(
        "".join(json.dumps({"_id": i, "text": t}) + "\n" for i, t in queries.items()), "utf-8"
    )
    rows = [f"{qid}\t{doc}\t{grade}" for qid, docs in judged.items() for doc, grade in docs.items()]
    (folder / "qrels.tsv").write_text("query-id\tcorpus-id\tscore\n" + "\n".join(rows) + "\n", "utf-8")
    measured = ragtriage("-C", str(folder), "eval", "--mode", "bm25", "--answers", "none", "--json").json
    run, qrels = tmp_path / "a.run", tmp_path / "a.qrels"
    assert ragtriage("-C", str(folder), "runs", "export", measured["run"], "--format", "run", "--to", str(run)).code == 0
    assert ragtriage("-C", str(folder), "runs", "export", measured["run"], "--format", "qrels", "--to", str(qrels)).code == 0
    for judgements in (str(qrels), str(folder)):
        scored = ragtriage("eval", "--qrels", judgements, "--run", str(run), "--json").json
        assert scored["questions"] == 3
        for name, metric in measured["metrics"].items():
            assert scored["metrics"][name]["value"] == pytest.approx(metric["value"], abs=1e-6), name


def test_what_makes_no_sense_is_said(ragtriage: Command, project: Path) -> None:
    ragtriage("eval")
    assert "where to?" in ragtriage("runs", "export", "--format", "run", "--json").err
    assert "--by chunk" in ragtriage("runs", "export", "--format", "qrels", "--by", "chunk").err
    lines = ragtriage("runs", "export", "--format", "qrels").out.splitlines()
    assert "q001 0 refunds 1" in lines
