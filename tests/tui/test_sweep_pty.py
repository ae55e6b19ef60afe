"""Sweep and What if on a real terminal with the real engine: rows while one waits, the file after Y, undo, and bytes."""

from __future__ import annotations

import statistics
from pathlib import Path

import pytest
from tests.engine.experiments.projects import make
from tests.tui.pty_session import SHOW, Session, plain, sequences
from tests.tui.test_add_pty import app, send
from tests.tui.test_pty import ALLOWED, FOCUS_CHANGE, RESTORED, ROW_MOVE, cpu_ticks

CONFIG = (
    '# ours\n[chunking]\nsize = 10 # tokens\n\n[retrieval]\nmode = "bm25"\nk = 3\npool = 20\n\n[sweep]\nsize = [10, 40, 400]\n'
)


@pytest.fixture
def pages(tmp_path: Path, home: Path) -> Path:
    make(tmp_path / "pages", config=CONFIG).close()
    return tmp_path / "pages"


def test_a_sweep_is_measured_and_its_best_row_used_and_undone(pages: Path) -> None:
    file = pages / "ragtriage.toml"
    with app(pages) as session:
        session.wait_for("next failure")
        send(session, "S", "ctrl+r measures the 3 configurations of [sweep].")
        send(session, "\x12", "configurations measured")
        assert b"recursive(size=400)" in plain(session.output)
        send(session, "g", "won, 0 lost")
        send(session, "s", "to ragtriage.toml?   Y do it")
        assert file.read_text() == CONFIG
        send(session, "n", "compare")
        assert file.read_text() == CONFIG
        send(session, "s", "Y do it")
        send(session, "Y", "chunking.size 10 → 400")
        assert file.read_text() == CONFIG.replace("size = 10 #", "size = 400 #")
        send(session, "u", "ragtriage.toml is as before")
        assert file.read_text() == CONFIG
        send(session, "v", "by tokens of context")
        send(session, "vv\r", "Failures")
        send(session, "\x1b", "compare")
        session.send("qq")
        assert session.wait() == 0
        assert all(mode in session.output for mode in RESTORED)


def test_w_shows_levers_for_a_question_and_q_comes_back(pages: Path) -> None:
    with app(pages) as session:
        session.wait_for("next failure")
        send(session, "nw", "Advice")
        assert b"small to big" in plain(session.output)
        send(session, "q", "Causes")
        session.send("q")
        assert session.wait() == 0


def test_sweep_stays_inside_the_byte_budget_and_idle_sends_nothing(home: Path) -> None:
    with Session() as session:
        session.wait_for("next failure")
        session.send("S")
        moves = [len(session.send(key)) for key in "jjjjkkkk"]
        assert max(moves) <= ROW_MOVE
        assert statistics.median(moves) <= 5_000
        assert max(len(session.send("\t")) for _ in range(4)) <= min(FOCUS_CHANGE, 3_000)
        assert max(len(session.send(key)) for key in "][") <= ROW_MOVE
        before = cpu_ticks(session.pid)
        assert session.read(2.0, 2.5) == b""
        assert cpu_ticks(session.pid) - before <= 2
        session.send("q")
        session.send("nw")
        before = cpu_ticks(session.pid)
        assert session.read(1.0, 1.5) == b""
        session.send("qq")
        assert session.wait() == 0


@pytest.mark.parametrize("size", [(120, 36), (60, 15), (40, 12)])
def test_idle_is_quiet_at_other_sizes(size: tuple[int, int], home: Path) -> None:
    with Session(*size) as session:
        session.wait_for("long till")
        session.send("Sj")
        session.send("v\t")
        assert session.read(1.5, 2.0) == b""
        session.send("q" * 5)  # out of the pane, the chart, the screen, the app
        assert session.wait() == 0


def test_without_colour_and_in_ascii_every_mark_reads(home: Path) -> None:
    with Session(120, 36, env={"NO_COLOR": "1"}) as session:
        session.wait_for("next failure")
        sent = plain(session.send("S") + session.read(0.5))
        assert "▸* small_to_big".encode() in sent
        assert "■ ".encode() in sent
    with Session(120, 36, env={"TERM": "linux"}, command=[str(SHOW), "--ascii"]) as session:
        session.wait_for("next failure")
        session.send("S")
        session.send("jv")
        session.send("qnw")
        assert session.output.isascii()
        assert b"# recursive(size=128,overlap=0)" in plain(session.output)
        assert sequences(session.output) - ALLOWED <= {b"ESC="}
