"""A baseline says at which commit it was set, and git is only asked: the user's index stays as it is."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path

import pytest
from tests.engine.revisions.conftest import Repo, home

from ragtriage.gate.gating import Head, gate_against, set_baseline
from ragtriage.project import Project

__all__ = ["home"]


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    made = Repo(tmp_path / "shop").fill()
    made.write(".gitignore", "/.ragtriage/\n")
    made.commit("everything")
    return made


def stale(repo: Repo) -> bytes:
    """Touch a file, so that what the index remembers of it is out of date: a plain `git status` would write the index anew."""
    page = repo.root / "docs" / "notes.md"
    later = time.time_ns() - 3600 * 10**9
    os.utime(page, ns=(later, later))
    return (repo.top / ".git" / "index").read_bytes()


def test_a_plain_status_would_write_the_index(repo: Repo) -> None:
    before = stale(repo)
    repo.git("status", "--porcelain")
    assert (repo.top / ".git" / "index").read_bytes() != before


def test_setting_and_gating_a_baseline_leaves_the_index_alone(repo: Repo) -> None:
    before = stale(repo)
    project = Project.open(repo.root)
    found, written = set_baseline(project)
    gate_against(project, head=Head(store=False))
    gate_against(project, "main", head=Head(store=False))
    assert (repo.top / ".git" / "index").read_bytes() == before
    assert not list((repo.top / ".git").glob("*.lock"))
    assert written
    document = json.loads((repo.root / "evals" / "baseline.json").read_text(encoding="utf-8"))
    assert document["revision"] == repo.git("rev-parse", "HEAD")
    assert not found.baseline.modified  # what was only touched is no change


def test_it_works_while_somebody_else_holds_the_index(repo: Repo) -> None:
    stale(repo)
    (repo.top / ".git" / "index.lock").touch()
    found, _ = set_baseline(Project.open(repo.root))
    assert (found.baseline.revision, found.baseline.modified) == (repo.git("rev-parse", "HEAD"), False)
    assert (repo.top / ".git" / "index.lock").exists()
