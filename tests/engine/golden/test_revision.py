from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from ragtriage.errors import GoldenError
from ragtriage.golden.revision import file_at


def git(folder: Path, *words: str) -> None:
    settings = (
        "-c",
        "user.name=x",
        "-c",
        "user.email=x@example.org",
        "-c",
        "commit.gpgsign=false",
        "-c",
        "init.defaultBranch=main",
    )
    subprocess.run(["git", *settings, *words], cwd=folder, check=True, capture_output=True)


@pytest.fixture
def golden(tmp_path: Path) -> Path:
    """A golden file in a subfolder of a repository, of which one version is committed."""
    path = tmp_path / "top" / "a project" / "evals" / "golden.jsonl"
    path.parent.mkdir(parents=True)
    path.write_bytes(b"one\r\n")
    git(tmp_path / "top", "init")
    git(tmp_path / "top", "add", ".")
    git(tmp_path / "top", "commit", "-m", "one")
    return path


def test_versions_by_any_name_of_a_commit(golden: Path) -> None:
    golden.write_bytes(b"two\n")
    assert file_at(golden, "HEAD") == b"one\r\n"
    git(golden.parent, "commit", "-am", "two")
    git(golden.parent, "tag", "-a", "v2", "-m", "v2")
    for name, data in (("HEAD", b"two\n"), ("HEAD~1", b"one\r\n"), ("main", b"two\n"), ("v2", b"two\n"), ("@{0}", b"two\n")):
        assert file_at(golden, name) == data


def test_a_file_that_was_removed_since(golden: Path) -> None:
    golden.unlink()
    assert file_at(golden, "HEAD") == b"one\r\n"


def test_a_worktree_a_link_and_a_hook(golden: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    git(golden.parent, "worktree", "add", str(tmp_path / "other"), "-b", "other")
    path = tmp_path / "other" / "a project" / "evals" / "golden.jsonl"
    path.write_bytes(b"three\n")
    git(path.parent, "commit", "-am", "three")
    assert file_at(path, "HEAD") == b"three\n"
    assert file_at(golden, "HEAD") == b"one\r\n"
    link = tmp_path / "golden.jsonl"
    link.symlink_to(golden)
    assert file_at(link, "HEAD") == b"one\r\n"
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "nowhere"))
    monkeypatch.setenv("GIT_INDEX_FILE", "index")
    assert file_at(golden, "HEAD") == b"one\r\n"


@pytest.mark.parametrize(
    "ref",
    [
        "nowhere",
        "-x",
        "--help",
        "--output=x",
        "",
        "HEAD:evals",
        "HEAD..main",
        "x\ny",
        "HEAD^{tree}",
        "../..",
        "a\x00b",
        "\ud800",
        "9" * 5000,
    ],
)
def test_names_of_no_commit(golden: Path, ref: str) -> None:
    with pytest.raises(GoldenError) as raised:
        file_at(golden, ref)
    assert "no such revision" in str(raised.value) or "git cannot be asked" in str(raised.value)
    assert sorted(path.name for path in golden.parent.iterdir()) == ["golden.jsonl"]


def test_a_branch_whose_name_is_hostile_is_a_name(golden: Path) -> None:
    git(golden.parent, "update-ref", "refs/heads/-x", "HEAD")
    assert file_at(golden, "refs/heads/-x") == b"one\r\n"


def test_what_is_not_there_is_said(golden: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    new = golden.with_name("new.jsonl")
    new.write_bytes(b"")
    with pytest.raises(GoldenError, match=r"new\.jsonl: is not in HEAD"):
        file_at(new, "HEAD")
    outside = tmp_path / "outside"
    outside.mkdir()
    with pytest.raises(GoldenError, match="lies in no git repository"):
        file_at(outside / "golden.jsonl", "HEAD")
    git(outside, "init")
    with pytest.raises(GoldenError, match="nothing has been committed yet"):
        file_at(outside / "golden.jsonl", "HEAD")
    with pytest.raises(GoldenError, match="no such folder"):
        file_at(tmp_path / "gone" / "golden.jsonl", "HEAD")
    monkeypatch.setenv("PATH", str(outside))
    with pytest.raises(GoldenError, match="git is not installed"):
        file_at(golden, "HEAD")


def test_programs_of_the_repository_do_not_run(golden: Path) -> None:
    mark = golden.with_name("ran")
    program = golden.with_name("program")
    program.write_text(f"#!/bin/sh\ntouch {mark.name!r}\ncat\n", encoding="utf-8")
    program.chmod(0o755)
    (golden.parent / ".gitattributes").write_text("*.jsonl diff=mine filter=mine\n", encoding="utf-8")
    for key in ("diff.mine.textconv", "filter.mine.smudge", "filter.mine.clean", "core.fsmonitor", "core.pager"):
        git(golden.parent, "config", key, str(program))
    assert file_at(golden, "HEAD") == b"one\r\n"
    assert not mark.exists()
