"""What people said about a flip, and how long it holds."""

from __future__ import annotations

from datetime import date, timedelta

import pytest
from tests.engine.revisions.conftest import Repo

from ragtriage.errors import UsageError
from ragtriage.project import Project
from ragtriage.review.decisions import decisions_on, pair_seen, record_intended
from ragtriage.review.review import Review, decided, review

TODAY = date(2026, 11, 30)


def reviewed(repo: Repo) -> Review:
    repo.write("docs/refunds.md", "# Refunds\n\nWrite to us.\n")
    project = Project.open(repo.root)
    return review(project, today=TODAY)


def test_intended_marks_a_flip_as_reviewed_and_changes_no_gate(repo: Repo) -> None:
    project = Project.open(repo.root)
    found = reviewed(repo)
    (flip,) = found.to_review
    assert (found.reviewed, found.decisions["q1"].state) == (0, "open")
    written = record_intended(project.verdicts, flip, " we no longer promise days ", today=TODAY, by="ann")
    assert (written.expires, written.note, written.seen) == ("2027-02-28", "we no longer promise days", pair_seen(flip))
    again = decided(found, project, today=TODAY)
    assert (again.reviewed, again.decisions["q1"].state) == (1, "intended")
    assert again.gate == found.gate
    assert project.verdicts.current().get("q1") is None  # why the question fails is another matter


@pytest.mark.parametrize("nothing", ["", "  ", "\u200b", "\u2060\u00a0", "."])
def test_a_reason_is_in_words(repo: Repo, nothing: str) -> None:
    project = Project.open(repo.root)
    with pytest.raises(UsageError, match="intended for a reason"):
        record_intended(project.verdicts, reviewed(repo).to_review[0], nothing, today=TODAY)
    assert not (repo.root / "evals" / "verdicts.jsonl").exists()


def test_it_is_carried_forward_while_both_sides_look_the_same(repo: Repo) -> None:
    record_intended(Project.open(repo.root).verdicts, reviewed(repo).to_review[0], "meant", today=TODAY)
    repo.write("docs/more.md", "# More\n\nOther words, far from it.\n")
    repo.commit()
    assert reviewed(repo).decisions["q1"].state == "intended"
    repo.write("docs/back.md", "# How long\n\nHow long may goods be on their way back, and how long may i send them.\n")
    assert reviewed(repo).decisions["q1"].state == "old"


def test_the_last_day_counts_and_then_it_is_over(repo: Repo) -> None:
    project = Project.open(repo.root)
    found = reviewed(repo)
    record_intended(project.verdicts, found.to_review[0], "meant", today=TODAY, days=3)
    states = [decided(found, project, today=TODAY + timedelta(days=days)).decisions["q1"].state for days in (0, 3, 4)]
    assert states == ["intended", "intended", "expired"]


def test_a_label_of_the_head_reviews_it_too(repo: Repo) -> None:
    project = Project.open(repo.root)
    found = reviewed(repo)
    project.verdicts.record("q1", "bad-label", seen=found.to_review[0].head.seen, by="ann")
    assert decided(found, project, today=TODAY).decisions["q1"].state == "labelled"
    project.verdicts.record("q1", "bad-label", seen="0000", by="ann")
    assert decided(found, project, today=TODAY).decisions["q1"].state == "old"


def test_undo_takes_the_decision_back(repo: Repo) -> None:
    project = Project.open(repo.root)
    found = reviewed(repo)
    record_intended(project.verdicts, found.to_review[0], "meant", today=TODAY, by="ann")
    project.verdicts.undo(by="ann")
    assert decided(found, project, today=TODAY).decisions["q1"].state == "open"
    project.verdicts.redo(by="ann")
    assert decided(found, project, today=TODAY).decisions["q1"].state == "intended"


def test_an_answer_that_one_side_lacks_is_not_compared(repo: Repo) -> None:
    found = reviewed(repo)
    project = Project.open(repo.root)
    (flip,) = found.to_review
    before, after = (side.seen.partition(".")[0] for side in (flip.base, flip.head))
    project.verdicts.record("q1", None, seen=f"{before} > {after}", decision="intended", note="meant", by="ann")
    assert decided(found, project, today=TODAY).decisions["q1"].state == "intended"


@pytest.mark.parametrize(("reason", "days"), [("", 90), (" \n", 90), ("meant", 0), ("meant", 10_000)])
def test_a_reason_and_a_sensible_time_are_needed(repo: Repo, reason: str, days: int) -> None:
    project = Project.open(repo.root)
    with pytest.raises(UsageError):
        record_intended(project.verdicts, reviewed(repo).to_review[0], reason, today=TODAY, days=days)
    assert project.verdicts.events() == []


def test_a_day_that_cannot_be_read_has_passed(repo: Repo) -> None:
    found = reviewed(repo)
    project = Project.open(repo.root)
    (flip,) = found.to_review
    project.verdicts.record("q1", None, seen=pair_seen(flip), decision="intended", expires="soon", note="x", by="ann")
    assert decisions_on(found.to_review, project.verdicts.current(), today=TODAY)["q1"].state == "expired"
