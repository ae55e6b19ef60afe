"""The judging queue on a real terminal with the real engine: what is on disk after each key, undo, and bytes."""

from __future__ import annotations

import json
import statistics
from pathlib import Path
from typing import Any

from tests.tui.pty_session import SHOW, Session, plain, sequences
from tests.tui.test_add_pty import app, send
from tests.tui.test_pty import ALLOWED, FOCUS_CHANGE, RESTORED, ROW_MOVE, cpu_ticks

from ragtriage_tui.answer_views import AXES


def reviews(project: Path) -> list[dict[str, Any]]:
    path = project / "evals" / "reviews.jsonl"
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()] if path.exists() else []


def said(project: Path) -> list[bool | None]:
    """What the newest event says on each axis."""
    return [reviews(project)[-1][axis] for axis in AXES]


def test_each_key_is_on_disk_when_it_is_shown_and_the_next_answer_comes(project: Path) -> None:
    with app(project) as session:
        session.wait_for("next failure")
        send(session, "J", "yes, no, unsure")
        total = int(plain(session.output).decode(errors="replace").rpartition(" judged")[0].split()[-1])
        assert total >= 3
        assert reviews(project) == []
        for number, (key, shown, values) in enumerate(
            (
                ("1", "1 correct yes", [True, None, None, None, None]),
                ("2", "2 grounded yes", [True, True, None, None, None]),
                ("2", "2 grounded no", [True, False, None, None, None]),
                ("3", "3 cited yes", [True, False, True, None, None]),
                ("3", "3 cited no", [True, False, False, None, None]),
                ("3", "3 cited unsure", [True, False, "unsure", None, None]),
                ("4", "4 honest yes", [True, False, "unsure", True, None]),
                ("5", "is judged: yes, no, unsure, yes, yes", [True, False, "unsure", True, True]),
            ),
            start=1,
        ):
            send(session, key, shown)
            assert len(reviews(project)) == number
            assert said(project) == values
        session.read()
        assert f"1 of {total} judged".encode() in plain(session.output)
        first = reviews(project)[-1]["answer_sha"]
        send(session, "1", "1 correct yes")
        assert reviews(project)[-1]["answer_sha"] != first
        send(session, "u", "is not judged now")
        send(session, "u", "again")
        assert reviews(project)[-1]["undoes"] == reviews(project)[7]["id"]
        send(session, "5", "is judged:")
        assert len(reviews(project)) == 12
        send(session, "lwhy\r", "note kept")
        assert reviews(project)[-1]["note"] == "why"
        session.send("qq")
        assert session.wait() == 0
        assert all(mode in session.output for mode in RESTORED)
    with app(project) as session:
        session.wait_for("next failure")
        send(session, "J", f"1 of {total} judged")


def test_p_has_the_question_under_the_cursor_answered(project: Path) -> None:
    with app(project) as session:
        session.wait_for("next failure")
        send(session, "p", "answered: oracle")
        assert b"stand-in" in plain(session.output)
        send(session, "J", "yes, no, unsure")
        send(session, "\r", "start a quote")
        send(session, "J", "yes, no, unsure")  # back to the one that is open, not another one on top
        session.send("qq")
        assert session.wait() == 0


def test_a_kill_right_after_a_key_loses_nothing_that_was_shown(project: Path) -> None:
    with app(project) as session:
        session.wait_for("next failure")
        send(session, "J", "yes, no, unsure")
        send(session, "1", "1 correct yes")
        session.kill(9)
    assert said(project)[0] is True


def test_moves_and_keys_stay_inside_the_byte_budget_and_idle_sends_nothing(home: Path) -> None:
    with Session() as session:
        session.wait_for("next failure")
        session.send("J")
        moves = [len(session.send(key)) for key in "jjjjkkkk"]
        assert max(moves) <= ROW_MOVE
        assert statistics.median(moves) <= 4_000
        assert max(len(session.send("\t")) for _ in range(6)) <= min(FOCUS_CHANGE, 2_000)
        assert max(len(session.send(key)) for key in "1223u") <= 3_000
        assert max(len(session.send(key)) for key in "[]") <= 3_000
        before = cpu_ticks(session.pid)
        assert session.read(2.0, 2.5) == b""
        assert cpu_ticks(session.pid) - before <= 2
        session.send("qq")
        assert session.wait() == 0


def test_without_colour_and_in_ascii_it_can_be_done_as_well(home: Path) -> None:
    with Session(env={"NO_COLOR": "1"}) as session:
        session.wait_for("next failure")
        sent = plain(session.send("J") + session.send("1") + session.send("22"))
        assert "✓ yes".encode() in sent
        assert "✗ no".encode() in sent
    with Session(env={"TERM": "linux"}, command=[str(SHOW), "--ascii"]) as session:
        session.wait_for("next failure")
        session.send("J")
        session.send("1")
        session.send("22zq")
        assert session.output.isascii()
        assert b"x no" in plain(session.output)
        assert sequences(session.output) - ALLOWED <= {b"ESC="}
