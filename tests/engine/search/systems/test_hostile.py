"""Systems that hang, flood, die, or answer nonsense: each question is measured, or failed with its reason, and none is left."""

from __future__ import annotations

import json
import os
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.processes import gone

from ragtriage.errors import Cancelled
from ragtriage.measure.evaluate import evaluate
from ragtriage.measure.results import QuestionResult, Run
from ragtriage.project import Project

PROGRAM = str(Path(__file__).resolve().parents[3] / "fakes" / "retriever.py")

Opened = Callable[..., Project]


def command(*words: str) -> str:
    return f"retrieval.command={json.dumps([sys.executable, PROGRAM, *words])}"


def asked(opened: Opened, *questions: str, words: tuple[str, ...] = (), more: tuple[str, ...] = ()) -> Run:
    project = opened(
        list(questions), "retrieval.system=command", command(*words), "run.timeout_s=2", "run.concurrency=3", *more
    )
    return evaluate(project, store=False)


def one(opened: Opened, question: str) -> QuestionResult:
    return asked(opened, question).questions[0]


@pytest.mark.parametrize(
    ("question", "reason"),
    [
        ("hang", "did not answer within 2 s"),
        ("die", "ended with exit code 3: it broke"),
        ("flood", "wrote more than 10 MB without an answer"),
        ("error", "failed: the index is closed"),
        ("odd", "hit 1 is neither an id nor an object"),
        ("no list", "its answer has no list of hits under any of hits, results, documents, passages"),
    ],
)
def test_it_fails_with_its_reason_and_is_never_zero(opened: Opened, question: str, reason: str) -> None:
    run = asked(opened, question, "is all well")
    failed, good = run.questions
    assert (failed.status, good.status) == ("failed", "found")
    assert reason in failed.reason
    assert (run.manifest["failed"], run.manifest["metrics"]["recall@5"]["n"]) == (1, 1)
    assert (run.manifest["metrics"]["recall@5"]["value"], run.manifest["metrics"]["recall@5"]["floor"]) == (1.0, 0.5)


def test_garbage_before_an_answer_answers_nothing(opened: Opened) -> None:
    assert one(opened, "garbage").ranks == (1,)


def test_a_repeated_passage_takes_a_place(opened: Opened) -> None:
    result = one(opened, "duplicates")
    assert [hit.chunk_id for hit in result.hits] == ["refunds#1", "refunds#1", "own", "own"]
    assert (result.repeated, result.ranks) == (2, (1,))


def test_scores_that_are_no_numbers_sort_nothing(opened: Opened) -> None:
    result = one(opened, "nan")
    assert [(hit.chunk_id, hit.score) for hit in result.hits] == [("refunds#1", 0.0), ("shipping#1", 0.0)]


@pytest.mark.parametrize(
    ("told", "believed"), [("0.000123", True), ("-1", False), ("NaN", False), ("true", False), ("1" * 400, False)]
)
def test_a_program_may_say_how_long_it_took(opened: Opened, root: Path, told: str, believed: bool) -> None:
    (root / "mine.sh").write_text(f'while read line; do echo \'{{"hits": ["refunds#1"], "seconds": {told}}}\'; done\n', "utf-8")
    project = opened(["x"], "retrieval.system=command", 'retrieval.command=["sh", "mine.sh"]')
    run = evaluate(project, store=False)
    assert run.questions[0].status == "found"
    assert (run.manifest["system"]["seconds"]["p50"] == 0.0001) is believed


def test_a_program_that_was_mended_is_asked_by_the_next_evaluation(opened: Opened, root: Path) -> None:
    project = opened(
        ["a", "b", "c", "d"], "retrieval.system=command", 'retrieval.command=["sh", "mine.sh"]', "run.concurrency=1"
    )
    assert {one.status for one in evaluate(project, store=False).questions} == {"failed"}
    (root / "mine.sh").write_text('while read line; do echo \'{"hits": ["refunds#1"]}\'; done\n', "utf-8")
    assert {one.status for one in evaluate(project, store=False).questions} == {"found"}


def test_more_than_was_asked_for_is_cut(opened: Opened) -> None:
    run = asked(opened, "more")
    result = run.questions[0]
    assert (len(result.hits), result.hits[0].chunk_id) == (50, "no-0")
    assert (result.status, result.suggested, result.lost_at) == ("missed", "not-retrieved", "system")
    account = run.manifest["system"]
    assert (account["aligned"], account["matched"]["nothing"], len(account["unmatched"])) == (0.0, 50, 50)
    assert account["unmatched"][0] == {"chunk_id": "no-0", "doc": None, "text": None, "times": 1}


def test_fewer_and_none_are_the_floor(opened: Opened) -> None:
    result = one(opened, "fewer")
    assert (result.status, result.hits, result.rr) == ("missed", (), 0.0)


def test_other_encodings(opened: Opened) -> None:
    result = one(opened, "latin")
    assert [hit.chunk_id for hit in result.hits] == ["latin"]
    assert result.places == {"latin": None}


def test_ten_megabytes_a_hit(opened: Opened) -> None:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    run = asked(opened, *(["huge"] * 6), "large", "fine")
    huge, large, fine = run.questions[0], *run.questions[-2:]
    assert (huge.status, [hit.chunk_id for hit in huge.hits]) == ("missed", ["huge"])
    assert (large.status, large.ranks) == ("missed", (None,))
    assert fine.status == "found"
    assert all(len(entry["text"]) <= 200 for entry in run.manifest["system"]["unmatched"])
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 400_000  # kilobytes


def test_a_program_that_is_not_there(opened: Opened) -> None:
    project = opened(["a", "b", "c", "d"], "retrieval.system=command", 'retrieval.command=["./absent"]', "run.concurrency=1")
    reasons = [result.reason for result in evaluate(project, store=False).questions]
    assert all("absent cannot be started: No such file or directory" in reason for reason in reasons)
    assert [reason.startswith("not asked: ") for reason in reasons] == [False, False, False, True]


def test_a_late_question_is_its_own_failure_alone(opened: Opened) -> None:
    """Each slow one holds up a program while the others go on to the next slow one: in the end all wait at once."""
    names = ["hang" if number % 4 == 3 else "is all well" for number in range(40)]
    project = opened(names, "retrieval.system=command", command(), "run.timeout_s=0.6", "run.concurrency=4")
    questions = evaluate(project, store=False).questions
    assert [one.status for one in questions] == ["failed" if name == "hang" else "found" for name in names]
    assert {one.reason for one in questions if one.reason} == {"retriever.py did not answer within 0.6 s"}


def test_one_that_only_hangs_is_given_up_and_says_what_was_never_asked(opened: Opened) -> None:
    project = opened(["hang"] * 10, "retrieval.system=command", command(), "run.timeout_s=0.3", "run.concurrency=2")
    reasons = [one.reason for one in evaluate(project, store=False).questions]
    assert set(reasons[:6]) == {"retriever.py did not answer within 0.3 s"}
    assert set(reasons[7:]) == {
        "not asked: the 6 before it were lost, and nothing answered in between (retriever.py did not answer within 0.3 s)"
    }


def test_programs_get_little_of_the_environment(opened: Opened, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRET_ONE", "1")
    monkeypatch.setenv("SECRET_TWO", "2")
    for more, extra in (((), set()), (('run.pass_env=["SECRET_TWO"]',), {"SECRET_TWO"})):
        result = asked(opened, "environment", more=more).questions[0]
        names = {hit.chunk_id for hit in result.hits}
        assert names & {"SECRET_ONE", "SECRET_TWO"} == extra
        assert "PATH" in names


def pids(file: Path) -> list[int]:
    return [int(line) for line in file.read_text(encoding="utf-8").split()] if file.exists() else []


def test_closing_ends_every_program(opened: Opened, tmp_path: Path) -> None:
    file = tmp_path / "pids"
    project = opened(
        ["hang", "hang", "x", "y"], "retrieval.system=command", command(str(file)), "run.timeout_s=1", "run.concurrency=3"
    )
    evaluate(project, store=False)
    project.close()
    assert len(pids(file)) >= 3
    assert all(map(gone, pids(file)))


def test_a_cancel_waits_for_nobody(opened: Opened, tmp_path: Path) -> None:
    file = tmp_path / "pids"
    project = opened(["hang"] * 9, "retrieval.system=command", command(str(file)), "run.timeout_s=600", "run.concurrency=3")

    def progress(stage: str, done: int, total: int) -> None:
        if stage == "asking" and len(pids(file)) == 3:
            raise Cancelled("enough")

    with pytest.raises(Cancelled):
        evaluate(project, store=False, progress=progress)
    assert all(map(gone, pids(file)))


def killed(root: Path, file: Path, number: signal.Signals, *settings: str) -> None:
    """Kill an evaluation while four programs hang."""
    words = [word for setting in (*settings, "run.timeout_s=600") for word in ("--set", setting)]
    running = subprocess.Popen(
        [sys.executable, "-m", "ragtriage_tui", "eval", str(root), "--trust", *words],
        env=os.environ, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    try:
        for _ in range(1500):
            if len(pids(file)) == 4 or running.poll() is not None:
                break
            time.sleep(0.02)
        assert len(pids(file)) == 4
    finally:
        running.send_signal(number)
        running.wait()
    assert all(map(gone, pids(file)))


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_a_kill_leaves_no_hanging_program_behind(opened: Opened, root: Path, tmp_path: Path, number: signal.Signals) -> None:
    opened(["hang"] * 4)
    killed(root, tmp_path / "pids", number, "retrieval.system=command", command(str(tmp_path / "pids")))


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL, signal.SIGINT])
def test_a_kill_leaves_no_function_behind(opened: Opened, root: Path, tmp_path: Path, number: signal.Signals) -> None:
    file = tmp_path / "pids"
    (root / "mine.py").write_text(
        f"import os, time\ndef retrieve(question):\n    open({str(file)!r}, 'a').write(f'{{os.getpid()}}\\n')\n"
        "    time.sleep(3600)\n",
        encoding="utf-8",
    )
    opened(["hang"] * 4)
    python = f"retrieval.python={sys.executable}"
    killed(root, file, number, "retrieval.system=python", "retrieval.callable=mine:retrieve", python)
