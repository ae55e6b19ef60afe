from __future__ import annotations

import itertools
import json
import random
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from ragtriage.errors import StorageError, UsageError
from ragtriage.triage.verdicts import Verdict, VerdictLog, author

START = datetime(2026, 11, 30, 14, 2, 11, tzinfo=UTC)


def ticking(start: datetime = START, step: float = 1.0) -> Callable[[], datetime]:
    moments = (start + timedelta(seconds=step * n) for n in itertools.count())
    return lambda: next(moments)


def log(folder: Path, step: float = 1.0, start: datetime = START) -> VerdictLog:
    return VerdictLog(folder / "verdicts.jsonl", clock=ticking(start, step))


def standing(verdicts: VerdictLog) -> dict[str, str]:
    return {qid: verdict.category for qid, verdict in verdicts.current().items()}


def test_an_event_holds_all_that_was_decided(tmp_path: Path) -> None:
    verdicts = log(tmp_path)
    verdict = verdicts.record("q001", "2", run="r1", seen="41be", note="below the table", by="ada")
    assert json.loads(verdicts.path.read_text(encoding="utf-8")) == {
        "id": verdict.id,
        "qid": "q001",
        "category": "ranked-too-low",
        "decision": None,
        "note": "below the table",
        "expires": None,
        "by": "ada",
        "at": "2026-11-30T14:02:11.000000Z",
        "run": "r1",
        "seen": "41be",
        "undoes": None,
    }
    assert verdicts.current() == {"q001": verdict}
    assert verdicts.problems() == []


def test_the_latest_counts_and_an_empty_category_clears(tmp_path: Path) -> None:
    verdicts = log(tmp_path)
    verdicts.record("a", "misused")
    verdicts.record("b", "made-up")
    verdicts.record("a", "bad-label")
    assert standing(verdicts) == {"a": "bad-label", "b": "made-up"}
    verdicts.record("a", None)
    assert standing(verdicts) == {"b": "made-up"}
    assert [event.category for event in verdicts.history("a")] == ["misused", "bad-label", ""]


def test_two_labels_in_the_same_instant_stay_in_order(tmp_path: Path) -> None:
    verdicts = log(tmp_path, step=0.0)
    for slug in ["misused", "made-up"] * 10 + ["bad-label"]:
        verdicts.record("a", slug)
    assert standing(verdicts) == {"a": "bad-label"}


def test_a_clock_that_is_behind_loses_nothing(tmp_path: Path) -> None:
    log(tmp_path).record("a", "misused", by="ada")
    late = log(tmp_path, start=START - timedelta(days=2))
    late.record("a", "made-up", by="bob")
    assert standing(late) == {"a": "made-up"}
    late.undo(by="bob")
    assert standing(late) == {"a": "misused"}


def test_an_event_at_the_end_of_time_stands_in_nobodys_way(tmp_path: Path) -> None:
    verdicts = log(tmp_path)
    end = {"id": "v-end", "qid": "q001", "category": "misused", "at": "9999-12-31T23:59:59.999999Z"}
    verdicts.path.write_text(json.dumps(end) + "\n", encoding="utf-8")
    assert [problem.line for problem in verdicts.problems()] == [1]
    verdicts.record("q001", "bad-label", by="ada")
    assert standing(verdicts) == {"q001": "bad-label"}


def test_one_event_is_withdrawn_and_that_is_undone_like_any_other(tmp_path: Path) -> None:
    verdicts = log(tmp_path)
    meant = verdicts.record("q001", None, decision="intended", expires="2027-03-03", note="meant", by="ada")
    verdicts.record("q001", "2", by="ada")
    taken = verdicts.withdraw(meant, by="bob")
    assert taken.undoes == meant.id
    assert [one.category for one in verdicts.current().values()] == ["ranked-too-low"]
    verdicts.undo(by="ada")
    assert {one.decision for one in verdicts.current().values()} == {"intended", None}
    verdicts.redo(by="ada")
    assert [one.category for one in verdicts.current().values()] == ["ranked-too-low"]


def test_undo_and_redo_walk_back_and_forth(tmp_path: Path) -> None:
    verdicts = log(tmp_path)
    one = verdicts.record("a", "misused")
    two = verdicts.record("b", "made-up")
    assert verdicts.undo() == two
    assert verdicts.undo() == one
    assert verdicts.undo(by="nobody") is None
    assert standing(verdicts) == {}
    assert verdicts.redo() == one
    assert standing(verdicts) == {"a": "misused"}
    assert verdicts.redo() == two
    assert verdicts.redo() is None
    assert verdicts.undo() == two
    verdicts.record("c", "bad-label")
    assert verdicts.redo() is None, "something new was decided since"
    assert standing(verdicts) == {"a": "misused", "c": "bad-label"}
    lines = verdicts.path.read_text(encoding="utf-8").splitlines()
    assert len(lines) == 8, "3 verdicts, 3 undos, 2 redos: nothing was taken out"


def test_a_long_walk_equals_a_stack(tmp_path: Path) -> None:
    verdicts = log(tmp_path)
    rng = random.Random(3)
    done: list[tuple[str, str]] = []
    undone: list[tuple[str, str]] = []
    for _ in range(120):
        step = rng.choice(["record", "record", "undo", "redo"])
        if step == "record":
            done.append((rng.choice("abc"), rng.choice(["misused", "made-up", "bad-label"])))
            undone.clear()
            verdicts.record(*done[-1])
        elif step == "undo" and done:
            undone.append(done.pop())
            verdicts.undo()
        elif step == "redo" and undone:
            done.append(undone.pop())
            verdicts.redo()
        assert standing(verdicts) == dict(done)


def test_a_new_process_undoes_the_persons_own_latest(tmp_path: Path) -> None:
    log(tmp_path).record("a", "misused", by="ada")
    log(tmp_path, start=START + timedelta(hours=1)).record("b", "made-up", by="bob")
    again = log(tmp_path, start=START + timedelta(hours=2))
    undone = again.undo(by="ada")
    assert undone is not None
    assert undone.qid == "a"
    assert standing(again) == {"b": "made-up"}
    assert again.undo(by="ada") is None


def test_two_people_at_once_undo_their_own(tmp_path: Path) -> None:
    ada, bob = log(tmp_path), log(tmp_path, start=START + timedelta(seconds=0.5))
    ada.record("a", "misused", by="ada")
    bob.record("a", "made-up", by="bob")
    bob.record("b", "made-up", by="bob")
    assert standing(ada) == {"a": "made-up", "b": "made-up"}
    ada.undo(by="ada")
    assert standing(bob) == {"a": "made-up", "b": "made-up"}
    bob.undo(by="bob")
    bob.undo(by="bob")
    assert standing(bob) == {}


def test_logs_of_two_branches_merge_in_any_line_order(tmp_path: Path) -> None:
    verdicts = log(tmp_path)
    verdicts.record("a", "misused")
    verdicts.record("a", "made-up")
    verdicts.undo()
    verdicts.record("b", "bad-label")
    expected = verdicts.events()
    lines = verdicts.path.read_bytes().splitlines(keepends=True)
    for order in itertools.permutations(lines):
        verdicts.path.write_bytes(b"".join(order) + order[0])  # a union merge may also keep a line twice
        assert verdicts.events() == expected
        assert standing(verdicts) == {"a": "misused", "b": "bad-label"}
        assert verdicts.problems() == []


def test_times_compare_as_times_however_precise(tmp_path: Path) -> None:
    path = tmp_path / "verdicts.jsonl"
    events = [("v-1", "2026-11-30T14:02:11Z", "misused"), ("v-2", "2026-11-30T15:02:11.5+01:00", "made-up")]
    path.write_text("".join(json.dumps({"id": i, "qid": "a", "category": c, "at": at}) + "\n" for i, at, c in events))
    assert standing(VerdictLog(path)) == {"a": "made-up"}


def test_bad_lines_are_told_by_number_and_the_rest_counts(tmp_path: Path) -> None:
    verdicts = log(tmp_path)
    good = verdicts.record("a", "misused")
    bad = [
        "{",
        '{"id": "v-1", "qid": "a", "category": "lost", "at": "2026-01-01T00:00:00Z"}',
        '{"id": "v-2", "qid": "a", "category": "misused", "at": "soon"}',
        '{"id": "v-3", "category": "misused", "at": "2026-01-01T00:00:00Z"}',
        '{"id": "v-4", "qid": 3}',
        json.dumps({**good.to_dict(), "category": "made-up"}),
        ">>>>>>> other",
    ]
    with open(verdicts.path, "a", encoding="utf-8") as handle:
        handle.write("\n".join(bad) + "\n")
    problems = verdicts.problems()
    assert [problem.line for problem in problems] == [2, 3, 4, 5, 6, 7, 8]
    for problem, says in zip(
        problems,
        ["not JSON", "'lost' is no category", "a time such as", "id and a qid", "qid: a string", "another verdict", "conflict"],
        strict=True,
    ):
        assert says in problem.message
    assert standing(verdicts) == {"a": "misused"}


def test_a_circle_of_undos_and_an_unknown_target_hang_nothing(tmp_path: Path) -> None:
    path = tmp_path / "verdicts.jsonl"
    base = {"qid": "a", "category": "misused", "at": "2026-01-01T00:00:00Z"}
    links = [("v-1", "v-2"), ("v-2", "v-1"), ("v-3", "v-3"), ("v-4", "gone"), ("v-5", None)]
    path.write_text("".join(json.dumps({**base, "id": one, "undoes": other}) + "\n" for one, other in links))
    assert standing(VerdictLog(path)) == {"a": "misused"}


def test_an_unknown_category_writes_nothing(tmp_path: Path) -> None:
    verdicts = log(tmp_path)
    with pytest.raises(UsageError, match="is no category"):
        verdicts.record("a", "wrong")
    assert not verdicts.path.exists()
    assert (verdicts.current(), verdicts.problems(), verdicts.undo()) == ({}, [], None)


def test_a_read_only_log_says_so_and_undo_can_be_tried_again(tmp_path: Path) -> None:
    verdicts = log(tmp_path)
    verdicts.record("a", "misused")
    verdicts.path.chmod(0o444)
    before = verdicts.path.read_bytes()
    for change in (lambda: verdicts.record("a", "made-up"), verdicts.undo):
        with pytest.raises(StorageError, match="read-only"):
            change()
    assert verdicts.path.read_bytes() == before
    verdicts.path.chmod(0o644)
    assert verdicts.undo() is not None
    assert standing(verdicts) == {}


def test_hostile_text_comes_back(tmp_path: Path) -> None:
    verdicts = log(tmp_path)
    for qid in ["[/path]", "\x1b[2J", "a\nb", "\u202e", "\x00", "🙂"]:
        verdicts.record(qid, "misused", note=qid, by=qid)
        assert verdicts.current()[qid].note == qid
    verdicts.record("x", "misused", note="\ud800")
    assert verdicts.current()["x"].note == "\ufffd"


def test_the_first_verdict_of_a_folder_has_the_same_author_as_the_second(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("RAGTRIAGE_AUTHOR", "GIT_AUTHOR_NAME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(tmp_path / "gitconfig"))
    (tmp_path / "gitconfig").write_text("[user]\n\tname = Ada\n", encoding="utf-8")
    author.cache_clear()
    log = VerdictLog(tmp_path / "not" / "there" / "verdicts.jsonl")
    event = log.record("q1", "misused")
    author.cache_clear()
    assert (event.by, author(log.path.parent)) == ("Ada", "Ada")
    author.cache_clear()


def test_the_author_can_be_set(monkeypatch: pytest.MonkeyPatch) -> None:
    author.cache_clear()
    monkeypatch.setenv("RAGTRIAGE_AUTHOR", "ada")
    assert author() == "ada"
    author.cache_clear()
    monkeypatch.delenv("RAGTRIAGE_AUTHOR")
    monkeypatch.setenv("PATH", "")
    assert isinstance(author(Path("/nowhere")), str)
    author.cache_clear()


def test_a_verdict_fits_what_was_seen_answers_where_both_have_one() -> None:
    def given(seen: str) -> Verdict:
        return Verdict("v-1", "q1", "misused", seen=seen)

    assert given("").fits("abc.def")
    assert given("abc.def").fits("abc.def")
    assert given("abc.def").fits("abc")  # measured without answers
    assert given("abc").fits("abc.def")
    assert not given("abc.def").fits("abc.xyz")
    assert not given("abc.def").fits("xyz.def")
