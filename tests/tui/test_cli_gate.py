"""`ragtriage gate` and `ragtriage baseline` as processes, on the sample."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from tests.tui.conftest import Command, Done

ROOT = Path(__file__).resolve().parent.parent.parent


@pytest.fixture
def sample(tmp_path: Path) -> Path:
    return Path(shutil.copytree(ROOT / "sample_corpus", tmp_path / "sample"))


@pytest.fixture
def gate(ragtriage: Command, sample: Path) -> Command:
    """`ragtriage gate …` on the sample, whose outcome and exit code always agree."""

    def run(*words: str, **more: Any) -> Done:
        done = ragtriage("gate", *words, cwd=sample, **more)
        if "--json" in words and done.out:
            assert done.code == done.json["exit_code"] == {"ok": 0, "regressed": 1, "cannot-tell": 3}[done.json["outcome"]]
        elif done.out:
            word = done.out.partition(":")[0]
            assert done.code == {"ok": 0, "ok, but look": 0, "regressed": 1, "cannot tell": 3}[word], done.out
        else:
            assert done.code == 2
        assert "Traceback" not in done.err
        return done

    return run


@pytest.fixture
def baseline(ragtriage: Command, sample: Path) -> Command:
    return lambda *words, **more: ragtriage("baseline", *words, cwd=sample, **more)


def lose_documents(sample: Path) -> list[tuple[Path, bytes]]:
    """Take half of the documents away; what was taken."""
    taken = [(path, path.read_bytes()) for path in sorted((sample / "docs").rglob("*.md"))[::2]]
    for path, _ in taken:
        path.unlink()
    return taken


def commit(sample: Path) -> None:
    who = {f"GIT_{role}_{what}": "a@example.org" for role in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    for words in (["init", "-q", "-b", "main"], ["add", "-A"], ["commit", "-q", "-m", "sample"]):
        subprocess.run(["git", *words], cwd=sample, check=True, env={**os.environ, **who})


def test_without_a_baseline_nothing_is_gated(gate: Command, baseline: Command) -> None:
    assert "`ragtriage baseline update` sets it" in gate().err
    assert gate("--json").out == ""
    assert baseline("show").code == 2


def test_the_same_files_are_ok_and_twice_the_same_bytes(gate: Command, baseline: Command, sample: Path) -> None:
    first = baseline("update")
    assert (first.code, first.out.splitlines()[0][:6], first.err) == (0, "wrote ", "")
    assert "nothing was written" in baseline("update").out
    text = (sample / "evals" / "baseline.json").read_text(encoding="utf-8")
    done = gate()
    assert done.out.splitlines()[0] == "ok: 0 lost, 0 won of 67, within 3.35 net."
    assert "no change seen" in done.out
    assert gate(fresh=True).out == done.out  # where strings have other hashes
    assert gate("--json", fresh=True).out == gate("--json").out
    assert (sample / "evals" / "baseline.json").read_text(encoding="utf-8") == text


def test_what_broke_is_named_and_the_exit_code_is_1(gate: Command, baseline: Command, sample: Path) -> None:
    baseline("update")
    taken = lose_documents(sample)
    done = gate()
    assert done.code == 1
    said = re.match(
        r"regressed: recall@5 0\.79 -> 0\.\d\d, (\d+) lost, \d+ won of 67 \([\d.]+ net, 3\.35 allowed\)\. ", done.out
    )
    assert said
    told = " ".join(done.out.split())
    gone = re.search(
        r"! (\d+) of the (\d+) questions whose evidence is lower have labels whose text is gone from the documents; ", told
    )
    assert gone
    assert 0 < int(gone[1]) <= int(gone[2])
    assert "ragtriage golden anchor looks for it" in told
    document = gate("--json").json
    assert document["metrics"]["recall@5"]["lost"] == int(said[1])
    assert document["sentences"][0] == done.out.splitlines()[0]
    assert {flip["rung"] for flip in document["flips"] if flip["change"] == "broken"} >= {"corpus"}
    assert gate("--tolerance", "1").code == 3  # which could never fire
    assert gate("--metrics", "hit@20,ndcg@10").code == 1
    refused = baseline("update")
    assert (refused.code, "it only rises by itself" in refused.out, "recall@5 would fall" in refused.out) == (1, True, True)
    for nothing in ("", "  ", "\u200b", "\u2060\u00a0", ".", "\n"):
        assert baseline("update", "--accept-drop", nothing).code == 2
    assert baseline("update", "--accept-drop", "these pages moved to the wiki").code == 0
    assert gate().code == 0
    shown = baseline("show").out
    assert "“these pages moved to the wiki”" in shown
    for path, data in taken:
        path.write_bytes(data)
    assert "nothing rose" not in gate("--ratchet").out
    assert "nothing rose beyond noise" in gate("--ratchet").out
    history = baseline("show", "--json").json["history"]
    assert [(change["dropped"], change["reason"]) for change in history] == [
        (False, None), (True, "these pages moved to the wiki"), (False, None)
    ]  # fmt: skip


def test_a_run_and_a_revision_are_bases_too(gate: Command, ragtriage: Command, sample: Path) -> None:
    commit(sample)
    run = ragtriage("eval", "--json", cwd=sample).json["run"]
    lose_documents(sample)
    for against in (run, "HEAD", "main"):
        done = gate("--against", against)
        assert done.code == 1, done.err
        assert done.out.splitlines()[0].startswith("regressed: recall@5 ")
    assert gate("--against", "HEAD", "--json").json["against"]["name"] == "HEAD"
    assert "no such revision" in gate("--against", "nowhere").err
    assert "no such run" in gate("--against", "20200101T000000Z-0").err
    assert "--against baseline" in gate("--against", "HEAD", "--ratchet").err


def test_an_empty_golden_set_says_how_to_begin(baseline: Command, sample: Path) -> None:
    (sample / "evals" / "golden.jsonl").write_text("", encoding="utf-8")
    assert "there is no question to measure: ragtriage add" in baseline("update").err


def test_few_questions_are_no_ground_for_anything(ragtriage: Command) -> None:
    assert ragtriage("baseline", "update").code == 0
    done = ragtriage("gate")
    assert (done.code, done.out.splitlines()[0]) == (3, "cannot tell: recall@2 rests on 3 questions; at least 10 are needed.")


def test_other_k_cannot_be_told(gate: Command, baseline: Command) -> None:
    baseline("update")
    done = gate("--set", "retrieval.k=8")
    assert (done.code, done.out[:34]) == (3, "cannot tell: k was 5 and is 8 now;")


def test_a_bad_line_of_the_golden_set_is_never_ok(gate: Command, baseline: Command, sample: Path) -> None:
    baseline("update")
    golden = sample / "evals" / "golden.jsonl"
    lines = golden.read_text(encoding="utf-8").splitlines()
    golden.write_text("\n".join(["{", *lines[1:]]) + "\n", encoding="utf-8")
    done = gate()
    assert (done.code, "1 line cannot be used" in done.out) == (3, True)
    assert baseline("update").code == 2
    golden.write_text("", encoding="utf-8")
    assert "no question to measure" in gate().err


def test_floors_of_the_configuration(gate: Command, baseline: Command, sample: Path) -> None:
    baseline("update")
    with (sample / "ragtriage.toml").open("a", encoding="utf-8") as file:
        file.write('\n[gate]\nfloors = ["hit@k kind:exact 0.5", "recall@k 0.95"]\n')
    done = gate()
    assert (done.code, done.out.splitlines()[0]) == (
        1, "regressed: recall@5 is 0.793, under its floor of 0.95 (67 questions)."
    )  # fmt: skip
    assert [floor["outcome"] for floor in gate("--json").json["floors"]] == ["ok", "regressed"]
    assert "gate.floors" in gate("--set", 'gate.floors=["much"]').err


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--tolerance", "lots"], "--tolerance"),
        (["--metrics", "recal@5"], "unknown metric"),
        (["--metrics", ""], "at least one"),
        (["--repeat", "x"], "--answers"),
        (["--ratchet", "--read-only"], "nothing was written"),
        (["--set", "gate.tolerance=2"], "above"),
        (["--answers", "--metrics", "mrr"], "of answers"),
        (["--answers", "none"], "takes no value"),
    ],
)  # fmt: skip
def test_bad_use_is_said(words: list[str], says: str, gate: Command) -> None:
    done = gate(*words)
    assert (done.code, done.out) == (2, "")
    assert says in done.err


def test_a_damaged_baseline_is_one_message(gate: Command, baseline: Command, sample: Path) -> None:
    (sample / "evals").joinpath("baseline.json").write_text("<<<<<<< HEAD\n", encoding="utf-8")
    for done in (gate(), baseline("show"), baseline("update")):
        assert (done.code, done.out, len(done.err.splitlines())) == (2, "", 1)
        assert "restore it from git" in done.err


def test_answers_have_a_gate_of_their_own(gate: Command, baseline: Command, sample: Path) -> None:
    baseline("update")
    done = gate("--answers", "--json")
    assert (done.code, list(done.json["metrics"])) == (0, ["correct"])
    lose_documents(sample)
    assert gate("--answers").code == 1


def test_nothing_is_written_where_it_must_not(gate: Command, baseline: Command, sample: Path) -> None:
    baseline("update")
    shutil.rmtree(sample / ".ragtriage")
    assert gate("--read-only").code == 0
    assert not (sample / ".ragtriage").exists()
    assert baseline("update", "--read-only").code == 2


def test_the_run_of_a_baseline_stays(baseline: Command, ragtriage: Command, sample: Path) -> None:
    baseline("update")
    run = baseline("show", "--json").json["run"]
    for number in range(3):
        ragtriage("eval", "--set", "run.keep=1", "--note", str(number), cwd=sample)
    ragtriage("runs", "prune", "--keep", "0", cwd=sample)
    assert [one["run"] for one in ragtriage("runs", "--json", cwd=sample).json["runs"]] == [run]


def test_the_keys_of_the_reference_are_there(gate: Command, baseline: Command) -> None:
    text = (ROOT / "docs" / "reference.md").read_text(encoding="utf-8").split("\n## Gate\n", 1)[1].split("\n## ", 1)[0]
    documents = {"baseline update": baseline("update", "--json").json, "baseline show": baseline("show", "--json").json}
    documents["gate"] = gate("--json").json
    checked = 0
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.split("|")[1:-1]]
        if len(cells) != 3 or not cells[0].startswith("`"):
            continue
        value: Any = documents[cells[0].strip("`")]
        for step in filter(None, cells[1].strip("`").split(".")):
            value = next(iter(value.values())) if step == "*" else value[step.removesuffix("[]")]
            value = value[0] if step.endswith("[]") else value
        assert set(re.findall(r"`([^`]+)`", cells[2])) == value.keys() or cells[1], line
        assert value.keys() >= set(re.findall(r"`([^`]+)`", cells[2])), line
        checked += 1
    assert checked >= 5
    assert json.dumps(documents)


def test_the_first_lines_count_the_questions_that_left_the_comparison(gate: Command, baseline: Command, sample: Path) -> None:
    baseline("update")
    assert "not compared" not in gate().out
    golden = sample / "evals" / "golden.jsonl"
    lines = golden.read_text(encoding="utf-8").splitlines()
    asked = [json.loads(line) for line in lines]
    dev = [row for row, one in enumerate(asked) if one.get("split", "dev") == "dev" and one.get("evidence")]
    first, second, third = dev[:3]
    asked[first]["evidence"] = asked[second]["evidence"]
    asked[second]["question"] += " please"
    added = {**asked[third], "qid": "added", "question": "something else"}
    text = "".join(json.dumps(one) + "\n" for row, one in enumerate(asked) if row != third) + json.dumps(added) + "\n"
    golden.write_text(text, encoding="utf-8")
    lines = gate().out.splitlines()
    at = next(row for row, line in enumerate(lines) if line.startswith("against "))
    assert lines[at + 1] == "not compared since: 1 with other labels, 1 with other words, 1 gone, 1 new"
