"""Reviewing on a real terminal with the real engine: at most four keys a flip, every verdict on disk before it is shown."""

from __future__ import annotations

import json
import re
import statistics
import subprocess
from pathlib import Path
from typing import Any

import pytest
from tests.tui.pty_session import Session, plain, sequences
from tests.tui.test_add_pty import app, send
from tests.tui.test_pty import ALLOWED, FOCUS_CHANGE, RESTORED, ROW_MOVE, cpu_ticks

MOST_KEYS = 4
FLIPS = 13

_TOWNS = (
    "Tilburg",
    "Utrecht",
    "Leiden",
    "Delft",
    "Breda",
    "Zwolle",
    "Assen",
    "Venlo",
    "Gouda",
    "Hoorn",
    "Almelo",
    "Ede",
    "Goes",
)


def git(root: Path, *words: str) -> None:
    names = {"GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@b", "GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@b"}
    env = {**names, "PATH": "/usr/bin:/bin", "HOME": str(root), "GIT_CONFIG_NOSYSTEM": "1"}
    subprocess.run(["git", *words], cwd=root, env=env, check=True, capture_output=True)


@pytest.fixture
def history(tmp_path: Path) -> Path:
    """Thirteen shops with their opening hours; the branch moves each of the answers behind pages that say more of the words."""
    root = tmp_path / "shops"
    (root / "docs").mkdir(parents=True)
    (root / "evals").mkdir()
    (root / "ragtriage.toml").write_text('[retrieval]\nmode = "bm25"\nk = 2\n', encoding="utf-8")
    questions = []
    for index, town in enumerate(_TOWNS):
        quote = f"The shop in {town} closes at {index + 3} in the afternoon."
        (root / "docs" / f"{town.lower()}.md").write_text(f"# {town}\n\n{quote}\n", encoding="utf-8")
        question = {"qid": f"q{index:03d}", "question": f"when does the shop in {town} close",
                    "evidence": [{"doc": town.lower(), "quote": quote}]}  # fmt: skip
        questions.append(question)
    golden = root / "evals" / "golden.jsonl"
    golden.write_text("".join(json.dumps(question) + "\n" for question in questions), encoding="utf-8")
    git(root, "init", "-q", "--initial-branch=main")
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "Shops")
    git(root, "checkout", "-q", "-b", "more-pages")
    for town in _TOWNS:
        for number in range(3):
            text = f"# Shop {town}\n\nShop {town}, shop {town}: when does the shop in {town} close? Number {number}.\n"
            (root / "docs" / f"{town.lower()}-{number}.md").write_text(text, encoding="utf-8")
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "More pages")
    return root


def verdicts(root: Path) -> list[dict[str, Any]]:
    path = root / "evals" / "verdicts.jsonl"
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()] if path.exists() else []


def press(session: Session, root: Path, keys: str, shown: str, *, lines: int) -> int:
    """Type keys until `shown` is on its way; the verdict is on disk by then. Returns how many keys that were."""
    send(session, keys, shown)
    assert len(verdicts(root)) == lines
    return len(keys)


def test_thirteen_flips_in_at_most_four_keys_each(history: Path) -> None:
    with app(history) as session:
        session.wait_for("next failure")
        send(session, "R", "0 of 13 done")
        status = subprocess.run(["git", "status", "--porcelain"], cwd=history, capture_output=True, check=True).stdout
        assert status == b""
        assert verdicts(history) == []
        keys: list[int] = []
        for number in range(FLIPS):
            qid = f"q{number:03d}"
            step = "" if number == 0 else "n"
            if number == 1:  # the first one that is intended has to say why
                send(session, "ni", "intended for 90 days, since")
                used = press(session, history, "\x15more pages are wanted\r", f"{qid} is intended until", lines=number + 1)
                keys.append(used - len("more pages are wanted") + 2)
                event = verdicts(history)[-1]
                assert (event["decision"], event["note"]) == ("intended", "more pages are wanted")
            elif number == 2:
                keys.append(press(session, history, "ni\r", f"{qid} is intended until", lines=number + 1))
                assert verdicts(history)[-1]["note"] == "more pages are wanted"
            else:
                shown = f"{qid} is now 2" if number < FLIPS - 1 else "13 of 13 reviewed, 2 accepted until"
                keys.append(press(session, history, f"{step}2", shown, lines=number + 1))
                event = verdicts(history)[-1]
                assert (event["qid"], event["category"]) == (qid, "ranked-too-low")
        assert max(keys) <= MOST_KEYS
        assert len(keys) == FLIPS
        session.read()
        assert b"q back" in plain(session.output)[-400:] or b"q back" in plain(session.output)
        send(session, "u", "has no verdict now")
        assert verdicts(history)[-1]["undoes"] == verdicts(history)[12]["id"]
        send(session, "U", "13 of 13 reviewed")
        session.send("qq")
        assert session.wait() == 0
        assert all(mode in session.output for mode in RESTORED)
        assert sequences(session.output) - ALLOWED <= {b"ESC="}
    with app(history, 120, 36) as session:  # what was said is carried forward
        session.wait_for("next failure")
        send(session, "R", "13 of 13 reviewed")


def test_a_kill_right_after_a_key_loses_nothing_that_was_shown(history: Path) -> None:
    with app(history) as session:
        session.wait_for("next failure")
        send(session, "R", "0 of 13 done")
        send(session, "2", "q000 is now 2")
        session.kill(9)
    assert [event["category"] for event in verdicts(history)] == ["ranked-too-low"]
    status = subprocess.run(["git", "stash", "list"], cwd=history, capture_output=True, check=True).stdout
    assert status == b""


def test_without_git_it_says_so_and_goes_back(project: Path) -> None:
    with app(project) as session:
        session.wait_for("next failure")
        send(session, "R", "git")
        session.read()
        assert b"try again" in plain(session.output)
        send(session, "q", "next failure")
        session.send("q")
        assert session.wait() == 0
        assert b"Traceback" not in session.output


def test_read_only_shows_the_flips_and_writes_nothing(history: Path) -> None:
    command = ["-X", "utf8", "-m", "ragtriage_tui", "--read-only", str(history)]
    with Session(command=command) as session:
        session.wait_for("next failure")
        send(session, "R", "0 of 13 done")
        send(session, "2", "nothing is written")
        send(session, "q", "next failure")
        session.send("q")
        assert session.wait() == 0
    assert verdicts(history) == []
    assert not (history / ".ragtriage").exists()


def test_moves_and_keys_stay_inside_the_byte_budget_and_idle_sends_nothing(home: Path) -> None:
    with Session() as session:
        session.wait_for("next failure")
        send(session, "R", "0 of 7 done")
        session.read()
        moves = [len(session.send(key)) for key in "jjjjjjkkkk"]
        assert max(moves) <= ROW_MOVE
        assert statistics.median(moves) <= 4_000
        assert max(len(session.send("\t")) for _ in range(8)) <= min(FOCUS_CHANGE, 2_500)
        assert max(len(session.send(key)) for key in "L2uU") <= 4_500
        before = cpu_ticks(session.pid)
        assert session.read(2.0, 2.5) == b""
        assert cpu_ticks(session.pid) - before <= 2
        session.send("qqq")
        assert session.wait() == 0


@pytest.mark.parametrize(("columns", "rows"), [(40, 10), (60, 15), (120, 36)])
def test_other_sizes_are_quiet_too(home: Path, columns: int, rows: int) -> None:
    with Session(columns, rows) as session:
        session.wait_for("keys")
        send(session, "R", "q002" if columns == 120 else "flip")
        session.read()
        session.send("n\tj\tjv]vzq")
        assert session.read(1.0, 1.5) == b""


def test_without_colour_and_in_ascii_it_reads_as_well(home: Path) -> None:
    with Session(env={"NO_COLOR": "1"}) as session:
        session.wait_for("next failure")
        sent = session.send("R", 0.6) + session.send("2n")
        codes = {int(code) for found in re.findall(rb"\x1b\[([0-9;]*)m", sent) for code in found.split(b";") if code}
        assert codes <= {0, 1, 2, 4, 7, 39, 49}
        assert "✗ broken".encode() in plain(sent)
    from tests.tui.pty_session import SHOW

    with Session(env={"TERM": "linux"}, command=[str(SHOW), "--ascii"]) as session:
        session.wait_for("next failure")
        session.send("R", 0.6)
        session.send("nvv")
        assert session.output.isascii()
        assert b"x broken" in plain(session.output)
        assert b"evidence 2 > 7" in plain(session.output)


def test_the_demo_history_is_reviewed_in_few_keys(tmp_path: Path) -> None:
    from ragtriage_tui.demo_history import build_history

    root = tmp_path / "review"
    build_history(root)
    with app(root, 120, 36) as session:
        session.wait_for("next failure")
        send(session, "R", "0 of 8 reviewed")
        used = 0
        for number in range(1, 9):
            keys = ("" if number == 1 else "n") + ("i\r" if number % 2 else "2")
            shown = f"{number} of 8 reviewed" if number == 8 else "is intended until" if number % 2 else "is now 2"
            used += press(session, root, keys, shown, lines=number)
        assert used <= 8 * MOST_KEYS
        session.read()
        assert "✓ 8 of 8 reviewed, 4 accepted until".encode() in plain(session.output)
        session.send("qq")
        assert session.wait() == 0
    assert len({event["qid"] for event in verdicts(root)}) == 8
