"""`ragtriage trust`: all of it is shown, and only a `Y` on the terminal, or --yes, agrees."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from tests.trusting import nothing_agreed
from tests.tui.pty_session import Session

from ragtriage import trust
from ragtriage.config_file import load_config
from ragtriage_tui import cli

__all__ = ["nothing_agreed"]

CONFIG = """
[answers]
generator = "command"
command = ["./gen.py", "--as", "\\u202e\\n"]
[judge]
provider = "openai"
model = "m"
base_url = "http://127.0.0.1:8091"
api_key_env = "AWS_SECRET_ACCESS_KEY"
"""
SENDS = "judge: sends questions, passages and answers to http://127.0.0.1:8091, with the key in $AWS_SECRET_ACCESS_KEY"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    (folder / "docs").mkdir(parents=True)
    (folder / "gen.py").write_text("#!/bin/sh\n", encoding="utf-8")
    (folder / "ragtriage.toml").write_text(CONFIG, encoding="utf-8")
    return folder


def pending(root: Path) -> int:
    return len(trust.untrusted(root, load_config(root / "ragtriage.toml")))


def document(capsys: pytest.CaptureFixture[str], *words: str | Path, code: int = 0) -> Any:
    capsys.readouterr()
    assert cli.main([*map(str, words), "--json"]) == code
    return json.loads(capsys.readouterr().out)


def test_without_a_terminal_all_is_shown_and_nothing_agreed(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["trust", str(root)]) == 2
    shown = capsys.readouterr()
    assert f"  {SENDS}\n" in shown.out
    assert f'  answers: runs a program in {root}: ["./gen.py", "--as", "\\u202e\\n"]; "./gen.py" is sha256 ' in shown.out
    assert shown.err == ("ragtriage: nothing was agreed to: there is no terminal to ask on; --yes agrees to all of this\n")
    assert pending(root) == 2
    assert not (root.parent / "home").exists()


def test_yes_agrees_to_what_is_shown_once(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["-C", str(root), "trust", "--yes"]) == 0
    assert "not agreed to yet:" in capsys.readouterr().out
    assert pending(root) == 0
    assert cli.main(["-C", str(root), "trust"]) == 0
    shown = capsys.readouterr()
    assert shown.out.startswith("agreed to before:\n")
    assert shown.err == ""
    (root / "gen.py").write_text("#!/bin/sh\nexit\n", encoding="utf-8")
    assert cli.main(["-C", str(root), "trust"]) == 2
    out = capsys.readouterr().out
    assert out.index("agreed to before:") < out.index("judge:") < out.index("not agreed to yet:") < out.index("answers:")


def test_nothing_to_agree_to(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (root / "ragtriage.toml").write_text("", encoding="utf-8")
    assert cli.main(["trust", str(root)]) == 0
    assert "nothing to agree to" in capsys.readouterr().out
    assert document(capsys, "trust", root) == {"format": 1, "root": str(root), "trusted": True, "settings": []}


def test_a_reranking_program_is_agreed_to_before_it_is_in_use(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (root / "ragtriage.toml").write_text('[retrieval]\nrerank_command = ["./gen.py"]\n', encoding="utf-8")
    chosen = load_config(root / "ragtriage.toml", ["retrieval.rerank=command"])
    assert len(trust.untrusted(root, chosen)) == 1
    assert cli.main(["trust", str(root), "--yes"]) == 0
    assert "retrieval: runs a program in" in capsys.readouterr().out
    assert trust.untrusted(root, chosen) == ()
    (root / "ragtriage.toml").write_text('[retrieval]\nrerank_command = [" "]\n', encoding="utf-8")
    assert cli.main(["trust", str(root)]) == 0
    assert "nothing to agree to" in capsys.readouterr().out


def test_json(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = document(capsys, "trust", root, code=2)
    assert (before["trusted"], [one["trusted"] for one in before["settings"]]) == (False, [False, False])
    assert [one["table"] for one in before["settings"]] == ["answers", "judge"]
    assert before["settings"][1]["says"] == SENDS
    after = document(capsys, "trust", root, "--yes")
    assert (after["trusted"], [one["trusted"] for one in after["settings"]]) == (True, [True, True])
    listed = document(capsys, "trust", "--list")
    assert [(one["root"], one["table"]) for one in listed["agreed"]] == [(str(root), "answers"), (str(root), "judge")]
    assert document(capsys, "trust", root, "--revoke") == {"format": 1, "root": str(root), "revoked": 2}
    assert document(capsys, "trust", "--list") == {"format": 1, "agreed": [], "problems": []}


def test_list_and_revoke(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["trust", "--list"]) == 0
    assert capsys.readouterr().out == "Nothing has been agreed to.\n"
    cli.main(["trust", str(root), "--yes"])
    moved = root.rename(root.with_name("moved"))
    assert pending(moved) == 2
    capsys.readouterr()
    assert cli.main(["trust", "--list"]) == 0
    out = capsys.readouterr().out
    assert f"{root} (the folder is gone)\n  judge: sends to 127.0.0.1:8091, key in $AWS_SECRET_ACCESS_KEY\n" in out
    assert cli.main(["trust", "--revoke", str(root)]) == 0  # gone as it is
    assert capsys.readouterr().out == f"2 agreements taken back in {root}\n"


def test_a_broken_configuration_does_not_keep_anybody_from_revoking(root: Path) -> None:
    cli.main(["trust", str(root), "--yes"])
    (root / "ragtriage.toml").write_text("[", encoding="utf-8")
    assert cli.main(["trust", str(root)]) == 2
    assert cli.main(["trust", str(root), "--revoke"]) == 0
    assert trust.agreements()[0] == []


def test_a_broken_trust_file_is_said(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    cli.main(["trust", str(root), "--yes"])
    with trust.trust_file().open("ab") as file:
        file.write(b"\x1b[2J garbage\n")
    capsys.readouterr()
    assert cli.main(["trust", "--list"]) == 2
    shown = capsys.readouterr()
    assert f"{trust.trust_file()}:3: not JSON" in shown.err
    assert "judge: sends to" in shown.out
    assert len(document(capsys, "trust", "--list", code=2)["problems"]) == 1


def test_a_state_folder_that_cannot_be_written_is_one_message(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (root.parent / "home").write_text("a file", encoding="utf-8")
    assert cli.main(["trust", str(root), "--yes"]) == 2
    assert capsys.readouterr().err.startswith("ragtriage: ")


def test_settings_from_the_command_line_are_shown_too(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["trust", str(root), "--set", "judge.base_url=https://other.example"]) == 2
    assert "to https://other.example, with" in capsys.readouterr().out


@pytest.mark.parametrize("words", [["--yes", "--list"], ["--yes", "--revoke"], ["--list", "--revoke"]])
def test_one_thing_at_a_time(words: list[str]) -> None:
    assert cli.main(["trust", *words]) == 2


@pytest.mark.parametrize(
    ("typed", "agrees"),
    [(b"Y\n", True), (b"y\n", False), (b"yes\n", False), (b"Yes\n", False), (b"\n", False), (b"\x04", False)],
)
def test_only_a_capital_y_on_the_terminal_agrees(root: Path, typed: bytes, agrees: bool) -> None:
    home = os.environ["RAGTRIAGE_HOME"]
    with Session(env={"RAGTRIAGE_HOME": home}, command=["-m", "ragtriage_tui", "trust", str(root)]) as session:
        assert b"$AWS_SECRET_ACCESS_KEY" in session.wait_for("Y agrees")
        os.write(session.fd, typed)
        session.wait_for("Agreed." if agrees else "nothing was agreed to")
        assert session.wait() == (0 if agrees else 2)
    assert pending(root) == (0 if agrees else 2)


def test_what_was_typed_before_the_question_is_no_answer(root: Path) -> None:
    home = os.environ["RAGTRIAGE_HOME"]
    with Session(env={"RAGTRIAGE_HOME": home}, command=["-m", "ragtriage_tui", "trust", str(root)]) as session:
        os.write(session.fd, b"Y\nY\n")
        session.wait_for("Y agrees")
        os.write(session.fd, b"\n")
        session.wait_for("nothing was agreed to")
    assert pending(root) == 2
