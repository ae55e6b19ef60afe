"""`ragtriage add`: from a report of the inbox, from standard input, from the editor."""

from __future__ import annotations

import json
import os
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from tests.tui.conftest import Command
from tests.tui.pty_session import Session, plain

from ragtriage_tui.commands.add import _embedding_said

ROWS: list[dict[str, Any]] = [
    {"from": "ticket", "ref": "8812", "text": "Hello. Until when can I send the goods back?", "answer": "14 days"},
    {"from": "synthetic", "ref": "7", "question": "Who pays the customs duties of a parcel?"},
    {
        "ref": "9",
        "from": "log",
        "question": "when is it delivered",
        "reference": "in two to four days",
        "must_mention": ["four"],
    },
]
QUOTE = ("--quote", "refunds", "within 30 days")


@pytest.fixture
def inbox(ragtriage: Command, project: Path) -> Path:
    (project / "reports.jsonl").write_text("".join(json.dumps(row) + "\n" for row in ROWS), encoding="utf-8")
    assert ragtriage("import", "reports.jsonl").code == 0
    return project / "evals" / "inbox.jsonl"


def states(ragtriage: Command) -> list[tuple[str, str | None]]:
    return [(row["state"], row["qid"]) for row in ragtriage("inbox", "--state", "all", "--json").json["reports"]]


def saved(project: Path) -> dict[str, Any]:
    line: dict[str, Any] = json.loads((project / "evals" / "golden.jsonl").read_text(encoding="utf-8").splitlines()[-1])
    return line


def test_a_report_becomes_a_question_and_is_done(ragtriage: Command, inbox: Path, project: Path) -> None:
    done = ragtriage("add", "--report", "8812", *QUOTE)
    assert done.code == 0, done.err
    line = saved(project)
    assert line["question"] == "Until when can I send the goods back?"
    assert line["source"] == {"from": "ticket", "ref": "8812", "text": "Hello. Until when can I send the goods back?"}
    assert " is done: " in done.out
    assert states(ragtriage)[0] == ("done", line["qid"])
    again = ragtriage("add", "--report", "8812", *QUOTE)
    assert again.code == 2
    assert f"is {line['qid']} already; ragtriage inbox undo takes that back" in again.err
    assert ragtriage("inbox", "undo").code == 0
    assert states(ragtriage)[0] == ("open", None)


def test_another_wording_keeps_the_first_one(ragtriage: Command, inbox: Path, project: Path) -> None:
    done = ragtriage("add", "for how long can i return it", "--report", "8812", *QUOTE, "--json")
    assert done.json["report"].startswith("r-")
    assert done.json["question"]["source"]["text"] == "Hello. Until when can I send the goods back?"


def test_what_a_dataset_says_comes_along(ragtriage: Command, inbox: Path, project: Path) -> None:
    assert ragtriage("add", "--report", "9", "--evidence", "shipping").code == 0
    line = saved(project)
    assert line["expected_answer"] == "in two to four days"
    assert line["answer_must_mention"] == ["four"]


def test_what_a_model_wrote_is_not_taken_as_it_is(ragtriage: Command, inbox: Path, project: Path) -> None:
    before = (project / "evals" / "golden.jsonl").read_bytes()
    done = ragtriage("add", "--report", "7", "--evidence", "shipping#abroad")
    assert done.code == 2
    assert "a model wrote this question: put it as a user would" in done.err
    assert (project / "evals" / "golden.jsonl").read_bytes() == before
    assert states(ragtriage)[1] == ("open", None)
    assert ragtriage("add", "do i pay customs", "--report", "7", "--evidence", "shipping#abroad").code == 0


def test_a_report_that_is_not_there_and_options_that_say_it_twice(ragtriage: Command, inbox: Path) -> None:
    assert "no such report" in ragtriage("add", "--report", "r-zzzzzz", *QUOTE).err
    assert "leave --from out" in ragtriage("add", "--report", "8812", "--from", "chat", *QUOTE).err
    assert "leave --ref out" in ragtriage("add", "--report", "8812", "--ref", "1", *QUOTE).err


def test_a_dash_is_standard_input(ragtriage: Command, project: Path) -> None:
    assert ragtriage("add", "-", *QUOTE, stdin="until when\n").code == 0
    assert saved(project)["question"] == "until when"
    assert "the question is empty" in ragtriage("add", "-", *QUOTE).err


def test_in_a_terminal_the_editor_is_asked(project: Path, tmp_path: Path) -> None:
    editor = tmp_path / "editor"
    editor.write_text("#!/bin/sh\necho 'until when can it go back' > \"$1\"\n", encoding="utf-8")
    editor.chmod(0o755)
    words = ["-X", "utf8", "-m", "ragtriage_tui", "-C", str(project), "add", *QUOTE]
    with Session(120, 30, env={"EDITOR": str(editor), "PATH": os.environ["PATH"]}, command=words) as session:
        assert session.wait(20.0) == 0, plain(session.output)
    assert saved(project)["question"] == "until when can it go back"
    editor.write_text("#!/bin/sh\nexit 1\n", encoding="utf-8")
    with Session(120, 30, env={"EDITOR": str(editor), "PATH": os.environ["PATH"]}, command=words) as session:
        assert session.wait(20.0) == 2
    assert b"the editor left with an error; nothing was added" in plain(session.output)


def test_a_mention_that_the_evidence_does_not_say_is_said(ragtriage: Command, project: Path) -> None:
    done = ragtriage("add", "until when", *QUOTE, "--mention", "30 days", "--mention", "48 hours")
    assert done.code == 0
    qid = saved(project)["qid"]
    assert f"! {qid} mentions “48 hours”, which its evidence does not say: " in done.err
    assert "30 days" not in done.err


def test_that_the_model_starts_is_said_once() -> None:
    said: list[str] = []
    drawn: list[tuple[str, int, int]] = []
    call: Any = SimpleNamespace(progress=lambda: lambda *told: drawn.append(told), out=SimpleNamespace(say=said.append))
    told = _embedding_said(call)
    told("reading", 0, 1)
    for done in (0, 0, 1):
        told("embed", done, 1)
    assert said == ["embedding the question; the model starts (about 8 s)"]
    assert drawn == [("reading", 0, 1), ("embed", 0, 1), ("embed", 0, 1), ("embed", 1, 1)]
    after_documents = _embedding_said(call)
    after_documents("embed", 0, 900)
    after_documents("embed", 0, 1)
    assert len(said) == 1
