"""`ragtriage review`, `demo review` and `show --against`, as processes of their own."""

from __future__ import annotations

import json
import os
import subprocess
from datetime import date, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from ragtriage_tui.demo_history import BRANCH, STEPS, build_history

if TYPE_CHECKING:
    from tests.tui.conftest import Command

FLIPS = [
    ("q008", "broken", "answer", "answer"),
    ("q024", "broken", "retrieval", "bm25"),
    ("q038", "broken", "answer", "answer"),
    ("q056", "broken", "retrieval", "dense"),
    ("q086", "broken", "retrieval", "corpus"),  # the Saturday hours were edited, the label was not
    ("q003", "fixed", "answer", "answer"),
    ("q025", "fixed", "retrieval", "fused"),
    ("q070", "fixed", "retrieval", "bm25"),
]
"""What the history of the demo was built to contain."""


def git(folder: Path, *words: str) -> str:
    people = {f"GIT_{who}_{what}": "a@b.c" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    env = {**os.environ, **people, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    return subprocess.run(["git", *words], cwd=folder, env=env, capture_output=True, text=True, check=True).stdout


@pytest.fixture
def branch(project: Path) -> Path:
    """The small project on a branch that breaks a label."""
    git(project, "init", "-q", "--initial-branch=main")
    git(project, "add", "-A")
    git(project, "commit", "-q", "-m", "one")
    git(project, "switch", "-q", "-c", "change")
    golden = (project / "evals" / "golden.jsonl").read_text(encoding="utf-8").splitlines()
    first = next(json.loads(line) for line in golden if "quote" in line)
    quote = first["evidence"][0]["quote"]
    for page in (project / "docs").rglob("*.md"):
        page.write_text(page.read_text(encoding="utf-8").replace(quote, "something else"), encoding="utf-8")
    return project


def test_the_demo_has_exactly_the_flips_it_was_built_with(ragtriage: Command, tmp_path: Path) -> None:
    done = ragtriage("demo", "review", "--json", cwd=tmp_path)
    assert (done.code, done.err) == (0, "")
    found = done.json
    flips = [flip for flip in found["flips"] if flip["change"] in ("broken", "fixed", "errored")]
    assert [(one["qid"], one["change"], one["half"], one["rung"]) for one in flips] == FLIPS
    assert found["encoded"] == 0
    assert found["outcome"] == "ok"
    assert found["apart"]["relabelled"] == ["q085"]
    assert {name: qids for name, qids in found["apart"].items() if qids} == {"relabelled": ["q085"]}
    assert found["differences"]["config"] == [{"key": "chunking.size", "old": 200, "new": 96}]
    documents = {"added": [], "removed": ["billing/payout-schedule-2022"], "edited": ["gift-cards", "opening-hours"]}
    assert found["differences"]["documents"] == documents
    assert (found["base"]["name"], found["head"]["name"]) == ("main", BRANCH)
    assert (found["to_review"], found["reviewed"]) == (8, 0)
    again = ragtriage("demo", "review", "--json", cwd=tmp_path).json
    assert {**again, "head": None} == {**found, "head": None}


def test_the_demo_s_other_half_has_no_such_options(ragtriage: Command, tmp_path: Path) -> None:
    refused = ragtriage("demo", "--markdown", cwd=tmp_path)
    assert (refused.code, refused.out) == (2, "")
    assert "belongs to ragtriage demo review" in refused.err
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "ragtriage.toml").write_text("", encoding="utf-8")
    refused = ragtriage("demo", "review", "--into", "mine", cwd=tmp_path)
    assert refused.code == 2
    assert "holds something else" in refused.err


def test_the_history_is_the_same_everywhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    build_history(tmp_path / "first")
    monkeypatch.setenv("GIT_AUTHOR_NAME", "somebody else")
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "nowhere"))
    build_history(tmp_path / "second")
    monkeypatch.delenv("GIT_DIR")
    commits = [git(tmp_path / name, "log", "--format=%H %an %s", BRANCH) for name in ("first", "second")]
    assert commits[0] == commits[1]
    assert [line.split(" ", 3)[3] for line in commits[0].splitlines()[:-1]] == [step.message for step in reversed(STEPS)]
    assert git(tmp_path / "first", "status", "--porcelain") == ""


def test_the_report_as_text(ragtriage: Command, branch: Path) -> None:
    done = ragtriage("review", "--plain")
    assert "base  main " in done.out
    assert "head  working tree on change " in done.out
    assert "differs: 1 document edited: " in done.out
    assert "0 of 1 reviewed" in done.out
    assert "✗ " in done.out
    assert "corpus" in done.out
    assert max(map(len, done.out.splitlines())) <= 80
    assert done.code == 3  # too few questions for a gate
    assert ragtriage("review", "--plain", "--ascii").out.isascii()


@pytest.mark.parametrize("name", ["golden", "verdicts"])
def test_a_bad_line_is_said_and_the_exit_code_stays_the_gate_s(ragtriage: Command, branch: Path, name: str) -> None:
    with (branch / "evals" / f"{name}.jsonl").open("a", encoding="utf-8") as file:
        file.write("{bad\n")
    done = ragtriage("review", "--json")
    assert f"{name}.jsonl:" in done.err
    assert done.json["outcome"] == "cannot-tell"
    assert done.code == done.json["gate"]["exit_code"] == 3


def test_other_forms(ragtriage: Command, branch: Path) -> None:
    text = ragtriage("review", "--markdown").out
    assert text.startswith("This change was tried on ")
    assert ragtriage("review", "--github").out.startswith("::warning title=review%3A cannot-tell::")
    done = ragtriage("review", "--json", "--html", "page.html")
    assert done.json["outcome"] == "cannot-tell"
    assert (branch / "page.html").read_text(encoding="utf-8").startswith("<!doctype html>")
    assert done.err.splitlines()[-1] == "wrote page.html"
    assert ragtriage("review", "--html", "no/such/page.html").code == 2
    (branch / "closed.html").touch(0o444)
    refused = ragtriage("review", "--html", "closed.html")
    assert (refused.code, refused.out) == (2, "")
    assert "read-only" in refused.err
    assert "not allowed with" in ragtriage("review", "--markdown", "--github").err


def test_one_question_against_another_commit(ragtriage: Command, branch: Path) -> None:
    found = ragtriage("review", "--json").json
    (qid,) = [flip["qid"] for flip in found["flips"] if flip["change"] == "broken"]
    text = ragtriage("show", qid, "--against", "main").out
    assert text.index("── base ──") < text.index("── head ──")
    shown = ragtriage("show", qid, "--against", "main", "--json").json
    assert (shown["flip"]["change"], shown["flip"]["rung"]) == ("broken", "corpus")
    assert shown["against"] == found["base"]["commit"]
    assert shown["base"]["status"] == "found"
    for words, why in ((["nope"], "no such question"), ([qid, "--against", "nope"], "no such revision")):
        refused = ragtriage("show", *words, *(["--against", "main"] if len(words) == 1 else []))
        assert refused.code == 2
        assert why in refused.err


def test_settings_of_the_command_line_count_for_both_sides(ragtriage: Command, branch: Path) -> None:
    found = ragtriage("review", "--set", "retrieval.k=1", "--json").json
    assert (found["base"]["k"], found["head"]["k"], found["k_differs"]) == (1, 1, False)


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["review", "nope"], "no such revision"),
        (["review", "--head", "nope"], "no such revision"),
        (["review", "main", "--head", "-x"], "expected one argument"),
    ],
)
def test_what_cannot_be_reviewed(ragtriage: Command, branch: Path, words: list[str], why: str) -> None:
    done = ragtriage(*words)
    assert (done.code, done.out) == (2, "")
    assert why in done.err


def test_without_git(ragtriage: Command, project: Path) -> None:
    done = ragtriage("review")
    assert done.code == 2
    assert "lies in no git repository" in done.err
    done = ragtriage("review", env={"PATH": ""})
    assert done.code == 2
    assert "git is not installed" in done.err


def test_in_a_bare_repository(ragtriage: Command, branch: Path, tmp_path: Path) -> None:
    git(tmp_path, "clone", "-q", "--bare", str(branch), "bare.git")
    done = ragtriage("review", cwd=tmp_path / "bare.git")
    assert done.code == 2
    assert "a bare repository" in done.err


def test_a_flip_is_intended_from_the_shell(ragtriage: Command, branch: Path) -> None:
    (broken,) = [flip["qid"] for flip in ragtriage("review", "--json").json["flips"] if flip["change"] == "broken"]
    before = ragtriage("review").out
    done = ragtriage("verdict", broken, "intended", "--note", "the page is gone", "--until", "2999-12-31")
    assert (done.code, done.out) == (2, "")
    assert "days: between 1 and 3650 are possible" in done.err
    until = (date.today() + timedelta(days=30)).isoformat()
    done = ragtriage("verdict", broken, "intended", "--note", "the page is gone", "--until", until)
    assert (done.code, done.err) == (0, "")
    assert done.out == f"{broken} is intended until {until}; ragtriage verdict --undo takes that back\n"
    found = ragtriage("review", "--json").json
    decision = next(flip["decision"] for flip in found["flips"] if flip["qid"] == broken)
    assert (decision["state"], decision["note"], decision["expires"]) == ("intended", "the page is gone", until)
    assert (found["reviewed"], found["to_review"]) == (1, 1)
    after = ragtriage("review").out
    assert f"{broken}: intended until {until}" in after
    assert before.splitlines()[3] == after.splitlines()[3]  # the gate's sentence
    assert ragtriage("verdict", "--list").out.startswith(f"{broken}  intended until {until}")
    assert ragtriage("verdict", "--undo").out == f"{broken} is not intended any more\n"
    assert ragtriage("review", "--json").json["reviewed"] == 0


def test_an_intended_flip_is_listed_and_cleared(ragtriage: Command, branch: Path) -> None:
    (broken,) = [flip["qid"] for flip in ragtriage("review", "--json").json["flips"] if flip["change"] == "broken"]
    assert "Nothing is decided" in ragtriage("verdict", "--list").out
    made = ragtriage("verdict", broken, "intended", "--note", "why\x1b[31m not", "--against", "main", "--json").json
    assert (made["qid"], made["decision"], made["head"]) == (broken, "intended", None)
    assert made["base"] == git(branch, "rev-parse", "main").strip()
    assert made["expires"] == (date.today() + timedelta(days=90)).isoformat()
    ragtriage("verdict", broken, "2")
    (meant, label) = ragtriage("verdict", "--list", "--json").json["verdicts"]
    assert (meant["decision"], meant["expired"], meant["category"]) == ("intended", False, None)
    assert (label["category"], label["expired"]) == ("ranked-too-low", None)
    assert "\x1b" not in ragtriage("verdict", "--list").out
    log = branch / "evals" / "verdicts.jsonl"
    log.write_text(log.read_text(encoding="utf-8").replace(made["expires"], "2020-01-01"), encoding="utf-8")
    assert f"{broken}  was intended until 2020-01-01" in ragtriage("verdict", "--list").out
    ragtriage("verdict", "--undo")
    assert ragtriage("verdict", broken, "0").out == f"{broken} is not intended any more\n"
    assert ragtriage("verdict", "--list", "--json").json["verdicts"] == []


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("q999", "intended", "--note", "x"), "q999: did not flip between main "),
        (("q001", "intended"), "--note: a change is intended for a reason"),
        (("q001", "intended", "--note", "x", "--until", "soon"), "--until: 'soon' is no day such as "),
        (("q001", "intended", "--note", "x", "--until", "2020-01-01"), "is not after today"),
        (("q001", "intended", "--note", "x", "--against", "nowhere"), "no such revision"),
        (("q001", "intended", "--note", "x", "--read-only"), "--read-only: nothing was written"),
        (("q001", "2", "--until", "2999-01-01"), "--until: is for a flip that is intended"),
        (("--list", "--undo"), "--list shows all that is decided now"),
    ],
)
def test_what_cannot_be_intended(ragtriage: Command, branch: Path, words: tuple[str, ...], says: str) -> None:
    done = ragtriage("verdict", *words)
    assert (done.code, done.out) == (2, "")
    assert says in done.err
    assert not (branch / "evals" / "verdicts.jsonl").exists()
