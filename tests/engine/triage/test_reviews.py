from __future__ import annotations

import itertools
import json
import random
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from ragtriage.errors import StorageError, UsageError
from ragtriage.triage.reviews import Review, ReviewLog, answer_sha
from ragtriage.types import AXES, Axis

START = datetime(2026, 11, 30, 14, 2, 11, tzinfo=UTC)


def ticking(start: datetime = START, step: float = 1.0) -> Callable[[], datetime]:
    moments = (start + timedelta(seconds=step * n) for n in itertools.count())
    return lambda: next(moments)


def log(folder: Path, step: float = 1.0, start: datetime = START) -> ReviewLog:
    return ReviewLog(folder / "reviews.jsonl", clock=ticking(start, step))


def standing(reviews: ReviewLog) -> dict[str, bool | None]:
    return {sha: review.on("correct") for sha, review in reviews.current().items()}


def test_an_event_holds_all_that_was_said(tmp_path: Path) -> None:
    reviews = log(tmp_path)
    review = reviews.record("q001", "41be", {"correct": True, "cited": False}, note="cites the wrong page", by="ada")
    assert json.loads(reviews.path.read_text(encoding="utf-8")) == {
        "id": review.id,
        "qid": "q001",
        "answer_sha": "41be",
        "correct": True,
        "grounded": None,
        "cited": False,
        "honest": None,
        "addresses": None,
        "by": "ada",
        "at": "2026-11-30T14:02:11.000000Z",
        "note": "cites the wrong page",
        "undoes": None,
    }
    assert review.id.startswith("r-")
    assert reviews.current() == {"41be": review}
    assert reviews.problems() == []
    assert [review.on(axis) for axis in AXES] == [True, None, False, None, None]


def test_an_event_is_the_whole_state_and_one_that_says_nothing_clears(tmp_path: Path) -> None:
    reviews = log(tmp_path)
    reviews.record("q", "a", {"correct": True, "grounded": True})
    reviews.record("q", "b", {"correct": False})
    latest = reviews.record("q", "a", {"grounded": False})
    assert reviews.current()["a"] == latest
    assert latest.correct is None
    reviews.record("q", "b", {"correct": None}, note="neither of us can tell")
    assert set(reviews.current()) == {"a", "b"}
    reviews.record("q", "a", {})
    assert set(reviews.current()) == {"b"}
    assert len(reviews.history("q")) == 5


def test_an_answer_is_told_by_its_question_and_its_text() -> None:
    assert answer_sha("q1", "30 days") == answer_sha("q1", "30 days")
    assert len({answer_sha("q1", "30 days"), answer_sha("q2", "30 days"), answer_sha("q1", "30 days.")}) == 3
    assert answer_sha("q", "1a") != answer_sha("q1", "a")
    assert answer_sha("q", "\ud800") == answer_sha("q", "\ufffd")  # as it comes back from a file


def test_two_answers_to_one_question_are_two_reviews(tmp_path: Path) -> None:
    reviews = log(tmp_path)
    for text, correct in [("yes", True), ("no", False)]:
        reviews.record("q", answer_sha("q", text), {"correct": correct})
    assert standing(reviews) == {answer_sha("q", "yes"): True, answer_sha("q", "no"): False}


def test_two_reviews_in_the_same_instant_or_with_a_clock_that_is_behind_stay_in_order(tmp_path: Path) -> None:
    reviews = log(tmp_path, step=0.0)
    for correct in [True, False] * 10:
        reviews.record("q", "a", {"correct": correct})
    assert standing(reviews) == {"a": False}
    late = log(tmp_path, start=START - timedelta(days=2))
    late.record("q", "a", {"correct": True}, by="bob")
    assert standing(late) == {"a": True}


def test_undo_and_redo_walk_back_and_forth(tmp_path: Path) -> None:
    reviews = log(tmp_path)
    one = reviews.record("q", "a", {"correct": True}, note="sure")
    two = reviews.record("q", "b", {"correct": False})
    assert reviews.undo() == two
    assert reviews.undo() == one
    assert reviews.undo(by="nobody") is None
    assert reviews.current() == {}
    assert reviews.redo() == one
    assert reviews.current() == {"a": one}
    assert reviews.redo() == two
    assert reviews.redo() is None
    assert reviews.undo() == two
    reviews.record("q", "c", {"correct": True})
    assert reviews.redo() is None, "something new was said since"
    assert standing(reviews) == {"a": True, "c": True}
    assert len(reviews.path.read_text(encoding="utf-8").splitlines()) == 8, "nothing was taken out"


def test_a_long_walk_equals_a_stack(tmp_path: Path) -> None:
    reviews = log(tmp_path)
    rng = random.Random(5)
    done: list[tuple[str, bool]] = []
    undone: list[tuple[str, bool]] = []
    for _ in range(100):
        step = rng.choice(["record", "record", "undo", "redo"])
        if step == "record":
            done.append((rng.choice("abc"), rng.choice([True, False])))
            undone.clear()
            reviews.record("q", done[-1][0], {"correct": done[-1][1]})
        elif step == "undo" and done:
            undone.append(done.pop())
            reviews.undo()
        elif step == "redo" and undone:
            done.append(undone.pop())
            reviews.redo()
        assert standing(reviews) == dict(done)


def test_a_new_process_undoes_the_persons_own_latest(tmp_path: Path) -> None:
    log(tmp_path).record("q", "a", {"correct": True}, by="ada")
    log(tmp_path, start=START + timedelta(hours=1)).record("q", "b", {"correct": True}, by="bob")
    again = log(tmp_path, start=START + timedelta(hours=2))
    undone = again.undo(by="ada")
    assert undone is not None
    assert undone.answer_sha == "a"
    assert standing(again) == {"b": True}
    assert again.undo(by="ada") is None


def test_logs_of_two_branches_merge_in_any_line_order(tmp_path: Path) -> None:
    reviews = log(tmp_path)
    reviews.record("q", "a", {"correct": True})
    reviews.record("q", "a", {"correct": False})
    reviews.undo()
    reviews.record("q", "b", {"honest": True})
    expected = reviews.current()
    lines = reviews.path.read_bytes().splitlines(keepends=True)
    for order in itertools.permutations(lines):
        reviews.path.write_bytes(b"".join(order) + order[0])  # a union merge may also keep a line twice
        assert reviews.current() == expected
        assert reviews.problems() == []


def test_bad_lines_are_told_by_number_and_the_rest_counts(tmp_path: Path) -> None:
    reviews = log(tmp_path)
    good = reviews.record("q", "a", {"correct": True})
    at = {"at": "2026-01-01T00:00:00Z"}
    bad = [
        "{",
        json.dumps({"id": "r-1", "qid": "q", "answer_sha": "a", "correct": "yes", **at}),
        json.dumps({"id": "r-2", "qid": "q", "answer_sha": "a", "grounded": 1, **at}),
        json.dumps({"id": "r-3", "qid": "q", "answer_sha": "a", "at": "soon"}),
        json.dumps({"id": "r-4", "qid": "q", **at}),
        json.dumps({"id": "r-5", "answer_sha": "a", **at}),
        json.dumps({"id": "r-6", "qid": "q", "answer_sha": 3, **at}),
        json.dumps({**good.to_dict(), "correct": False}),
        "[" * 5000,
        "=======",
    ]
    with open(reviews.path, "a", encoding="utf-8") as handle:
        handle.write("\n".join(bad) + "\n")
    problems = reviews.problems()
    assert [problem.line for problem in problems] == list(range(2, 12))
    says = ["not JSON", "correct: true, false, ", "grounded: true, false, ", "a time such as", "the answer_sha",
            "an id and a qid", "answer_sha: a string", "another review", "not JSON", "conflict"]  # fmt: skip
    for problem, words in zip(problems, says, strict=True):
        assert words in problem.message
    assert standing(reviews) == {"a": True}


def test_what_cannot_be_written_down_is_refused(tmp_path: Path) -> None:
    reviews = log(tmp_path)
    wrong: dict[Axis, bool | None] = {"corect": True}  # type: ignore[dict-item]
    with pytest.raises(UsageError, match="'corect' is no question about an answer"):
        reviews.record("q", "a", wrong)
    for qid, sha in [("", "a"), ("q", "")]:
        with pytest.raises(UsageError, match="needs a question and an answer"):
            reviews.record(qid, sha, {"correct": True})
    assert not reviews.path.exists()
    assert (reviews.current(), reviews.problems(), reviews.undo(), reviews.redo()) == ({}, [], None, None)


def test_a_read_only_log_says_so_and_undo_can_be_tried_again(tmp_path: Path) -> None:
    reviews = log(tmp_path)
    reviews.record("q", "a", {"correct": True})
    reviews.path.chmod(0o444)
    for change in (lambda: reviews.record("q", "a", {}), reviews.undo):
        with pytest.raises(StorageError, match="read-only"):
            change()
    reviews.path.chmod(0o644)
    assert reviews.undo() is not None
    assert reviews.current() == {}


def test_hostile_text_comes_back(tmp_path: Path) -> None:
    reviews = log(tmp_path)
    for text in ["[/path]", "\x1b[2J", "a\nb", "\u202e", "\x00", "🙂"]:
        sha = answer_sha(text, text)
        reviews.record(text, sha, {"correct": True}, note=text, by=text)
        found = reviews.current()[sha]
        assert (found.qid, found.note, found.by) == (text, text, text)


def test_unsure_is_something_else_than_nothing_said(tmp_path: Path) -> None:
    reviews = log(tmp_path)
    review = reviews.record("q", "a", {"correct": "unsure", "grounded": True})
    assert json.loads(reviews.path.read_text(encoding="utf-8"))["correct"] == "unsure"
    assert ReviewLog(reviews.path).current() == {"a": review}
    assert review.words == ("unsure", True, None, None, None)
    assert [review.on(axis) for axis in AXES] == [None, True, None, None, None]
    unsure = reviews.record("q", "b", dict.fromkeys(AXES, "unsure"))
    assert unsure.decides, "to be unsure of everything clears nothing"
    assert set(reviews.current()) == {"a", "b"}


def test_an_older_file_says_null_for_both(tmp_path: Path) -> None:
    reviews = log(tmp_path)
    old = {
        "id": "r-1",
        "qid": "q",
        "answer_sha": "a",
        "correct": True,
        "cited": None,
        "by": "ada",
        "at": "2026-11-01T00:00:00Z",
    }
    reviews.path.write_text(json.dumps(old) + "\n", encoding="utf-8")
    assert reviews.problems() == []
    assert reviews.current()["a"].words == (True, None, None, None, None)


def test_a_review_is_read_back_as_it_was_written(tmp_path: Path) -> None:
    reviews = log(tmp_path)
    review = reviews.record("q", "a", {"correct": True, "grounded": False, "cited": None, "honest": True, "addresses": False})
    assert ReviewLog(reviews.path).events() == [review]
    assert isinstance(review, Review)
