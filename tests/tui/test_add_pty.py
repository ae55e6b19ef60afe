"""From the key `a` to a saved question on a real terminal with the real engine, and a draft that survives kill -9."""

from __future__ import annotations

import json
import signal
from pathlib import Path
from typing import Any

from tests.tui.pty_session import Session, plain

REPORT = "hello, bought this last week.\nuntil when can i send the goods back?"
MOST_KEYS = 12


def golden(project: Path) -> list[dict[str, Any]]:
    lines = (project / "evals" / "golden.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def app(project: Path, columns: int = 80, rows: int = 24) -> Session:
    return Session(columns, rows, command=["-X", "utf8", "-m", "ragtriage_tui", str(project)])


def send(session: Session, keys: str, until: str = "") -> None:
    """Type keys and read until `until` is on its way."""
    before = len(session.output)
    session.send(keys, 0.2)
    for _ in range(200):
        if until.encode() in plain(session.output[before:]):
            return
        session.read(0.1, 0.2)
    raise AssertionError(f"{until!r} was not sent; got {plain(session.output[before:])[-1500:]!r}")


def pasted(text: str) -> str:
    return f"\x1b[200~{text}\x1b[201~"


def test_a_report_becomes_a_saved_question_in_few_keys(project: Path) -> None:
    with app(project) as session:
        session.wait_for("next failure")
        keys = 0

        def press(key: str, until: str) -> None:
            nonlocal keys
            keys += 1
            send(session, key, until)

        press("a", "to the results")
        send(session, pasted(REPORT), "goods back?")
        press("\r", "refunds#")
        press(" ", "●")
        press("m", "Tab adds")
        press("\t", "30 days")
        press("\r", "evidence")
        press("s", "today")
        assert keys <= MOST_KEYS
        saved = golden(project)[-1]
        assert saved["question"] == REPORT
        assert saved["evidence"][0]["doc"] == "refunds"
        assert saved["answer_must_mention"] == ["30 days"]
        send(session, "u", "not saved yet")
        assert len(golden(project)) == 5
        send(session, "q", "draft kept")
        send(session, "q")
        assert session.wait() == 0


def test_a_draft_survives_kill_9(project: Path) -> None:
    with app(project) as session:
        session.wait_for("next failure")
        send(session, "a", "to the results")
        send(session, pasted("half a ques"), "half a ques")
        send(session, "tion", "n")
        session.kill(signal.SIGKILL)
    with app(project) as session:
        session.wait_for("a goes on with it")
        send(session, "a", "half a question")


def test_hostile_documents_send_no_escapes_from_these_screens(project: Path) -> None:
    (project / "docs" / "bad.md").write_text("# bad \x1b]52;c;aGk=\x07\n\nsend goods \x1b[2J back [/x]\n", encoding="utf-8")
    with app(project) as session:
        session.wait_for("next failure")
        send(session, "F", "Documents")
        send(session, "send goods", "Matches")
        send(session, "\r")
        send(session, "\r", "chunk 1")
        send(session, "q")
        send(session, "q", "next failure")
        send(session, "a", "to the results")
        send(session, pasted("send goods \x1b]52;c;aGk=\x07 back"), "back")
        send(session, "\r", "bad#1")
        send(session, " ")
        send(session, "\r", "start a quote")
        assert b"\x1b]52" not in session.output
        assert b"\x1b[2J back" not in session.output
