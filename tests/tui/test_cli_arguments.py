"""What the command line makes of its words, before any project is opened."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from ragtriage_tui import cli
from ragtriage_tui.call import clean, parse_groups
from ragtriage_tui.commands import COMMANDS


@pytest.mark.parametrize(
    ("words", "command", "rest"),
    [
        (["eval"], "eval", []),
        (["eval", "docs", "--json"], "eval", ["docs", "--json"]),
        (["-C", "eval", "--json", "search", "q"], "search", ["-C", "eval", "--json", "q"]),
        (["--set", "eval", "runs", "list"], "runs", ["--set", "eval", "list"]),
        (["--set=retrieval.k=3", "eval"], "eval", ["--set=retrieval.k=3"]),
        (["--as", "find", "find", "x"], "find", ["--as", "find", "x"]),
        (["folder", "eval"], None, ["folder", "eval"]),
        (["./eval"], None, ["./eval"]),
        (["--", "eval"], None, ["--", "eval"]),
        ([], None, []),
    ],
)
def test_the_command_is_the_first_word_that_is_no_option(words: list[str], command: str | None, rest: list[str]) -> None:
    assert cli._split(words) == (command, rest)


def test_help_lists_every_command_with_its_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["--help"]) == 0
    shown = capsys.readouterr().out
    for name, line in COMMANDS.items():
        assert re.search(rf"^  {name} +{re.escape(line)}$", shown, re.MULTILINE)


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_explains_itself(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main([command, "--help"]) == 0
    assert f"usage: ragtriage {command}" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["evla"], "did you mean ragtriage eval?"),
        (["no/such/folder"], "neither a command nor a folder"),
        (["eval", "--bogus"], "unrecognized arguments: --bogus"),
        (["eval", "--mode", "psychic"], "invalid choice: 'psychic'"),
        (["search"], "QUESTION"),
        (["-C"], "expected one argument"),
        (["eval", "--js"], "unrecognized arguments: --js; did you mean --json?"),
        (["find", "x", "--regexp=y"], "--regexp=y; did you mean --regex?"),
        (["folder", "eval"], "the command comes first: ragtriage eval"),
    ],
)
def test_a_wrong_word_is_one_message_and_exit_code_2(words: list[str], says: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(words) == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert says in shown.err
    assert shown.err.startswith("ragtriage: ")
    assert "Traceback" not in shown.err


def test_groups_are_separated_by_commas() -> None:
    assert parse_groups(None) is None
    assert parse_groups("") == ()
    assert parse_groups(" staff, legal ,") == ("staff", "legal")
    assert parse_groups("*") == ("*",)


def test_bytes_that_are_no_text_become_replacement_characters() -> None:
    assert clean("a" + os.fsdecode(b"\xff") + "é😀") == "a\ufffdé😀"


def test_an_unforeseen_error_is_one_line_with_the_place_of_its_details(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from ragtriage_tui.commands import find

    def broken(call: object) -> int:
        secret = "hunter2"
        raise ZeroDivisionError(f"{len(secret)} is not enough")

    monkeypatch.setattr(find, "run", broken)
    assert cli.main(["find", "x"]) == 2
    shown = capsys.readouterr()
    log = home / "state" / "ragtriage.log"
    assert shown.err == f"ragtriage: unexpected ZeroDivisionError: 7 is not enough\nThe details are in {log}\n"
    assert "Traceback" in log.read_text(encoding="utf-8")
    assert "hunter2" not in log.read_text(encoding="utf-8").replace('secret = "hunter2"', "")
    assert cli.main(["find", "x", "--verbose"]) == 2
    assert "Traceback" in capsys.readouterr().err


def test_verbose_says_where_an_error_came_from(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["-C", str(tmp_path), "eval"]) == 2
    assert "Traceback" not in capsys.readouterr().err
    assert cli.main(["-C", str(tmp_path), "eval", "--verbose"]) == 2
    assert "Traceback" in capsys.readouterr().err


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-", ">/dev/full", "2>/dev/full"])
def test_streams_that_are_closed_or_full_cause_no_traceback(closed: str, tmp_path: Path) -> None:
    for words in ("--help", "eval"):
        command = f"{sys.executable} -m ragtriage_tui {words} {closed}"
        done = subprocess.run(["bash", "-c", command], cwd=tmp_path, capture_output=True, encoding="utf-8")
        assert done.returncode in (0, 2)
        assert "Traceback" not in done.stderr + done.stdout
        assert "Exception ignored" not in done.stderr


def test_interrupted_is_130(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    from ragtriage_tui.commands import find

    def stopped(call: object) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr(find, "run", stopped)
    assert cli.main(["find", "x"]) == 130
    assert "interrupted" in capsys.readouterr().err


def test_help_needs_neither_engine_nor_terminal_libraries() -> None:
    code = (
        "import sys; from ragtriage_tui.cli import main; main(['--help'])\n"
        "heavy = {'numpy', 'orjson', 'rich', 'textual', 'tantivy', 'usearch', 'torch', 'logging', 'platformdirs'}\n"
        "heavy &= set(sys.modules)\n"
        "sys.exit(' '.join(sorted(heavy)) or 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, encoding="utf-8")
    assert (done.returncode, done.stderr) == (0, "")
