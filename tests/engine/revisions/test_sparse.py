"""A sparse checkout: what it leaves out is measured on no side, and that is said."""

from __future__ import annotations

import pytest
from tests.engine.revisions.conftest import PAGES, Repo

from ragtriage.errors import RagtriageError
from ragtriage.gate.gating import Head, gate_against
from ragtriage.git import Repository
from ragtriage.project import Project
from ragtriage.review.review import Review, review
from ragtriage.revisions.sparse import absent_from_checkout, sparse_note

NOTE = "left out by the sparse checkout, so measured on no side: 1 file of docs; git sparse-checkout add brings them"


def reviewed(repo: Repo, head: str | None = None) -> Review:
    return review(Project.open(repo.root), head=head)


@pytest.fixture
def sparse(repo: Repo) -> Repo:
    """The repository without docs/faq/notes.md, which is in every commit."""
    repo.git("mv", "docs/notes.md", "docs/notes-old.md")
    repo.write("docs/faq/notes.md", PAGES["notes.md"])
    repo.write("docs/faq/picture.png", b"\x89PNG")
    (repo.root / "docs" / "notes-old.md").unlink()
    repo.git("add", "-A")
    repo.git("commit", "-q", "-m", "a folder")
    repo.git("switch", "-q", "main")
    repo.git("merge", "-q", "change")
    repo.git("switch", "-q", "change")
    repo.git("sparse-checkout", "set", "--no-cone", "/*", "!/docs/faq/")
    assert not (repo.root / "docs" / "faq").exists()
    return repo


def test_what_is_left_out_breaks_nothing_and_is_said(sparse: Repo) -> None:
    before = (sparse.top / ".git" / "index").read_bytes()
    found = reviewed(sparse)
    assert [flip.change for flip in found.comparison.flips] == []
    assert found.differences.nothing
    assert found.notes == (NOTE,)
    assert found.encoded == 0
    assert (sparse.top / ".git" / "index").read_bytes() == before
    assert not (sparse.root / "docs" / "faq").exists()


def test_a_change_of_what_is_there_is_seen(sparse: Repo) -> None:
    sparse.write("docs/refunds.md", "# Refunds\n\nWrite to us.\n")
    found = reviewed(sparse)
    assert [(flip.qid, flip.change) for flip in found.comparison.flips] == [("q1", "broken")]
    assert found.differences.removed == ()


def test_commits_are_compared_alike_on_both_sides(sparse: Repo) -> None:
    sparse.git("commit", "-q", "--allow-empty", "-m", "nothing")
    found = reviewed(sparse, head="HEAD")
    assert found.differences.nothing
    assert found.notes == (NOTE,)


def test_a_gate_says_it_against_a_commit_and_against_a_run(sparse: Repo) -> None:
    against_commit = gate_against(Project.open(sparse.root), "main", head=Head(store=False))
    assert NOTE in against_commit.gate.warnings
    assert against_commit.gate.metrics[0].lost == 0
    run = gate_against(Project.open(sparse.root), "main", head=Head()).head.id
    project = Project.open(sparse.root)
    names = [info.id for info in project.runs.all()]
    assert run in names
    assert NOTE in gate_against(project, run, head=Head(store=False)).gate.warnings


def test_with_a_whole_checkout_nothing_is_said(repo: Repo) -> None:
    assert absent_from_checkout(Repository.of(repo.root)) == frozenset()
    repo.git("update-index", "--skip-worktree", "docs/notes.md")  # for another purpose: the file is there
    repo.git("config", "core.sparseCheckout", "true")
    assert absent_from_checkout(Repository.of(repo.root)) == frozenset()
    assert reviewed(repo).notes == ()


def test_a_sparse_index_is_read(sparse: Repo) -> None:
    sparse.git("sparse-checkout", "set", "--cone", "--sparse-index", "evals")
    assert not (sparse.root / "docs").exists()
    gone = absent_from_checkout(Repository.of(sparse.root))
    assert {"docs/refunds.md", "docs/faq/notes.md", "docs/faq/picture.png"} <= gone
    with pytest.raises(RagtriageError, match="docs"):
        reviewed(sparse)


def test_only_documents_are_counted() -> None:
    absent = {"docs/a.md", "docs/b/c.md", "docs/b.png", "other/d.md", "docs2/e.md"}
    assert "2 files of docs;" in sparse_note(absent, "docs", lambda name: name.endswith(".md"), shown="docs")
    assert "4 files of .;" in sparse_note(absent, "", lambda name: name.endswith(".md"), shown=".")
    assert sparse_note(absent, "elsewhere", lambda name: True, shown="elsewhere") == ""
    assert sparse_note((), "", lambda name: True, shown=".") == ""
