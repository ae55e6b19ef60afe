"""A review leaves the user's repository as it was, also while it runs and when it is killed at any moment."""

from __future__ import annotations

import hashlib
import os
import random
import subprocess
import time
from pathlib import Path

import pytest
from tests.faults.conftest import PAGES, MakeProject
from tests.faults.processes import COMMAND, calm, ragtriage, surroundings
from tests.soak import rounds


def git(folder: Path, *words: str) -> str:
    people = {f"GIT_{who}_{what}": "a@b.c" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    env = {**os.environ, **people, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    # a status that refreshed the index would itself be what changes it
    return subprocess.run(
        ["git", "--no-optional-locks", *words], cwd=folder, env=env, capture_output=True, text=True, check=True
    ).stdout


@pytest.fixture
def shop(make_project: MakeProject) -> Path:
    """A branch with a stash, staged, unstaged and untracked changes."""
    root = make_project()
    for words in (["init", "-q", "--initial-branch=main"], ["add", "-A"], ["commit", "-q", "-m", "one"]):
        git(root, *words)
    git(root, "switch", "-q", "-c", "change")
    (root / "docs" / "notes.txt").write_text("stashed\n", encoding="utf-8")
    git(root, "stash", "-q")
    (root / "docs" / "refunds.md").write_text(PAGES["refunds.md"].replace("30 days", "60 days"), encoding="utf-8")
    git(root, "add", "-A")
    (root / "docs" / "shipping.md").write_text("# Shipping\n\nNot staged.\n", encoding="utf-8")
    (root / "docs" / "new.md").write_text("# New\n\nUntracked.\n", encoding="utf-8")
    return root


def state(root: Path) -> tuple[str, ...]:
    """All of a repository that a person or git would see."""
    told = [
        git(root, *words.split())
        for words in ("status --porcelain=v2 --branch", "stash list", "worktree list", "for-each-ref", "config --local --list")
    ]
    home = root / ".git"
    index = hashlib.sha256((home / "index").read_bytes()).hexdigest()
    objects = sorted(str(path.relative_to(home)) for path in home.rglob("*"))
    return (*told, index, "\n".join(objects))


def test_nothing_of_the_repository_changes(shop: Path, home: Path) -> None:
    before = state(shop)
    for _ in range(2):
        found = ragtriage("review", "--json", cwd=shop, home=home).json
        assert [flip["qid"] for flip in found["flips"] if flip["change"] == "broken"] == ["q1"]
        assert state(shop) == before
    assert [path.name for path in (home / "cache" / "exports").iterdir() if path.is_dir()] == []


def test_killed_at_any_moment(shop: Path, home: Path) -> None:
    before = state(shop)
    started = time.monotonic()
    ragtriage("review", "--json", cwd=shop, home=home)
    whole = time.monotonic() - started
    rng = random.Random(5)
    for number in range(rounds(3, 200)):
        own = home.with_name(f"home{number}")
        with subprocess.Popen(
            [*COMMAND, "review", "--json"],
            cwd=shop,
            env=surroundings(own),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        ) as process:
            deadline = time.monotonic() + rng.uniform(0.1, 1.0) * whole
            while time.monotonic() < deadline and process.poll() is None:
                assert state(shop)[:4] == before[:4]
            process.kill()
        assert state(shop) == before
        after = calm(ragtriage("review", "--json", cwd=shop, home=own))
        assert [flip["qid"] for flip in after.json["flips"] if flip["change"] == "broken"] == ["q1"]
        exports = own / "cache" / "exports"
        assert [path.name for path in exports.iterdir() if path.is_dir()] == [], "what was left is removed at the next start"


def test_a_read_only_review_writes_nothing_at_all(shop: Path, home: Path) -> None:
    files = sorted(str(path) for path in shop.rglob("*"))
    ragtriage("review", "--read-only", "--json", cwd=shop, home=home)
    assert sorted(str(path) for path in shop.rglob("*")) == files
