"""From a report of the sample to a saved question on a real terminal, from Inbox or from a paste, and through a crash."""

from __future__ import annotations

import json
import shutil
import signal
from pathlib import Path
from typing import Any

import pytest
from tests.tui.pty_session import Session, plain
from tests.tui.test_add_pty import MOST_KEYS, golden, pasted, send

SAMPLE = Path(__file__).resolve().parents[2] / "sample_corpus"


@pytest.fixture
def sample(tmp_path: Path) -> Path:
    """A copy of the sample with its reports in the inbox."""
    from ragtriage.inbox.log import InboxLog
    from ragtriage.inbox.reading import read_reports

    target = tmp_path / "sample"
    target.mkdir()
    for name in ("docs", "evals"):
        shutil.copytree(SAMPLE / name, target / name, ignore=shutil.ignore_patterns("inbox.jsonl", "judgements.jsonl"))
    shutil.copy(SAMPLE / "ragtriage.toml", target / "ragtriage.toml")
    data = (SAMPLE / "bug_reports.jsonl").read_bytes()
    InboxLog(target / "evals" / "inbox.jsonl").add(read_reports(data, "bug_reports.jsonl").reports)
    return target


def app(project: Path, columns: int = 80, rows: int = 24, env: dict[str, str] | None = None) -> Session:
    words = ["-X", "utf8", "-m", "ragtriage_tui", "--set", "retrieval.mode=bm25", str(project)]
    return Session(columns, rows, command=words, env=env)


def ready(session: Session) -> None:
    session.wait_for("measured", 60.0)


def events(project: Path) -> list[dict[str, Any]]:
    lines = (project / "evals" / "inbox.jsonl").read_text(encoding="utf-8").splitlines()
    return [value for value in map(json.loads, lines) if "report" in value]


def test_a_bug_report_of_the_sample_from_the_inbox_to_a_saved_question(sample: Path) -> None:
    before = len(golden(sample))
    with app(sample) as session:
        ready(session)
        keys = 0

        def press(key: str, until: str) -> None:
            nonlocal keys
            keys += 1
            send(session, key, until)

        send(session, "I", "Candidates")
        send(session, "n")
        send(session, "n", "ticket 8815")  # the report that one wants to have
        press("a", "▸   1")
        press(" ", "●")
        press("t", "exact")
        press("s", "today")
        assert keys <= MOST_KEYS
        saved = golden(sample)[-1]
        assert saved["question"] == "what do i do about ERR_4024"
        assert saved["evidence"][0]["doc"] == "terminals/error-codes"
        assert "ERR_4024" in saved["evidence"][0]["quote"]
        assert (saved["source"]["from"], saved["source"]["ref"]) == ("ticket", "8815")
        assert [one["state"] for one in events(sample)] == ["done"]
        send(session, "u", "is open again")
        assert len(golden(sample)) == before
        assert len(events(sample)) == 2
        send(session, "s", "today")
        send(session, "q", "14 reports open")
        send(session, "q", "next failure")
        send(session, "q")
        assert session.wait() == 0
    assert len(golden(sample)) == before + 1


def test_a_bug_report_of_the_sample_pasted(sample: Path) -> None:
    report = json.loads((SAMPLE / "bug_reports.jsonl").read_text(encoding="utf-8").splitlines()[12])
    with app(sample) as session:
        ready(session)
        send(session, "a", "to the results")
        send(session, pasted(report["question"]), "the t210 with")
        send(session, "\r", "t210-safety")
        send(session, " ", "●")
        send(session, "s", "today")  # five keys
    assert golden(sample)[-1]["question"] == report["question"]


def test_a_draft_of_a_report_survives_kill_9(sample: Path) -> None:
    with app(sample) as session:
        ready(session)
        send(session, "I", "Candidates")
        send(session, "a", "▸   1")
        send(session, " ", "●")
        send(session, "/", "to the results")
        send(session, " halfway", "halfway")
        session.kill(signal.SIGKILL)
    with app(sample) as session:
        session.wait_for("a on it, goes on", 60.0)
        send(session, "I", "draft kept")
        send(session, "a", "your draft is back")
        assert "halfway" in plain(session.output).decode()
        assert "●" in plain(session.output).decode()
    assert [one["state"] for one in events(sample)] == []


def test_what_it_sends_is_within_the_budget(sample: Path) -> None:
    with app(sample, env={"COLORTERM": "truecolor"}) as session:
        ready(session)
        send(session, "I", "Candidates")
        session.read(1.0)
        sizes = [len(session.send("j", 0.6)) for _ in range(6)]
        assert max(sizes) <= 7_000, sizes
        focus = [len(session.send("\t", 0.5)) for _ in range(4)]
        assert max(focus) <= 15_000, focus
        assert session.read(2.0) == b""


def test_dismissed_and_judged_is_on_disk_after_each_key(sample: Path) -> None:
    with app(sample) as session:
        ready(session)
        send(session, "I", "Candidates")
        send(session, "x", "is dismissed")
        assert [one["state"] for one in events(sample)] == ["dismissed"]
        send(session, "q", "next failure")
        send(session, "C", "it answers too")
        send(session, "k")
        send(session, "x", "is not relevant to")
        lines = (sample / "evals" / "judgements.jsonl").read_text(encoding="utf-8").splitlines()
        assert [json.loads(line)["relevant"] for line in lines] == [False]
        send(session, "u", "is judged as before")
        send(session, "u", "is open again")
    assert len(events(sample)) == 2
