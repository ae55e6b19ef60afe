"""`ragtriage import` and `ragtriage inbox` as processes, and what the reference says of them."""

from __future__ import annotations

import argparse
import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from ragtriage.inbox.fields import FIELDS
from ragtriage.inbox.formats import FORMATS, NAMES
from ragtriage.inbox.masking import KINDS

if TYPE_CHECKING:
    from tests.tui.conftest import Command

ROOT = Path(__file__).resolve().parents[2]
REPORTS = ROOT / "sample_corpus" / "bug_reports.jsonl"
SECTION = (ROOT / "docs" / "reference.md").read_text(encoding="utf-8").split("\n## Import\n", 1)[1].split("\n## ", 1)[0]


def _rows(head: str) -> list[list[str]]:
    lines = SECTION[SECTION.index(head) :].splitlines()[2:]
    out = []
    for line in lines:
        if not line.startswith("|"):
            break
        out.append([cell.strip() for cell in line.split("|")[1:-1]])
    return out


def _ticked(text: str) -> list[str]:
    return re.findall(r"`([^`]+)`", text)


@pytest.fixture
def reports(project: Path) -> Path:
    path = project / "reports.jsonl"
    rows = [
        {"ref": "1", "from": "ticket", "text": "Hello, may I send goods back for days after delivery? bob@shop.example",
         "answer": "no",
         "passages": [{"doc": "errors.md", "text": "ERR_4022 means that the session has expired."}]},
        {"ref": "2", "from": "chat", "text": "ERR_4024 on the T210, card 4111 1111 1111 1111", "tenant": "x"},
        {"ref": "3", "from": "synthetic", "question": "What is the time limit?"},
    ]  # fmt: skip
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def test_import_twice(ragtriage: Command, reports: Path, project: Path) -> None:
    done = ragtriage("import", "reports.jsonl")
    assert (done.code, done.err) == (0, "")
    assert "reports.jsonl, read as jsonl: 3 new\n" in done.out
    assert "q001 asks nearly the same" in done.out
    assert "masked: 1 e-mail address, 1 card number; --keep-personal" in done.out
    assert "1 written by a model" in done.out
    assert "kept under extra: tenant (1)" in done.out
    inbox = project / "evals" / "inbox.jsonl"
    before = inbox.read_bytes()
    assert b"4111 1111" not in before
    assert b"bob@" not in before
    again = ragtriage("import", "reports.jsonl")
    assert (again.code, again.err) == (0, "")
    assert "reports.jsonl, read as jsonl: 3 already there\n" in again.out
    assert inbox.read_bytes() == before
    assert ragtriage("import", "-", stdin=reports.read_text(encoding="utf-8")).out.startswith(
        "standard input, read as jsonl: 3 already"
    )


def test_the_sample_twice(ragtriage: Command) -> None:
    assert "15 new" in ragtriage("import", str(REPORTS)).out
    assert "15 already there" in ragtriage("import", str(REPORTS)).out
    assert ragtriage("inbox", "--json").json["counts"] == {"open": 15, "done": 0, "dismissed": 0, "duplicate": 0}


def test_a_dry_run_and_read_only_write_nothing(ragtriage: Command, reports: Path, project: Path) -> None:
    done = ragtriage("import", "reports.jsonl", "--dry-run", "--read-only", "--json")
    assert (done.code, done.json["written"], done.json["new"]) == (0, False, 3)
    assert ragtriage("import", "reports.jsonl", "--read-only").code == 2
    assert not (project / "evals" / "inbox.jsonl").exists()
    empty = ragtriage("inbox").out
    assert empty.startswith("nothing in ")
    assert "ragtriage golden anchor" in empty


def test_options(ragtriage: Command, project: Path) -> None:
    (project / "odd.csv").write_text("said;mail\nwhy so;a@b.example\n", encoding="utf-8")
    done = ragtriage(
        "import", "odd.csv", "--format", "csv", "--map", "question=said", "--from", "owner", "--keep-personal", "--json"
    )
    assert done.code == 0
    (one,) = done.json["reports"]
    assert (one["question"], one["from"], one["masked"]) == ("why so", "owner", [])
    assert done.json["left"] == {"mail": 1}
    shown = ragtriage("inbox", "show", one["id"], "--json").json
    assert shown["report"]["extra"] == {"mail": "a@b.example"}


def test_what_is_wrong_is_said_and_the_rest_is_taken(ragtriage: Command, project: Path) -> None:
    (project / "bad.jsonl").write_text('{"question": "fine"}\n{"note": "x"}\n{\n', encoding="utf-8")
    done = ragtriage("import", "bad.jsonl")
    assert done.code == 2
    assert "1 new" in done.out
    assert [line.split(": ")[0].rpartition("/")[2] for line in done.err.splitlines()] == ["bad.jsonl:2", "bad.jsonl:3"]
    found = ragtriage("import", "bad.jsonl", "--json").json["problems"]
    assert [problem["line"] for problem in found] == [2, 3]
    for words, said in (
        (("nowhere.csv",), "no such file"), (("docs",), "Is a directory"),
        (("bad.jsonl", "--map", "qestion=note"), "did you mean question"),
        (("bad.jsonl", "--map", "note"), "FIELD=KEY"), (("-",), "empty"), (("ragtriage.toml", "--format", "json"), "not JSON"),
    ):  # fmt: skip
        done = ragtriage("import", *words)
        assert (done.code, done.out) == (2, "")
        assert said in done.err
        assert "Traceback" not in done.err


def test_a_full_or_closed_inbox_is_said(ragtriage: Command, reports: Path, project: Path) -> None:
    inbox = project / "evals" / "inbox.jsonl"
    ragtriage("import", "reports.jsonl")
    before = inbox.read_bytes()
    inbox.chmod(0o444)
    done = ragtriage("import", "-", stdin='{"question": "one more"}\n')
    assert (done.code, done.out) == (2, "")
    assert "read-only" in done.err
    assert inbox.read_bytes() == before


def test_the_inbox(ragtriage: Command, reports: Path) -> None:
    ragtriage("import", "reports.jsonl")
    listed = ragtriage("inbox", "--json").json["reports"]
    assert [one["ref"] for one in listed] == ["1", "2", "3"]
    assert [one["question"] for one in listed] == [
        "may I send goods back for days after delivery?", "ERR_4024 on the T210, card [card]", "What is the time limit?",
    ]  # fmt: skip
    assert [one["twin"] and one["twin"]["qid"] for one in listed] == ["q001", None, None]
    assert "like q001" in ragtriage("inbox").out
    done = ragtriage("inbox", "duplicate", "1", "q001")
    assert (done.code, done.out) == (0, f"{listed[0]['id']} is a duplicate of q001; ragtriage inbox undo takes that back\n")
    assert ragtriage("inbox", "dismiss", listed[1]["id"], "--json").json == {
        "format": 1,
        "id": listed[1]["id"],
        "state": "dismissed",
        "qid": None,
    }
    assert [one["state"] for one in ragtriage("inbox", "--state", "all", "--json").json["reports"]] == [
        "duplicate",
        "dismissed",
        "open",
    ]
    shown = ragtriage("inbox", "show", "1")
    assert "retrieval: 1 of 1 items of evidence were not among the 1 passages" in shown.out
    assert "errors (exact)" in shown.out
    assert ragtriage("inbox", "undo").out == f"{listed[1]['id']} is open again\n"
    assert ragtriage("inbox", "undo", "--json").json == {"format": 1, "id": listed[0]["id"], "state": "open", "qid": None}
    assert ragtriage("inbox", "undo").code == 2
    for words in (
        ("show",),
        ("show", "9"),
        ("duplicate", "1"),
        ("duplicate", "1", "q999"),
        ("list", "1"),
        ("dismiss", "1", "--read-only"),
    ):
        done = ragtriage("inbox", *words)
        assert (done.code, done.out) == (2, "")
        assert "Traceback" not in done.err


def test_a_report_is_shown_without_its_project(ragtriage: Command, reports: Path, project: Path) -> None:
    ragtriage("import", "reports.jsonl")
    (project / "docs").rename(project / "gone")
    done = ragtriage("inbox", "show", "1")
    assert done.code == 0
    assert "may I send goods back" in done.out
    assert "docs" in done.out.splitlines()[-1]
    assert ragtriage("import", "reports.jsonl").code == 0
    (project / "evals" / "golden.jsonl").unlink()
    assert "3 open" in ragtriage("inbox").out


def test_a_hostile_report_does_not_act_on_the_terminal(ragtriage: Command, project: Path) -> None:
    row = {"ref": "\x1b]0;x\x07", "text": "\x1b[2J why \u202e so?", "\x1b[1mkey": 1, "passages": ["\x1b[31m"]}
    (project / "bad.jsonl").write_text(json.dumps(row), encoding="utf-8")
    for words in (
        ("import", "bad.jsonl"),
        ("inbox",),
        ("inbox", "show", ragtriage("import", "bad.jsonl", "--json").json["reports"][0]["id"]),
    ):
        done = ragtriage(*words)
        assert done.code == 0
        assert "\x1b" not in done.out + done.err
        assert "\u202e" not in done.out


# -- the reference


def test_documented_keys_are_there(ragtriage: Command, reports: Path) -> None:
    documents: dict[str, Any] = {"import": ragtriage("import", "reports.jsonl", "--json").json}
    ragtriage("inbox", "duplicate", "1", "q001")
    documents["inbox"] = ragtriage("inbox", "--json", "--state", "all").json
    documents["inbox show"] = ragtriage("inbox", "show", "1", "--json").json
    documents["inbox dismiss"] = ragtriage("inbox", "dismiss", "2", "--json").json
    seen: dict[tuple[str, str], set[str]] = {}
    for command, inside, keys in _rows("| command | inside | keys |"):
        name = _ticked(command)[0]
        values = [documents[name]]
        for step in _ticked(inside)[0].split(".") if inside else ():
            values = [value[step.removesuffix("[]")] for value in values]
            values = [one for value in values for one in value] if step.endswith("[]") else values
        found = [value for value in values if value is not None]
        assert found, (name, inside)
        for value in found:
            assert set(value) == set(_ticked(keys)), (name, inside)
        seen[name, inside] = set(_ticked(keys))
    assert {name for name, _ in seen} == set(documents)


def test_the_documented_tables_are_those_of_the_product() -> None:
    assert {
        name: tuple(names) for row in _rows("| field | keys") for name, *_ in [_ticked(row[0])] for names in [_ticked(row[1])]
    } == FIELDS
    assert [_ticked(row[0])[0] for row in _rows("| format | what")] == [one.name for one in FORMATS]
    assert {_ticked(row[0])[0] for row in _rows("| masked as")} == set(KINDS.values())


def test_every_format_can_be_named() -> None:
    from importlib import import_module

    parser = argparse.ArgumentParser()
    import_module("ragtriage_tui.commands.import").arguments(parser)
    (option,) = [action for action in parser._actions if "--format" in action.option_strings]
    assert tuple(option.choices or ()) == NAMES
