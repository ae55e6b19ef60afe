"""A gate from end to end: what no revision can have does not count against one, and what is not here makes no *ok*."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.engine.revisions.conftest import PAGES, QUESTIONS, Repo, home

from ragtriage.errors import UsageError
from ragtriage.gate.gating import Gating, Head, gate_against, set_baseline
from ragtriage.project import Project

__all__ = ["home"]

POINTER = "version https://git-lfs.github.com/spec/v1\noid sha256:" + "0" * 64 + "\nsize 10\n"


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    """As many questions as a gate needs, half of which want one page."""
    made = Repo(tmp_path / "shop").fill()
    made.questions([{**QUESTIONS[at % 2], "qid": f"q{at}"} for at in range(12)])
    made.commit("everything")
    return made


def gated(repo: Repo, against: str) -> Gating:
    return gate_against(Project.open(repo.root), against, head=Head(store=False))


def test_what_git_ignores_does_not_count_against_a_revision(repo: Repo) -> None:
    repo.git("rm", "-q", "--cached", "docs/shipping.md")
    repo.write(".gitignore", "docs/shipping.md\n")
    repo.commit()
    found = gated(repo, "main")
    assert found.comparison.flips == ()
    assert any("git ignores it or a submodule has it, so left out: 1 file of docs" in note for note in found.gate.warnings)
    set_baseline(Project.open(repo.root))
    assert gated(repo, "baseline").gate.warnings == ()  # which was measured in the same working tree


def test_what_a_submodule_holds_does_not_count_against_a_revision(repo: Repo, tmp_path: Path) -> None:
    other = Repo(tmp_path / "other")
    other.write("shipping.md", PAGES["shipping.md"])
    other.commit()
    repo.git("rm", "-q", "docs/shipping.md")
    repo.git("submodule", "--quiet", "add", str(other.top), "docs/vendor")
    repo.commit()
    assert gated(repo, "main").comparison.flips == ()


def test_a_pointer_of_git_lfs_is_never_ok(repo: Repo) -> None:
    set_baseline(Project.open(repo.root))
    base = repo.commit()
    repo.write("docs/notes.md", POINTER)  # which no question wants
    for against in ("baseline", base):
        found = gated(repo, against).gate
        assert (found.outcome, "Git LFS keeps notes elsewhere" in found.reasons[0]) == ("cannot-tell", True)
    with pytest.raises(UsageError, match="Git LFS keeps notes elsewhere"):
        set_baseline(Project.open(repo.root))
