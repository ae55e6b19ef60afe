"""`ragtriage golden …`: one line of work an action, exit codes, and what a person reads."""

from __future__ import annotations

import csv
import io
import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.tui.conftest import QUESTIONS, Command

from ragtriage.golden.file import read_golden
from ragtriage.ids import question_id
from ragtriage_tui.commands.golden import ACTIONS

Git = Callable[..., None]
CONFLICT = '<<<<<<< HEAD\n{"qid": "a1", "question": "ours"}\n=======\n{"qid": "a2", "question": "theirs"}\n>>>>>>> other\n'


@pytest.fixture
def golden(project: Path) -> Path:
    return project / "evals" / "golden.jsonl"


@pytest.fixture
def git(project: Path) -> Git:
    def run(*words: str) -> None:
        settings = ("-c", "user.name=x", "-c", "user.email=x@example.org", "-c", "commit.gpgsign=false")
        subprocess.run(["git", *settings, *words], cwd=project, check=True, capture_output=True)

    return run


@pytest.fixture
def committed(golden: Path, git: Git) -> Path:
    git("init")
    git("add", ".")
    git("commit", "-m", "one")
    return golden


def append(path: Path, text: str) -> None:
    path.write_text(path.read_text(encoding="utf-8") + text, encoding="utf-8")


def test_help_names_every_action_and_an_unknown_one_is_told(ragtriage: Command) -> None:
    shown = ragtriage("golden", "--help")
    assert shown.code == 0
    assert all(f"  {name}" in shown.out for name in ACTIONS)
    for name in ACTIONS:
        assert f"usage: ragtriage golden {name} " in ragtriage("golden", name, "--help").out
    wrong = ragtriage("golden", "chek")
    assert (wrong.code, wrong.err) == (2, "ragtriage: golden chek: no such action; did you mean check?\n")
    odd = ragtriage("golden", "fmt", "--fxi")
    assert (odd.code, "did you mean --fix?" in odd.err, "golden fmt --help" in odd.err) == (2, True, True)


def test_options_that_hold_everywhere_stand_anywhere(ragtriage: Command, project: Path, tmp_path: Path) -> None:
    for words in (["-C", str(project), "golden", "check", "--json"], ["--json", "golden", "check", "-C", str(project)],
                  ["golden", "--json", "check", str(project)], ["golden", "--json", "-C", str(project)]):  # fmt: skip
        done = ragtriage(*words, cwd=tmp_path)
        assert (done.code, done.json["set"]["questions"]) == (0, 5), words


# -- check


def test_check_shows_the_gap_and_what_looks_synthetic(ragtriage: Command, golden: Path) -> None:
    append(
        golden, json.dumps({"qid": "q6", "question": "According to the document, who pays?", "evidence": ["refunds"]}) + "\n"
    )
    found = ragtriage("golden", "check", "--json").json
    assert set(found["gap"]["questions"]) == {"q001", "q002", "q003", "q005", "q6"}
    assert 0 < found["gap"]["mean"] <= 1
    assert set(found["gap"]["by_kind"]) == {"(none)", "exact", "paraphrase"}
    assert any("q6: looks synthetic: it says “According to the document”" in one["message"] for one in found["problems"])
    assert "words of a question that its evidence has, too: " in ragtriage("golden").out


def test_check_names_markers_twins_and_repeated_keys_by_line(ragtriage: Command, golden: Path) -> None:
    append(golden, CONFLICT + '{"qid": "q001", "question": "again"}\n{"qid": "x", "question": "a", "qid": "y"}\n')
    (golden.parent / "reviews.jsonl").write_text("=======\n", encoding="utf-8")
    (golden.parent / "inbox.jsonl").write_text("=======\n", encoding="utf-8")
    done = ragtriage("golden", "check", "--json")
    errors = [(Path(one["where"]).name, one["line"]) for one in done.json["problems"] if one["severity"] == "error"]
    assert done.code == 2
    assert {("golden.jsonl", line) for line in (1, 6, 8, 10, 11, 12)} <= set(errors)
    assert {("reviews.jsonl", 1), ("inbox.jsonl", 1)} <= set(errors)


# -- fmt


def test_fmt_says_what_it_did_and_does_it_once(ragtriage: Command, golden: Path) -> None:
    append(golden, '\n{"mine":1,"question":"why"}\r\n{"question":"why","mine":1}\n')
    before = golden.read_bytes()
    checked = ragtriage("golden", "fmt", "--check")
    assert (checked.code, golden.read_bytes()) == (2, before)
    assert "6 lines, would change" in checked.out
    done = ragtriage("golden", "fmt")
    assert done.code == 0
    assert "6 lines, written" in done.out
    assert "2 given an id · 1 left out that says the same as another · 1 blank line left out" in done.out
    assert (
        golden.read_text(encoding="utf-8").splitlines()[-1]
        == f'{{"qid": "{question_id("why")}", "question": "why", "mine": 1}}'
    )
    assert [question.qid for question in read_golden(golden).questions][:5] == [line["qid"] for line in QUESTIONS]
    again = ragtriage("golden", "fmt", "--check", "--json")
    assert (again.code, again.json["changed"], again.json["lines"]) == (0, False, 6)


def test_fmt_leaves_conflicts_to_fix_and_fix_leaves_twins_to_a_person(ragtriage: Command, golden: Path) -> None:
    append(golden, CONFLICT + '{"qid": "q001", "question": "again"}\n')
    before = golden.read_bytes()
    done = ragtriage("golden", "fmt")
    assert (done.code, golden.read_bytes()) == (2, before)
    assert "3 conflict markers; nothing was written. --fix mends what is safe" in done.out
    assert "golden.jsonl:6: a merge conflict marker" in done.out
    fixed = ragtriage("golden", "fmt", "--fix")
    assert fixed.code == 2
    assert "1 conflict mended" in fixed.out
    assert "golden.jsonl:8: qid: q001 is also on line 1" in fixed.out
    assert [json.loads(line)["qid"] for line in golden.read_bytes().splitlines()][5:] == ["a1", "a2", "q001"]


def test_fmt_writes_nothing_where_it_may_not(ragtriage: Command, golden: Path, tmp_path: Path) -> None:
    append(golden, '{"question":"why"}\n')
    before = golden.read_bytes()
    assert ragtriage("golden", "fmt", "--read-only").code == 2
    golden.chmod(0o444)
    done = ragtriage("golden", "fmt")
    assert (done.code, "read-only" in done.err) == (2, True)
    assert golden.read_bytes() == before
    assert ragtriage("golden", "fmt", "--check", "--read-only").code == 2
    golden.chmod(0o644)
    golden.write_bytes("{}".encode("utf-16"))
    assert "UTF-16; save it as UTF-8" in ragtriage("golden", "fmt").err
    golden.unlink()
    assert "there is no golden set yet" in ragtriage("golden", "fmt").err
    (tmp_path / "beir").mkdir()
    for name in ("queries.jsonl", "corpus.jsonl"):
        (tmp_path / "beir" / name).write_text('{"_id": "x", "text": "y"}\n', encoding="utf-8")
    assert "only read" in ragtriage("golden", "fmt", cwd=tmp_path / "beir").err


# -- diff


def test_diff_tells_what_became_of_each_question(ragtriage: Command, committed: Path, git: Git) -> None:
    assert ragtriage("golden", "diff").out == "No question differs from HEAD.\n"
    lines: list[dict[str, Any]] = [dict(line) for line in QUESTIONS if line["qid"] != "q002"]
    lines[0] |= {"question": "how long may goods come back", "evidence": [{"doc": "refunds", "quote": "30 days"}]}
    lines[1]["qid"] = "q333"
    lines = [*reversed(lines), {"qid": "q9", "question": "new\x1b[31m"}]
    committed.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    done = ragtriage("golden", "diff")
    assert done.code == 0
    assert done.out.splitlines()[-1] == "1 added · 1 removed · 1 edited · 1 relabelled · 1 with another id"
    assert "\x1b" not in done.out
    for line in (
        "- q002  ERR_4021",
        "~ q333 (was q003)  what voucher may support give",
        "    question: may i send goods back for days after delivery → how long may goods come back",
    ):
        assert line in done.out.splitlines()
    found = ragtriage("golden", "diff", "HEAD", "--json").json
    assert {key: len(found[key]) for key in ("added", "removed", "edited", "relabelled", "renamed", "problems")} == {
        "added": 1, "removed": 1, "edited": 1, "relabelled": 1, "renamed": 1, "problems": 0,
    }  # fmt: skip
    assert found["relabelled"][0]["changes"][0]["key"] == "evidence"
    git("commit", "-am", "two")
    assert ragtriage("golden", "diff").out == "No question differs from HEAD.\n"
    assert ragtriage("golden", "diff", "HEAD~1", "--json").json["removed"][0]["qid"] == "q002"
    below = ragtriage("golden", "diff", cwd=committed.parent)
    assert (below.code, below.out) == (0, "No question differs from HEAD.\n")


@pytest.mark.parametrize("ref", ["nope", "HEAD:evals", "a\nb", "HEAD^{tree}"])
def test_diff_with_what_is_no_revision(ragtriage: Command, committed: Path, ref: str) -> None:
    done = ragtriage("golden", "diff", ref)
    assert (done.code, done.out, "no such revision" in done.err, done.err.count("\n")) == (2, "", True, 1)


def test_diff_without_a_version_before(ragtriage: Command, golden: Path, git: Git) -> None:
    done = ragtriage("golden", "diff")
    assert (done.code, done.out, "lies in no git repository" in done.err) == (2, "", True)
    git("init")
    assert "nothing has been committed yet" in ragtriage("golden", "diff").err
    git("add", "docs")
    git("commit", "-m", "docs")
    assert "is not in HEAD" in ragtriage("golden", "diff").err
    git("add", ".")
    git("commit", "-m", "golden")
    golden.unlink()
    assert (
        "there is no golden set; HEAD may still have it" in ragtriage("golden", "diff").err
        or ragtriage("golden", "diff").code == 2
    )


def test_diff_names_lines_that_hold_no_question(ragtriage: Command, committed: Path) -> None:
    append(committed, CONFLICT)
    done = ragtriage("golden", "diff")
    assert done.code == 2
    assert "golden.jsonl:6: a merge conflict marker" in done.out
    assert done.out.splitlines()[-1] == "2 added"


# -- export


def test_export_in_every_format(ragtriage: Command, project: Path, tmp_path: Path) -> None:
    lines = ragtriage("golden", "export").out.splitlines()
    assert [json.loads(line)["qid"] for line in lines] == [line["qid"] for line in QUESTIONS]
    rows = list(csv.DictReader(io.StringIO(ragtriage("golden", "export", "--format", "csv").out)))
    assert [row["question"] for row in rows] == [line["question"] for line in QUESTIONS]
    ragas = [json.loads(line) for line in ragtriage("golden", "export", "--format", "ragas", "--split", "dev").out.splitlines()]
    assert ragas[0]["reference_contexts"] == ["within 30 days of delivery"]
    assert len(ragas) == 4
    done = ragtriage("golden", "export", "--format", "promptfoo", "--to", str(tmp_path / "tests.json"), "--json")
    assert (done.code, done.json["questions"]) == (0, 5)
    assert len(json.loads((tmp_path / "tests.json").read_text(encoding="utf-8"))) == 5
    done = ragtriage("golden", "export", "--format", "beir", "--to", str(tmp_path / "beir"))
    assert done.out == f"5 questions, 1 of them holdout written to {tmp_path / 'beir'}\n"
    measured = ragtriage("eval", str(tmp_path / "beir"), "--json", "--set", "retrieval.mode=bm25", "--answers", "none")
    assert (measured.json["questions"], measured.json["unlabelled"]) == (4, 0)


def test_export_of_judgements(ragtriage: Command, project: Path, tmp_path: Path) -> None:
    lines = ragtriage("golden", "export", "--format", "qrels").out.splitlines()
    assert lines
    assert all(len(line.split(" ")) == 4 for line in lines)
    beir, qrels = tmp_path / "beir", tmp_path / "qrels.tsv"
    ragtriage("golden", "export", "--format", "beir", "--to", str(beir))
    assert ragtriage("golden", "export", "--format", "qrels", "--to", str(qrels)).code == 0
    assert qrels.read_bytes() == (beir / "qrels" / "test.tsv").read_bytes()


def test_export_replaces_nothing(ragtriage: Command, golden: Path, tmp_path: Path) -> None:
    before = golden.read_bytes()
    for words in (["--to", str(golden)], ["--format", "beir", "--to", str(golden.parent)]):
        done = ragtriage("golden", "export", *words)
        assert (done.code, "is there already; nothing was written" in done.err) == (2, True)
    assert golden.read_bytes() == before
    assert "beir is a folder; where to?" in ragtriage("golden", "export", "--format", "beir").err
    assert "where to?" in ragtriage("golden", "export", "--json").err
    assert ragtriage("golden", "export", "--to", str(tmp_path / "x"), "--read-only").code == 2
    assert not (tmp_path / "x").exists()
    blocked = ragtriage("golden", "export", "--format", "beir", "--to", str(golden / "below"))
    assert (blocked.code, blocked.err.count("\n")) == (2, 1)


def test_export_of_a_set_with_bad_lines_says_so(ragtriage: Command, golden: Path) -> None:
    append(golden, "nonsense\n")
    done = ragtriage("golden", "export")
    assert (done.code, len(done.out.splitlines())) == (2, 5)
    assert "1 problem of the golden set" in done.err
