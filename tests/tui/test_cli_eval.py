"""`ragtriage eval` and the report, as processes: keys, exit codes, streams, and what is loaded."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from ragtriage_tui import cli

if TYPE_CHECKING:
    from tests.tui.conftest import Command

EVAL_KEYS = {
    "format", "run", "k", "questions", "answerable", "unlabelled", "holdout", "failed", "stale", "metrics", "answers",
    "failures", "slices", "encoded", "per_question",
}  # fmt: skip
QUESTION_KEYS = {
    "qid", "kind", "split", "needs", "status", "suggested", "lost_at", "ladder", "ranks", "rr", "ranking", "live", "oracle",
}  # fmt: skip


def test_the_stable_keys(ragtriage: Command) -> None:
    done = ragtriage("eval", "--json")
    assert (done.code, done.err) == (0, "")
    document = done.json
    assert document.keys() >= EVAL_KEYS
    assert document["format"] == 1
    assert document["metrics"].keys() >= {"recall@1", "recall@5", "hit@5", "mrr", "ndcg@10", "recall@pool"}
    assert document["metrics"]["recall@5"].keys() >= {"value", "n", "floor", "low", "high"}
    assert document["answers"].keys() >= {"live", "oracle", "tax"}
    assert document["failures"].keys() == {"suggested", "confirmed"}
    assert all(question.keys() >= QUESTION_KEYS for question in document["per_question"])
    assert done.out.count("\n") == 1


def test_the_figures_of_the_small_project(ragtriage: Command) -> None:
    document = ragtriage("eval", "--json").json
    # q001 and q002 are found; q003's page is for staff only, so its evidence is in no pool; q004 has no answer; q005 is aside
    assert (document["k"], document["questions"], document["answerable"], document["holdout"]) == (2, 4, 3, 1)
    status = {question["qid"]: question["status"] for question in document["per_question"]}
    assert status == {"q001": "found", "q002": "found", "q003": "missed", "q004": "unanswerable"}
    assert document["metrics"]["hit@5"]["value"] == pytest.approx(2 / 3, abs=1e-6)
    assert document["metrics"]["hit@5"]["n"] == 3
    assert document["failures"]["suggested"]["not-retrieved"] == 1
    lost = next(question for question in document["per_question"] if question["qid"] == "q003")
    assert lost["lost_at"] == "access"


def test_asked_as_staff_the_page_is_found(ragtriage: Command) -> None:
    for words in (["--as", "staff", "eval", "--json"], ["eval", "--as", "*", "--json"]):
        assert ragtriage(*words).json["metrics"]["hit@5"]["value"] == 1.0


def test_global_options_before_and_after(ragtriage: Command, project: Path, tmp_path: Path) -> None:
    before = ragtriage("-C", str(project), "--json", "--set", "retrieval.k=3", "eval", cwd=tmp_path).json
    after = ragtriage("eval", "--json", "--set", "retrieval.k=3", "-C", str(project), cwd=tmp_path).json
    named = ragtriage("eval", str(project / "docs"), "--k", "3", "--json", cwd=tmp_path).json
    assert before["k"] == after["k"] == named["k"] == 3
    assert before["per_question"] == after["per_question"] == named["per_question"]


def test_the_report_says_the_figures_in_text(ragtriage: Command) -> None:
    done = ragtriage("eval")
    assert (done.code, done.err) == (0, "")
    lines = done.out.splitlines()
    assert "4 dev · 1 holdout kept aside · 3 answerable · 1 unanswerable" in lines
    recall = [line.split()[0] for line in lines if line.startswith("recall@")]
    assert recall[-4:] == ["recall@5", "recall@10", "recall@20", "recall@pool"]
    assert all("━" in line for line in lines if line.startswith("recall@5"))
    assert any(line.startswith("A reranker's headroom: ") for line in lines)
    assert any("1 not retrieved" in line for line in lines)
    assert any(line.startswith("✗ q003") and "access" in line for line in lines)
    assert "\x1b" not in done.out


def test_without_a_terminal_the_project_prints_its_report(ragtriage: Command, project: Path) -> None:
    measured = ragtriage("eval").out
    again = ragtriage()
    assert again.code == 0
    assert again.out == measured  # of the same stored run
    assert len(list((project / ".ragtriage" / "runs").iterdir())) == 1
    assert ragtriage("--json").json["run"] == ragtriage("runs", "list", "--json").json["runs"][0]["run"]


def test_ascii_means_ascii(ragtriage: Command) -> None:
    assert ragtriage("eval", "--ascii").out.isascii()
    assert ragtriage("eval", env={"TERM": "linux"}).out.isascii()


def test_choosing_questions(ragtriage: Command) -> None:
    def qids(*words: str) -> list[str]:
        return [question["qid"] for question in ragtriage("eval", "--json", *words).json["per_question"]]

    assert qids() == ["q001", "q002", "q003", "q004"]
    assert qids("--failing") == ["q003"]
    assert qids("--only", "q002,q005") == ["q002", "q005"]
    assert qids("--kind", "exact") == ["q002", "q003"]
    assert qids("--split", "holdout") == ["q005"]
    assert qids("--split", "all") == ["q001", "q002", "q003", "q004", "q005"]


def test_failing_means_what_failures_lists(ragtriage: Command, project: Path) -> None:
    def failing(*words: str) -> list[str]:
        first = not (project / ".ragtriage").exists()
        done = ragtriage("eval", "--failing", "--json", *words)
        assert (done.code, bool(done.err)) == (0, first)
        return [question["qid"] for question in done.json["per_question"]]

    assert failing() == ["q003"]  # there is no run yet: all are measured first, and that is said
    # another configuration, of which nothing fails, is newer now
    assert [row["qid"] for row in ragtriage("failures", "--as", "staff", "--json").json["failing"]] == []
    assert [row["qid"] for row in ragtriage("failures", "--json").json["failing"]] == failing() == ["q003"]
    # what fails today is tried with something else
    assert failing("--as", "staff") == failing("--set", "retrieval.k=3") == ["q003"]
    assert failing("--only", "q001,q003") == failing("--kind", "exact") == ["q003"]
    runs = len(ragtriage("runs", "--json").json["runs"])
    assert failing("--kind", "paraphrase") == []
    assert ragtriage("eval", "--failing", "--kind", "paraphrase").out == "Nothing of that fails.\n"
    assert len(ragtriage("runs", "--json").json["runs"]) == runs


@pytest.mark.parametrize("words", [["eval"], ["eval", "--json"], ["failures"], [], ["eval", "--failing"]])
def test_an_empty_golden_set_is_said_and_nothing_is_stored(ragtriage: Command, project: Path, words: list[str]) -> None:
    golden = project / "evals" / "golden.jsonl"
    golden.write_text("", encoding="utf-8")
    done = ragtriage(*words)
    assert (done.code, done.out) == (2, "")
    assert done.err == f'ragtriage: No questions yet in {golden}: ragtriage add "a question as a user wrote it"\n'
    golden.write_text("nonsense\n", encoding="utf-8")
    done = ragtriage(*words)
    assert (done.code, done.out) == (2, "")
    assert f"{golden}:1: not JSON: " in done.err
    assert not (project / ".ragtriage").exists()


def test_a_set_that_is_all_holdout_says_how_to_measure_it(ragtriage: Command, project: Path) -> None:
    golden = project / "evals" / "golden.jsonl"
    golden.write_text(golden.read_text(encoding="utf-8").splitlines()[-1] + "\n", encoding="utf-8")
    assert "the holdout has 1, which --split holdout measures" in ragtriage("eval").err
    assert ragtriage("eval", "--split", "holdout").code == 0


def test_looking_at_the_holdout_is_logged(ragtriage: Command, project: Path) -> None:
    ragtriage("eval")
    assert not (project / "evals" / "holdout.jsonl").exists()
    ragtriage("eval", "--split", "all")
    assert len((project / "evals" / "holdout.jsonl").read_text(encoding="utf-8").splitlines()) == 1


def test_answers_can_be_left_out(ragtriage: Command) -> None:
    both, none = ragtriage("eval", "--json").json, ragtriage("eval", "--answers", "none", "--json").json
    assert any(question["live"] for question in both["per_question"])
    assert not any(question["live"] or question["oracle"] for question in none["per_question"])
    assert none["answers"]["tax"]["n"] == 0
    assert both["metrics"] == none["metrics"]


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--only", "q999"], "q999: no such question"),
        (["--k", "0"], "--k: 0 is below the smallest allowed value"),
        (["--k", "60"], "--k: 60 is larger than retrieval.pool (50); add --set retrieval.pool=60\n"),
        (["--only", ","], "--only: no question to measure"),
        (["--kind", "ambiguous"], "no question of kind ambiguous in split dev to measure\n"),
        (["--failing", "--split", "all"], "--failing: known of the dev questions only"),
        (["--k", "many"], "a whole number is needed"),
        (["--set", "retrieval.mod=bm25"], "did you mean mode?"),
        (["nowhere"], "no such folder"),
    ],
)
def test_bad_use_is_one_message_and_exit_code_2(ragtriage: Command, words: list[str], says: str) -> None:
    done = ragtriage("eval", "--json", *words)
    assert (done.code, done.out) == (2, "")
    assert says in done.err
    assert "Traceback" not in done.err


def test_a_bad_line_is_named_and_the_report_is_still_printed(ragtriage: Command, project: Path) -> None:
    golden = project / "evals" / "golden.jsonl"
    golden.write_text(golden.read_text(encoding="utf-8") + '{"qid": "q006"\n', encoding="utf-8")
    done = ragtriage("eval", "--json")
    assert done.code == 2
    assert done.json["questions"] == 4
    assert "golden.jsonl:6: not JSON" in done.err
    assert len(done.json["problems"]) == 1


def test_read_only_stores_no_run(ragtriage: Command, project: Path) -> None:
    assert ragtriage("eval", "--read-only").code == 0
    assert not (project / ".ragtriage").exists()


def test_a_folder_that_cannot_be_written_says_where_the_run_is(
    project: Path, home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    import ragtriage.project_places

    monkeypatch.setattr(ragtriage.project_places, "is_writable", lambda folder: False)  # root may write everywhere
    assert cli.main(["eval", str(project), "--json"]) == 0
    shown = capsys.readouterr()
    run = json.loads(shown.out)["run"]
    assert "cannot be written; the run is in " in shown.err
    (stored,) = (home / "state" / "projects").glob(f"*/runs/{run}")
    assert str(stored) in shown.err
    assert not (project / ".ragtriage").exists()


def test_a_reader_that_goes_away_ends_nothing_badly(project: Path) -> None:
    command = f"{sys.executable} -m ragtriage_tui eval --json | head -c 1"
    done = subprocess.run(["bash", "-c", f"set -o pipefail; {command}"], cwd=project, capture_output=True, timeout=60)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"{", b"")


def test_ctrl_c_in_the_middle_leaves_everything_usable(ragtriage: Command, project: Path) -> None:
    code = (
        "import sys, time\nfrom ragtriage.search.systems.embedded import EmbeddedSystem\n"
        "from ragtriage_tui.cli import script\n"
        "def search(*words, **named):\n    print('searching', file=sys.stderr, flush=True)\n    time.sleep(60)\n"
        "EmbeddedSystem.search = search\nsys.argv[1:] = ['eval']\nscript()"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", code],
        cwd=project,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # noqa: PLW1509 - ignored where a shell put us behind &
    )
    with process:
        assert process.stderr is not None
        assert process.stderr.readline() == b"searching\n"
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    assert (process.returncode, out) == (130, b"")
    assert err.decode().strip() == "interrupted; everything done so far is kept"
    assert ragtriage("eval").code == 0


def test_hostile_text_everywhere_reaches_no_terminal(ragtriage: Command, project: Path) -> None:
    evil = "\x1b]0;owned\x07 [/red] \u202egnp.exe {x} %s \x9b2J"
    (project / "docs" / "evil.md").write_text(f"# {evil}\n\nThe secret {evil} word is swordfish.\n", encoding="utf-8")
    line = {
        "qid": "[/b]\x1b[31m",
        "question": f"secret word {evil} \x00",
        "evidence": [{"doc": "evil", "quote": "word is swordfish"}],
        "answer_must_mention": ["nothing of this"],
    }
    with open(project / "evals" / "golden.jsonl", "a", encoding="utf-8") as handle:
        handle.write(json.dumps(line) + "\n")
    for words in (
        ["eval"],
        ["failures"],
        ["show", line["qid"]],
        ["search", "secret word"],
        ["find", "swordfish"],
        ["show", "evil"],
    ):
        done = ragtriage(*map(str, words))
        assert done.code == 0, done.err
        assert not set(done.out + done.err) & set("\x1b\x07\x00\x9b\u202e"), words
    document = ragtriage("eval", "--json").json
    assert line["qid"] in [question["qid"] for question in document["per_question"]]


def test_warm_eval_loads_nothing_heavy_and_nothing_of_comparing_gates_and_reviews(project: Path) -> None:
    code = (
        "import sys\nfrom ragtriage_tui.cli import main\n"
        "code = main(['eval', '--json'])\n"
        "heavy = {'torch', 'textual', 'rich', 'sentence_transformers', 'transformers', 'tokenizers', 'markdown_it', 'pypdf',"
        " 'selectolax', 'rapidfuzz', 'asyncio', 'logging', 'multiprocessing', 'csv', 'yaml', 'xml', 'difflib',"
        " 'ragtriage.git', 'ragtriage.inbox', 'ragtriage.labelling', 'ragtriage.compare', 'ragtriage.gate',"
        " 'ragtriage.revisions', 'ragtriage.review'}\n"
        "print(sorted(heavy & set(sys.modules)), file=sys.stderr)\nsys.exit(code)"
    )
    for _ in range(2):
        done = subprocess.run([sys.executable, "-c", code], cwd=project, capture_output=True, encoding="utf-8", timeout=60)
        assert done.returncode == 0, done.stderr
    assert done.stderr == "[]\n"
    assert json.loads(done.stdout)["encoded"] == 0
