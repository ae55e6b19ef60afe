"""The text of a review that has nothing to show."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.tui.test_cli_review import git

if TYPE_CHECKING:
    from tests.tui.conftest import Command


@pytest.fixture
def committed(project: Path) -> Path:
    git(project, "init", "-q", "--initial-branch=main")
    git(project, "add", "-A")
    git(project, "commit", "-q", "-m", "one")
    return project


def test_a_base_that_is_the_head_is_said(ragtriage: Command, committed: Path) -> None:
    text = " ".join(ragtriage("review", "--plain").out.split())
    short = git(committed, "rev-parse", "HEAD")[:9]
    assert f"differs: nothing: both sides are {short}, and no uncommitted work touches documents" in text
    assert "name another base" in text


def test_two_commits_that_differ_elsewhere(ragtriage: Command, committed: Path) -> None:
    git(committed, "switch", "-q", "-c", "change")
    git(committed, "commit", "-q", "--allow-empty", "-m", "two")
    text = " ".join(ragtriage("review", "--plain").out.split())
    assert "differs: nothing: documents, configuration and labels are the same" in text


def test_the_first_that_waits_is_named(ragtriage: Command, committed: Path) -> None:
    for page in (committed / "docs").rglob("*.md"):
        page.write_text("# Nothing\n\nNothing at all is said here.\n", encoding="utf-8")
    done = ragtriage("review", "--plain")
    (line,) = [line for line in done.out.splitlines() if line.startswith("one at a time: ")]
    words = line.removeprefix("one at a time: ragtriage ").split()
    shown = ragtriage(*words)
    assert (shown.code, words[3]) == (0, git(committed, "rev-parse", "HEAD")[:9])
    assert words[1] in shown.out
