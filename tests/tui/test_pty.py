"""The app on a real terminal: bytes, signals, sizes, hostile text. Few tests, each with a process of its own."""

from __future__ import annotations

import os
import re
import signal
import statistics
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.tui.pty_session import KEPT, SHOW, Session, plain, sequences

ROW_MOVE, FOCUS_CHANGE = 7_000, 15_000  # the byte budget of the design, at 80x24

# What the app may send: cursor moves, colours, modes of the terminal, window size and key protocol. No OSC, no DCS.
ALLOWED = {b"H", b"m", b"h", b"l", b"p", b"u", b"J", b"K"}

# The modes that leaving must put back: alternate screen, bracketed paste, focus reports.
RESTORED = (b"\x1b[?1049l", b"\x1b[?2004l", b"\x1b[?1004l", b"\x1b[?25h")


@pytest.fixture
def session(home: Path) -> Iterator[Session]:
    with Session() as started:
        started.wait_for("keys")
        yield started


def cpu_ticks(pid: int) -> int:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return int(fields[11]) + int(fields[12])


def test_moves_stay_inside_the_byte_budget_and_idle_sends_nothing(session: Session) -> None:
    moves = [len(session.send(key)) for key in "jjjjjjjjjjjjkkkk"]
    assert max(moves) <= ROW_MOVE
    assert statistics.median(moves) <= 4_000
    focus = [len(session.send("\t")) for _ in range(8)]
    assert max(focus) <= FOCUS_CHANGE
    assert max(focus) <= 2_000
    assert max(len(session.send(key)) for key in "L2uU") <= 3_000
    before = cpu_ticks(session.pid)
    assert session.read(2.0, 2.5) == b""
    assert cpu_ticks(session.pid) - before <= 2
    session.send("q")
    assert session.wait() == 0
    assert all(mode in session.output for mode in RESTORED)


def test_a_held_key_costs_less_than_its_presses(session: Session) -> None:
    alone = len(session.send("j"))
    held = len(session.send("j" * 10))
    assert held < 10 * alone


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGHUP, 129), (signal.SIGINT, 130)])
def test_signals_leave_the_terminal_as_it_was(session: Session, number: int, code: int) -> None:
    session.kill(number)
    session.kill(number)
    assert session.wait() == code
    assert all(mode in session.output for mode in RESTORED)


def test_a_signal_right_after_the_terminal_was_taken_leaves_it_as_it_was(home: Path) -> None:
    with Session() as started:
        while b"\x1b[?1049h" not in started.output:
            started.read(0.005, 0.005)
        started.kill(signal.SIGTERM)
        assert started.wait() == 143
        assert all(mode in started.output for mode in RESTORED)


def test_ctrl_c_twice_leaves(session: Session) -> None:
    assert b"again leaves" in plain(session.send("\x03"))
    session.send("\x03")
    assert session.wait() == 0


def test_an_unforeseen_error_leaves_the_terminal_clean_and_tells_no_secrets(home: Path) -> None:
    with Session(command=[str(SHOW), "--explode"]) as started:
        started.wait_for("keys")
        started.send("z")
        assert started.wait() == 1
        assert all(mode in started.output for mode in RESTORED)
        after = started.output.rpartition(RESTORED[0])[2]
        assert b"ragtriage stopped: unexpected ValueError; the details are in" in after
        assert b"Traceback" not in after
        log = (home / "state" / "ragtriage.log").read_text()
        assert "20 characters" in log
        assert "what the corpus says" not in log.replace('secret = "what the corpus says"', "")


def test_a_lost_terminal_ends_the_app(home: Path) -> None:
    with Session(env={"RAGTRIAGE_HOME": str(home)}) as started:
        started.wait_for("keys")
        os.close(started.fd)
        until = time.monotonic() + 8
        pid = 0
        while not pid and time.monotonic() < until:
            pid, _ = os.waitpid(started.pid, os.WNOHANG)
            time.sleep(0.02)
        started.fd = os.open(os.devnull, os.O_RDONLY)
        assert pid


def test_ctrl_z_and_fg(session: Session) -> None:
    session.send("\x1a")
    until = time.monotonic() + 20
    while (state := Path(f"/proc/{session.pid}/stat").read_text().rpartition(")")[2].split()[0]) != "T":
        assert time.monotonic() < until, state
        session.read(0.1)
    assert RESTORED[0] in session.output
    session.kill(signal.SIGCONT)
    assert b"next failure" in plain(session.wait_for("next failure"))
    session.send("q")
    assert session.wait() == 0


def test_ctrl_c_in_the_pager_is_the_pagers(home: Path) -> None:
    script = "trap : INT QUIT; echo paging; for n in 1 2 3; do read line; done"
    with Session(env={"PAGER": f"sh -c '{script}'"}) as started:
        started.wait_for("keys")
        os.write(started.fd, b"o")
        started.wait_for("paging")
        for keys in ("\x03", "\x03", "\x1c"):  # each ends a read
            started.send(keys)
        started.send("j")
        assert b"ragtriage stopped" not in started.output
        started.send("q")
        assert started.wait() == 0
        assert b"Traceback" not in started.output


def test_keys_right_behind_one_that_opens_a_screen_are_for_that_screen(session: Session) -> None:
    before = session.output
    sent = plain(session.send(":e2"))
    assert b"enter do it" in sent
    assert b"e2" in sent
    session.send("\x1b")
    assert b"is now 2" not in session.output[len(before) :]
    session.send("q")
    assert session.wait() == 0


def test_keys_right_after_the_palette_are_not_what_stops_the_app(session: Session) -> None:
    for _ in range(20):
        os.write(session.fd, b":undo\rjjj:next fail\rjj")
    session.read()
    session.send("\x1b")
    session.send("q")
    assert session.wait() == 0


@pytest.mark.parametrize(("columns", "rows"), [(40, 12), (60, 15), (200, 50)])
def test_other_sizes_are_quiet_too(home: Path, columns: int, rows: int) -> None:
    with Session(columns, rows) as started:
        started.wait_for("keys")
        assert started.read(1.0, 1.5) == b""
        started.send("j\t\tz")
        assert started.read(1.0, 1.5) == b""
        started.send("qq")  # out of the zoom, and out
        assert started.wait() == 0


def test_a_terminal_that_is_too_small_says_so_and_takes_only_q(home: Path) -> None:
    with Session(38, 9) as started:
        started.wait_for("Too small: 38x9, needs 40x10")
        assert started.send("j2n?") == b""
        started.resize(80, 24)
        assert b"12 failing" in plain(started.wait_for("12 failing"))
        started.resize(38, 9)
        started.wait_for("Too small")
        started.send("q")
        assert started.wait() == 0


def test_exported_columns_are_not_the_terminals(home: Path) -> None:
    with Session(env={"COLUMNS": "10", "LINES": "5"}) as started:
        started.wait_for("next failure")
        started.resize(38, 9)
        started.wait_for("Too small: 38x9")
        started.send("q")
        assert started.wait() == 0


def test_hostile_text_reaches_the_terminal_as_text(home: Path) -> None:
    with Session(120, 36, command=[str(SHOW), "--hostile"]) as started:
        started.wait_for("keys")
        for keys in (*"jn\t\t\tzzvCv?q", "/[red", "\r", "\x1b", ":", "\x1b", "+", "2"):
            started.send(keys, 0.15)
        started.send("/\x1b[200~\x1b]52;c;aGk=\x07\u202e[/x]\x1b[201~")
        started.send("\x1b")
        started.send("q")
        assert started.wait() == 0
        assert sequences(started.output) - ALLOWED <= {b"ESC="}
        text = plain(started.output)
        assert not {0, 7, 8, 0x7F} & set(text)
        assert "\u202e".encode() not in text
        assert b"[red]no[/]" in text


def test_without_colour_only_plain_attributes_are_sent(home: Path) -> None:
    with Session(env={"NO_COLOR": "1"}) as started:
        sent = started.wait_for("keys") + started.send("jjjn\t2u?q")
        codes = {int(code) for found in re.findall(rb"\x1b\[([0-9;]*)m", sent) for code in found.split(b";") if code}
        assert codes <= {0, 1, 2, 4, 7, 39, 49}


def test_a_console_of_16_colours_gets_no_more(home: Path) -> None:
    with Session(env={"TERM": "linux"}) as started:
        sent = started.wait_for("keys") + started.send("jjjn\t2u")
        assert b"38;5" not in sent
        assert b"38;2" not in sent


def test_256_colours_are_sent_as_such(home: Path) -> None:
    with Session(env={"COLORTERM": "truecolor"}) as started:
        sent = started.wait_for("keys")
        assert b"38;5" in sent
        assert b"38;2" not in sent


def test_a_session_takes_nothing_from_the_environment_of_the_tests(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("TEXTUAL_COLOR_SYSTEM", "ESCDELAY", "COLUMNS", "NO_COLOR", "TERM_PROGRAM"):
        monkeypatch.setenv(name, "1")
    with Session(command=["-c", "import os; print(*sorted(os.environ))"]) as started:
        assert started.wait() == 0
        names = set(plain(started.output).decode().split())
    assert names - set(KEPT) <= {"TERM", "LANG", "PYTHONDONTWRITEBYTECODE", "LC_CTYPE"}
    assert "RAGTRIAGE_HOME" in names


def test_ascii_is_all_ascii(home: Path) -> None:
    with Session(env={"TERM": "linux"}, command=[str(SHOW), "--ascii"]) as started:
        started.wait_for("keys")
        for keys in ("jjj", "\t", "n", "2", "?", "q"):
            started.send(keys, 0.15)
        assert started.output.isascii()
        assert b" 2? can i send the term~" in plain(started.output)


def test_the_mouse_is_off_unless_asked_for(home: Path, session: Session) -> None:
    assert b"\x1b[?1000h" not in session.output
    with Session(command=[str(SHOW), "--mouse"]) as started:
        started.wait_for("keys")
        assert b"\x1b[?1000h" in started.output
        sent = started.send("\x1b[<0;10;6M\x1b[<0;10;6m")
        assert b"q021" in plain(sent)
        started.kill(signal.SIGTERM)
        assert started.wait() == 143
        assert b"\x1b[?1000l" in started.output
