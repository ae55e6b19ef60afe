"""Which revisions are meant, in repositories of every kind."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.engine.revisions.conftest import Repo

from ragtriage.errors import UsageError
from ragtriage.git import Repository
from ragtriage.revisions.naming import default_base, named, working_tree


def test_the_merge_base_with_main(repo: Repo) -> None:
    main = repo.git("rev-parse", "main")
    repo.write("docs/a.md", "a")
    repo.commit()
    repo.git("switch", "-q", "main")
    repo.write("docs/b.md", "b")
    repo.commit()
    repo.git("switch", "-q", "change")
    repository = Repository.of(repo.root)
    base = default_base(repository, working_tree(repository))
    assert (base.commit, base.name, base.why) == (main, main[:9], "merge base with main")


def test_origin_s_branch_comes_first(repo: Repo, tmp_path: Path) -> None:
    clone = tmp_path / "clone"
    repo.git("switch", "-q", "main")
    repo.git("clone", "-q", str(repo.top), str(clone))
    repository = Repository.of(clone)
    (clone / "more.txt").write_text("x", encoding="utf-8")
    repo.git("add", "-A", cwd=clone)
    repo.git("commit", "-q", "-m", "ahead", cwd=clone)
    base = default_base(repository, working_tree(repository))
    assert (base.label, base.commit) == (f"origin/main {repo.git('rev-parse', 'main')[:9]}", repo.git("rev-parse", "main"))


def test_a_detached_head_is_named_by_its_commit(repo: Repo) -> None:
    commit = repo.git("rev-parse", "HEAD")
    repo.git("switch", "-q", "--detach")
    assert working_tree(Repository.of(repo.root)).label == f"working tree on {commit[:9]}"


def test_nothing_committed_yet(tmp_path: Path) -> None:
    repository = Repository.of(Repo(tmp_path / "new").fill().root)
    head = working_tree(repository)
    assert (head.commit, head.name) == ("", "main")
    with pytest.raises(UsageError, match="nothing has been committed yet"):
        default_base(repository, head)
    with pytest.raises(UsageError, match="nothing has been committed yet"):
        named(repository, "main~1")


def test_a_shallow_clone_says_how_to_get_the_rest(repo: Repo, tmp_path: Path) -> None:
    repo.write("docs/a.md", "a")
    repo.commit()
    repo.git("switch", "-q", "main")
    repo.write("docs/b.md", "b")
    repo.commit()
    clone = tmp_path / "clone"
    repo.git("clone", "-q", "--depth=1", "--no-single-branch", "-b", "change", f"file://{repo.top}", str(clone))
    repository = Repository.of(clone)
    with pytest.raises(UsageError, match=r"shallow and does not reach back .* git fetch --unshallow"):
        default_base(repository, working_tree(repository))
    with pytest.raises(UsageError, match="shallow, git fetch may bring it"):
        named(repository, "HEAD~1")


def test_a_branch_that_only_a_remote_has_is_named(repo: Repo, tmp_path: Path) -> None:
    clone = tmp_path / "clone"
    repo.git("clone", "-q", str(repo.top), str(clone))
    repository = Repository.of(clone)
    with pytest.raises(UsageError, match=r"^'main': no such revision in .*; there is 'origin/main'$"):
        named(repository, "main")
    for other in ("mainly", "", "main..change", "-x"):
        with pytest.raises(UsageError, match=r"no such revision in .*/clone$"):
            named(repository, other)


def test_no_default_branch_and_no_common_ancestor(repo: Repo) -> None:
    repo.git("branch", "-q", "-m", "main", "trunk")
    repository = Repository.of(repo.root)
    with pytest.raises(UsageError, match="neither origin/HEAD nor main nor master"):
        default_base(repository, working_tree(repository))
    repo.git("switch", "-q", "--orphan", "main")
    repo.write("other.txt", "x")
    repo.commit()
    repo.git("switch", "-q", "change")
    with pytest.raises(UsageError, match="no common ancestor"):
        default_base(repository, working_tree(repository))


def test_no_repository_and_a_bare_one(tmp_path: Path, repo: Repo) -> None:
    (tmp_path / "plain").mkdir()
    with pytest.raises(UsageError, match="lies in no git repository"):
        Repository.of(tmp_path / "plain")
    repo.git("clone", "-q", "--bare", str(repo.top), str(tmp_path / "bare.git"))
    with pytest.raises(UsageError, match="a bare repository"):
        Repository.of(tmp_path / "bare.git")
    with pytest.raises(UsageError, match=r"inside of \.git"):
        Repository.of(repo.top / ".git")


@pytest.mark.parametrize(
    "ref",
    [
        "--help",
        "--output=/tmp/x",
        "-c",
        "",
        " ",
        "a..b",
        "main..change",
        "^main",
        "nope",
        "HEAD^{tree}",
        "x" * 100_000,
        "a\nb",
        "é\ud800",
        "$(id)",
    ],
)
def test_names_that_are_none(repo: Repo, ref: str) -> None:
    with pytest.raises(UsageError, match=r"no such revision|cannot be asked") as caught:
        named(Repository.of(repo.root), ref)
    assert len(str(caught.value)) < 1_000


def test_a_name_with_a_zero_byte(repo: Repo) -> None:
    with pytest.raises(UsageError, match="cannot be asked"):
        named(Repository.of(repo.root), "a\0b")


def test_a_hook_s_variables_do_not_count(repo: Repo, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("GIT_DIR", str(tmp_path))
    monkeypatch.setenv("GIT_INDEX_FILE", str(tmp_path / "index"))
    assert Repository.of(repo.root).top == repo.top.resolve()
