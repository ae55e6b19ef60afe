"""The inbox: one report once, states as events, and branches that merge."""

from __future__ import annotations

import dataclasses
import json
import random
import subprocess
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from tests.soak import rounds

from ragtriage.errors import GoldenError, UsageError
from ragtriage.inbox import log as module
from ragtriage.inbox.log import InboxLog, Item
from ragtriage.inbox.reading import read_reports
from ragtriage.inbox.reports import Report, ReportPassage, identity, report_id

SAMPLE = Path(__file__).resolve().parents[3] / "sample_corpus" / "bug_reports.jsonl"


def report(text: str, ref: str = "", source: str = "ticket") -> Report:
    return Report(report_id(identity(source, ref, text)), text, source, ref)


def states(inbox: InboxLog) -> dict[str, tuple[str, str]]:
    return {item.report.text: (item.state, item.qid) for item in inbox.current()}


def test_the_sample_imported_twice(tmp_path: Path) -> None:
    inbox = InboxLog(tmp_path / "inbox.jsonl")
    reports = read_reports(SAMPLE.read_bytes(), "sample").reports
    assert [len(part) for part in inbox.add(reports)] == [15, 0]
    before = inbox.path.read_bytes()
    assert [len(part) for part in inbox.known(reports)] == [0, 15]
    assert [len(part) for part in inbox.add(reports)] == [0, 15]
    assert inbox.path.read_bytes() == before
    assert [item.report for item in inbox.current()] == list(reports)
    assert {item.state for item in inbox.current()} == {"open"}
    assert len({item.report.id for item in inbox.current()}) == 15
    assert inbox.problems() == []


def test_a_report_is_known_by_its_number_else_by_its_text(tmp_path: Path) -> None:
    inbox = InboxLog(tmp_path / "inbox.jsonl")
    new, known = inbox.add(
        [report("a", "1"), report("b", "1"), report("a", "1", "chat"), report("a"), report("  a\n"), report("a", "2")]
    )
    assert [(one.text, one.ref, one.source) for one in new] == [
        ("a", "1", "ticket"),
        ("a", "1", "chat"),
        ("a", "", "ticket"),
        ("a", "2", "ticket"),
    ]
    assert [one.text for one in known] == ["b", "  a\n"]
    # a masked number tells nobody apart
    assert len(inbox.add([report("x", "[e-mail]"), report("y", "[e-mail]"), report("x", "a@b.example")]).new) == 2


@pytest.mark.parametrize("first", ["", "ticket"])
def test_a_file_with_and_without_a_source_enters_once(tmp_path: Path, first: str) -> None:
    data = b"id,question,at\n12,how long is it,2026-11-01\n13,who pays it,2026-11-02\n13,who pays that,2026-11-02\n"
    inbox = InboxLog(tmp_path / "inbox.jsonl")
    before = inbox.add(read_reports(data, "reports.csv", source=first).reports)
    assert [len(part) for part in before] == [2, 1]
    stands = inbox.path.read_bytes()
    again = inbox.add(read_reports(data, "reports.csv", source="" if first else "ticket").reports)
    assert [len(part) for part in again] == [0, 3]
    assert [one.id for one in again.known[:2]] == [one.id for one in before.new]
    assert [len(part) for part in inbox.add(read_reports(data, "reports.csv", source=first).reports)] == [0, 3]
    assert inbox.path.read_bytes() == stands
    # where both say where they come from, it is another of the same number
    if first:
        assert len(inbox.add(read_reports(data, "reports.csv", source="chat").reports).new) == 2


def test_states_are_events(tmp_path: Path) -> None:
    inbox = InboxLog(tmp_path / "inbox.jsonl")
    first, second = inbox.add([report("a"), report("b")]).new
    inbox.set(first.id, "duplicate", "q1", by="me")
    inbox.set(second.id, "dismissed", by="me")
    assert states(inbox) == {"a": ("duplicate", "q1"), "b": ("dismissed", "")}
    assert inbox.undo(by="me") is not None
    assert states(inbox) == {"a": ("duplicate", "q1"), "b": ("open", "")}
    assert inbox.redo(by="me") is not None
    assert states(inbox)["b"] == ("dismissed", "")
    other = InboxLog(inbox.path)
    assert other.undo(by="nobody") is None
    assert other.undo(by="me") is not None
    inbox.set(second.id, "done", "q2", by="me")
    inbox.set(second.id, "open", by="me")
    assert inbox.get(second.id) == Item(second, "open")
    assert [change.state for change in inbox.history(second.id)] == [
        "dismissed",
        "dismissed",
        "dismissed",
        "dismissed",
        "done",
        "open",
    ]
    assert inbox.problems() == []
    with pytest.raises(UsageError, match="no such report"):
        inbox.set("r-none", "done")
    with pytest.raises(UsageError, match="no state"):
        inbox.set(first.id, "gone")  # type: ignore[arg-type]  # on purpose


def test_a_clock_that_is_behind_loses_nothing(tmp_path: Path) -> None:
    moments = [datetime(2026, 1, 1, tzinfo=UTC) - timedelta(days=day) for day in range(9)]
    inbox = InboxLog(tmp_path / "inbox.jsonl", clock=lambda: moments.pop(0))
    (one,) = inbox.add([report("a")]).new
    for state in ("done", "dismissed", "open"):
        inbox.set(one.id, state, by="me")  # type: ignore[arg-type]  # each is a state
        assert inbox.current()[0].state == state


def test_everything_of_a_report_comes_back(tmp_path: Path) -> None:
    inbox = InboxLog(tmp_path / "inbox.jsonl")
    full = Report(
        "", "text\r\nline \ud800", "chat", "7", "2026-01-01", "q?", "a", (ReportPassage("d", "t", 2, "c"), ReportPassage()),
        "up",
        "thirty", (("30 days",), ("a", "b")), (ReportPassage(text="e"),), ("e-mail", "e-mail"), True,
        {"k": [1, {"z": None}], "n": 2**70},
    )  # fmt: skip
    (stored,) = inbox.add([full]).new
    (item,) = InboxLog(inbox.path).current()
    assert item.report == dataclasses.replace(stored, text="text\r\nline \ufffd")


def test_bad_lines_are_said_and_kept(tmp_path: Path) -> None:
    path = tmp_path / "inbox.jsonl"
    lines = [
        json.dumps(report("good", "1").to_dict()), "{", "<<<<<<< ours", '{"id": "r-x"}', '{"id": "r-y", "text": 3}',
        '{"id": "i-1", "report": "r-none", "state": "done", "at": "2026-01-01T00:00:00Z"}',
        '{"id": "i-2", "report": "r-none", "state": "lost", "at": "2026-01-01T00:00:00Z"}',
        '{"id": "i-3", "report": 5, "state": "done", "at": "2026-01-01T00:00:00Z"}',
        '{"id": "i-4", "report": "r-none", "state": "done", "at": "yesterday"}',
        '{"id": "r-z", "text": "t", "passages": [{"rank": "1"}]}', '{"id": "r-z", "text": "t", "mentions": [[]]}',
    ]  # fmt: skip
    path.write_text("\n".join(lines), encoding="utf-8")
    inbox = InboxLog(path)
    assert [item.report.text for item in inbox.current()] == ["good"]
    assert {problem.line for problem in inbox.problems()} == set(range(2, 12))
    inbox.add([report("more", "2")])
    assert path.read_text(encoding="utf-8").startswith("\n".join(lines) + "\n")
    assert [item.report.text for item in inbox.current()] == ["good", "more"]
    path.write_bytes("x".encode("utf-16"))
    with pytest.raises(GoldenError, match="UTF-16"):
        inbox.add([report("third")])


def test_an_inbox_that_people_wrote_is_known_too(tmp_path: Path) -> None:
    path = tmp_path / "inbox.jsonl"
    path.write_bytes(SAMPLE.read_bytes())
    inbox = InboxLog(path)
    added = inbox.add(read_reports(SAMPLE.read_bytes(), "sample").reports)
    assert (len(added.new), len(added.known)) == (0, 15)
    assert added.known[0].id == "ticket-8812"


def test_one_id_for_two_reports_loses_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def short(same: tuple[str, ...], length: int = 6) -> str:
        return "r-aaaaaa" if length == 6 else report_id(same, length)

    monkeypatch.setattr(module, "report_id", short)
    inbox = InboxLog(tmp_path / "inbox.jsonl")
    new = inbox.add([report("a"), report("b"), report("a")]).new
    assert [one.text for one in new] == ["a", "b"]
    assert len(inbox.add([report("b"), report("a")]).known) == 2
    # two branches that each took the short one
    other = InboxLog(tmp_path / "other.jsonl")
    other.add([report("c")])
    inbox.path.write_bytes(inbox.path.read_bytes() + other.path.read_bytes())
    assert [item.report.text for item in inbox.current()] == ["a", "b", "c"]
    assert len({item.report.id for item in inbox.current()}) == 3
    assert len(inbox.add([report("c")]).known) == 1


def _git(folder: Path, *words: str) -> str:
    done = subprocess.run(
        ["git", "-c", "user.name=x", "-c", "user.email=x", *words],
        cwd=folder,
        capture_output=True,
        encoding="utf-8",
        check=True,
    )
    return done.stdout


def test_branches_merge(tmp_path: Path) -> None:
    rng = random.Random(4)
    _git(tmp_path, "init", "-q", "-b", "main")
    (tmp_path / ".gitattributes").write_text("inbox.jsonl merge=union\n")
    inbox = InboxLog(tmp_path / "inbox.jsonl")
    shared = list(inbox.add([report(f"shared {at}") for at in range(3)]).new)
    _git(tmp_path, "add", "-A")
    _git(tmp_path, "commit", "-qm", "0")
    for number in range(rounds(3, 100)):
        changed: dict[str, set[str]] = {}
        texts = {item.report.text for item in inbox.current()}
        for branch in ("a", "b"):
            _git(tmp_path, "checkout", "-qb", f"{branch}{number}", "main")
            mine = InboxLog(inbox.path)
            for step in range(rng.randint(1, 4)):
                fresh = [report(f"{branch} {number} {step}"), report(f"both {number}")]
                texts |= {one.text for one in fresh}
                mine.add(fresh)
                target = rng.choice(shared)
                state = rng.choice(["done", "dismissed", "open"])
                mine.set(target.id, state, by=branch)  # type: ignore[arg-type]  # each is a state
                changed.setdefault(target.text, set()).add(state)
            _git(tmp_path, "commit", "-qam", branch)
        _git(tmp_path, "checkout", "-q", "main")
        _git(tmp_path, "merge", "-q", f"a{number}")
        _git(tmp_path, "merge", "-q", "-m", "m", f"b{number}")
        assert inbox.problems() == []
        assert {item.report.text for item in inbox.current()} == texts
        assert len(inbox.current()) == len(texts)
        for item in inbox.current():
            assert item.report.text not in changed or item.state in changed[item.report.text]
