"""What is exported of a revision, and that nothing is run, written or followed on the way."""

from __future__ import annotations

import errno
import hashlib
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest
from tests.engine.revisions.conftest import CONFIG, PAGES, QUESTIONS, Repo

from ragtriage.errors import ConfigError, StorageError, UsageError
from ragtriage.git import Repository, run_git
from ragtriage.project import Project
from ragtriage.review.review import Review, review
from ragtriage.revisions.export import Export
from ragtriage.revisions.naming import named
from ragtriage.revisions.slots import export_folder

POINTER = "version https://git-lfs.github.com/spec/v1\noid sha256:{oid}\nsize {size}\n"


def exported(repo: Repo, folder: Path, ref: str = "HEAD") -> Export:
    repository = Repository.of(repo.root)
    folder.mkdir()
    return Export(repository, named(repository, ref), folder)


def reviewed(repo: Repo, base: str | None = None) -> Review:
    project = Project.open(repo.root)
    try:
        return review(project, base)
    finally:
        project.close()


def files(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_symlink() or path.is_file()}


def test_only_what_is_asked_for(repo: Repo, tmp_path: Path) -> None:
    repo.write("docs/picture.png", b"\x89PNG")
    repo.write("src/secret.py", "x")
    repo.commit()
    export = exported(repo, tmp_path / "out")
    export.take("docs", lambda name: name.endswith(".md"))
    assert files(export.tree) == {"docs/refunds.md", "docs/shipping.md", "docs/notes.md"}
    assert export.take("nowhere") == []


@pytest.mark.parametrize("object_format", ["sha1", "sha256"])
def test_both_kinds_of_object_ids(tmp_path: Path, object_format: str) -> None:
    repo = Repo(tmp_path / "shop", object_format=object_format).fill()
    commit = repo.commit()
    assert len(commit) == {"sha1": 40, "sha256": 64}[object_format]
    repo.write("docs/refunds.md", "# Refunds\n")
    assert [flip.qid for flip in reviewed(repo).comparison.flips] == ["q1"]


def test_no_filter_hook_or_monitor_of_anybody_runs(repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ran = tmp_path / "ran"
    trap = repo.write("trap.sh", f'#!/bin/sh\necho "$0 $@" >> "{ran}"\ncat\n')
    trap.chmod(0o755)
    repo.write(".gitattributes", "*.md filter=trap diff=trap\n*.txt filter=trap\n")
    repo.write("docs/.gitattributes", "*.md filter=trap\n")
    repo.commit()
    settings = tmp_path / "gitconfig"
    trapped = {
        "filter.trap.smudge": str(trap), "filter.trap.clean": str(trap), "filter.trap.required": "true",
        "diff.trap.textconv": str(trap), "core.fsmonitor": str(trap), "diff.external": str(trap),
        "core.hooksPath": str(tmp_path / "hooks"), "core.sshCommand": str(trap), "core.pager": str(trap),
        "core.attributesFile": str(repo.top / ".gitattributes"),
    }  # fmt: skip
    for key, value in trapped.items():
        repo.git("config", "--file", str(settings), key, value)
        repo.git("config", key, value)
    for hook in ("post-index-change", "post-checkout", "pre-commit", "reference-transaction", "fsmonitor-watchman"):
        for folder in (tmp_path / "hooks", repo.top / ".git" / "hooks"):
            folder.mkdir(exist_ok=True)
            (folder / hook).write_text(trap.read_text(encoding="utf-8"), encoding="utf-8")
            (folder / hook).chmod(0o755)
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(settings))
    ran.unlink(missing_ok=True)  # what `git config` itself set off
    repo.write("docs/refunds.md", "# Refunds\n\nWrite to us.\n")
    found = reviewed(repo, base="change")
    assert not ran.exists(), ran.read_text(encoding="utf-8")
    assert [flip.qid for flip in found.comparison.flips] == ["q1"]


@pytest.mark.parametrize("kind", ["smudge", "process"])
@pytest.mark.parametrize("attributes", [".gitattributes", "docs/.gitattributes", ".git/info/attributes"])
def test_what_a_filter_makes_otherwise_is_not_compared(repo: Repo, kind: str, attributes: str) -> None:
    repo.write(attributes, "refunds.md filter=crypt\n")
    repo.write("docs/refunds.md", "\x00GITCRYPT")  # as git stores it
    stored = repo.commit()
    repo.git("config", f"filter.crypt.{kind}", "decrypt")
    repo.git("config", "filter.crypt.clean", "encrypt")
    repo.git("update-index", "--assume-unchanged", "docs/refunds.md")
    repo.write("docs/refunds.md", PAGES["refunds.md"])
    for _ in range(2):  # also where it was measured before
        found = reviewed(repo, base=stored)
        assert found.incomplete == (
            "a filter of .gitattributes makes docs/refunds.md what it is in a checkout, and none runs here",
        )
        assert found.gate.outcome == "cannot-tell"
        assert found.gate.reasons[0] == found.incomplete[0]


@pytest.mark.parametrize("smudge", [None, "cat"])
def test_a_filter_that_changes_nothing_here_is_none(repo: Repo, smudge: str | None) -> None:
    repo.write(".gitattributes", "*.md filter=tidy\n*.png filter=lfs\n*.txt filter\n*.html -filter\n")
    if smudge:
        repo.git("config", "filter.tidy.smudge", smudge)
    stored = repo.commit()
    assert reviewed(repo, base=stored).incomplete == ()


def test_links_out_of_the_export_are_cut(repo: Repo, tmp_path: Path) -> None:
    (tmp_path / "secret.md").write_text("# Secret\n\nThe key is 4711.\n", encoding="utf-8")
    (repo.root / "docs" / "stolen.md").symlink_to(tmp_path / "secret.md")
    (repo.root / "docs" / "up.md").symlink_to("../../../../secret.md")
    (repo.root / "docs" / "again.md").symlink_to("refunds.md")
    (repo.root / "handbook").symlink_to("docs")
    repo.commit()
    export = exported(repo, tmp_path / "out")
    export.take("docs")
    assert sorted(export.links_out) == ["docs/stolen.md", "docs/up.md"]
    assert {"docs/again.md", "docs/refunds.md"} <= files(export.tree)
    assert not any("4711" in path.read_text(encoding="utf-8") for path in (export.tree / "docs").iterdir())
    assert {entry.path for entry in export.take("handbook")} >= {"docs/refunds.md"}
    assert (export.tree / "handbook" / "refunds.md").is_file()


def test_a_folder_of_documents_that_is_a_link_out(repo: Repo, tmp_path: Path) -> None:
    (tmp_path / "private").mkdir()
    (tmp_path / "private" / "a.md").write_text("# A\n", encoding="utf-8")
    repo.git("mv", "docs", "pages")
    (repo.root / "docs").symlink_to(tmp_path / "private")
    hostile = repo.commit()
    (repo.root / "docs").unlink()
    repo.git("mv", "pages", "docs")
    with pytest.raises(UsageError, match="has no documents in docs"):
        reviewed(repo, base=hostile)


def test_links_in_a_circle(repo: Repo, tmp_path: Path) -> None:
    (repo.root / "a").symlink_to("b")
    (repo.root / "b").symlink_to("a")
    repo.commit()
    export = exported(repo, tmp_path / "out")
    assert [entry.path for entry in export.take("a/x")] == []


def test_lfs_pointers_are_filled_from_here_and_else_said(repo: Repo) -> None:
    text = b"# Refunds\n\nYou may send goods back within 30 days of delivery.\n"
    oid = hashlib.sha256(text).hexdigest()
    repo.write("docs/refunds.md", POINTER.format(oid=oid, size=len(text)))
    pointed = repo.commit()
    repo.write("docs/refunds.md", text)
    missing = reviewed(repo, base=pointed)
    assert missing.incomplete == ("Git LFS keeps docs/refunds.md elsewhere and it is not here; git lfs fetch brings it",)
    assert missing.gate.outcome == "cannot-tell"
    store = repo.top / ".git" / "lfs" / "objects" / oid[:2] / oid[2:4]
    store.mkdir(parents=True)
    (store / oid).write_bytes(text[:-1] + b"!")  # of the right size, and not what the pointer says
    assert reviewed(repo, base=pointed).incomplete
    (store / oid).write_bytes(text)
    assert reviewed(repo, base=pointed).comparison.flips == ()


def test_a_working_tree_of_pointers(repo: Repo) -> None:
    repo.write("docs/refunds.md", POINTER.format(oid="0" * 64, size=10))
    assert "Git LFS keeps refunds elsewhere" in reviewed(repo).incomplete[0]


def test_a_submodule_is_said(repo: Repo, tmp_path: Path) -> None:
    other = Repo(tmp_path / "other")
    other.write("more.md", "# More\n\nOther words.\n")
    other.commit()
    repo.git("submodule", "--quiet", "add", str(other.top), "docs/vendor")
    repo.commit()
    found = reviewed(repo, base="change")
    assert any("docs/vendor is a submodule" in note for note in found.notes)
    assert "in no commit, because git ignores it or a submodule has it, so left out: 1 file of docs" in found.notes
    assert found.differences.nothing  # the working tree has the file, and no commit has
    assert (
        "in no commit, because git ignores it or a submodule has it, so left out: 1 file of docs"
        in reviewed(repo, base="main").notes
    )
    repo.git("rm", "-q", "-r", "--cached", "docs")
    repo.git("update-index", "--add", "--cacheinfo", f"160000,{other.git('rev-parse', 'HEAD')},docs")
    repo.git("commit", "-q", "-m", "all documents in a submodule")
    whole = repo.git("rev-parse", "HEAD")
    with pytest.raises(UsageError, match="docs is a submodule, whose files are not in this repository"):
        reviewed(repo, base=whole)


def test_a_partial_clone_fetches_nothing(repo: Repo, tmp_path: Path) -> None:
    repo.git("switch", "-q", "main")
    repo.write("docs/refunds.md", "# Refunds\n\nWrite to us.\n")
    repo.commit()
    repo.git("config", "uploadpack.allowFilter", "true")
    clone = tmp_path / "clone"
    repo.git("clone", "-q", "--filter=blob:none", f"file://{repo.top}", str(clone))
    cloned = Repo.__new__(Repo)
    cloned.top = cloned.root = clone
    with pytest.raises(UsageError, match="objects are not all here"):
        reviewed(cloned, base="origin/change")


def test_names_that_git_and_a_shell_could_mistake(repo: Repo) -> None:
    for name in ("-rf.md", ":(top)x.md", "a b.md", "$(id).md", "*.md", 'q"uote.md', "back\\slash.md", "l\nine.md", "ü.md"):
        repo.write(f"docs/{name}", "# Odd\n\nOdd words.\n")
    (repo.root / "docs" / os.fsdecode(b"\xff.md")).write_text("# Odd\n", encoding="utf-8")
    repo.commit()
    found = reviewed(repo, base="change")
    assert found.differences.nothing
    assert len(found.comparison.base.questions) == 3


def test_a_repository_whose_path_needs_quotes(tmp_path: Path) -> None:
    repo = Repo(tmp_path / 'a:b "c"\\d').fill()
    repo.commit()
    assert reviewed(repo).comparison.flips == ()


@pytest.mark.parametrize("path", ["../../secret.jsonl", "/etc/passwd"])
def test_a_golden_set_outside_the_project(repo: Repo, path: str) -> None:
    repo.write("ragtriage.toml", CONFIG + f'[golden]\npath = "{path}"\n')
    hostile = repo.commit()
    repo.write("ragtriage.toml", CONFIG)
    with pytest.raises(ConfigError, match=r"golden\.path: .* lies outside the project"):
        reviewed(repo, base=hostile)


def test_the_same_folder_again_and_what_was_left_is_removed(tmp_path: Path) -> None:
    with export_folder(tmp_path, tmp_path) as first:
        (first / "x").write_text("x", encoding="utf-8")
        with export_folder(tmp_path, tmp_path) as second:
            assert second != first
    assert not first.exists()
    first.mkdir()
    (first / "left").write_text("by a process that was killed", encoding="utf-8")
    with export_folder(tmp_path, tmp_path / "another") as third:
        assert not first.exists()
        assert third != first
    with export_folder(tmp_path, tmp_path) as again:
        assert again == first
        assert list(again.iterdir()) == []


def test_the_questions_are_real(repo: Repo) -> None:
    assert len(QUESTIONS) == len(reviewed(repo).comparison.common)


def test_a_linked_worktree_and_borrowed_objects(repo: Repo, tmp_path: Path) -> None:
    repo.git("worktree", "add", "-q", "-b", "side", str(tmp_path / "side"))
    linked = Repo.__new__(Repo)
    linked.top = linked.root = tmp_path / "side"
    linked.write("docs/refunds.md", "# Refunds\n\nWrite to us.\n")
    assert [flip.qid for flip in reviewed(linked).comparison.flips] == ["q1"]
    repo.git("clone", "-q", "--shared", str(repo.top), str(tmp_path / "shared"))
    shared = Repo.__new__(Repo)
    shared.top = shared.root = tmp_path / "shared"
    shared.write("docs/refunds.md", "# Refunds\n\nWrite to us.\n")
    assert [flip.qid for flip in reviewed(shared).comparison.flips] == ["q1"]


def test_line_ends_and_identities_of_a_checkout_are_no_edits(repo: Repo) -> None:
    repo.write(".gitattributes", "docs/*.md text eol=crlf ident\n")
    repo.write("docs/notes.md", "# Notes\n\n$Id$\n\nSupport may give a voucher of 15 euros without asking.\n")
    commit = repo.commit()
    repo.git("rm", "-q", "-r", "--cached", "docs")
    repo.git("reset", "-q", "--hard")
    assert b"\r\n" in (repo.root / "docs" / "notes.md").read_bytes()
    assert reviewed(repo, base=commit).differences.nothing


def test_a_beir_folder(tmp_path: Path) -> None:
    repo = Repo(tmp_path / "set")
    repo.write("corpus.jsonl", '{"_id": "d1", "text": "Lift of a wing."}\n{"_id": "d2", "text": "Drag of a body."}\n')
    repo.write("queries.jsonl", '{"_id": "1", "text": "what lift has a wing"}\n')
    repo.write("qrels.tsv", "query-id\tcorpus-id\tscore\n1\td1\t1\n")
    repo.commit()
    repo.git("switch", "-q", "-c", "change")
    repo.write("corpus.jsonl", '{"_id": "d2", "text": "Drag of a body."}\n')
    found = review(Project.open(repo.root, overrides=["retrieval.mode=bm25"]), overrides=["retrieval.mode=bm25"])
    assert [(flip.qid, flip.rung) for flip in found.comparison.flips] == [("1", "corpus")]
    assert found.differences.removed == ("d1",)


def test_two_reviews_at_once(repo: Repo) -> None:
    from concurrent.futures import ThreadPoolExecutor

    repo.write("docs/refunds.md", "# Refunds\n\nWrite to us.\n")
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda _: [flip.qid for flip in reviewed(repo).comparison.flips], range(8)))
    assert found == [["q1"]] * 8


def test_a_repository_that_cannot_be_written(repo: Repo) -> None:
    repo.write("docs/refunds.md", "# Refunds\n\nWrite to us.\n")
    closed = [path for path in (repo.top, *repo.top.rglob("*")) if path.is_dir()]
    for path in closed:
        path.chmod(0o555)
    try:
        assert [flip.qid for flip in reviewed(repo).comparison.flips] == ["q1"]
    finally:
        for path in closed:
            path.chmod(0o755)


@pytest.mark.parametrize("name", [b"..", b".git", b".", b"docs/../../evil.md", b".GIT"])
def test_a_tree_whose_names_lead_elsewhere(repo: Repo, tmp_path: Path, name: bytes) -> None:
    blob = bytes.fromhex(repo.git("rev-parse", "HEAD:ragtriage.toml"))
    docs = bytes.fromhex(repo.git("rev-parse", "HEAD:docs"))
    inner = b"100644 evil.md\0" + blob
    (tmp_path / "inner").write_bytes(inner)
    evil = bytes.fromhex(repo.git("hash-object", "-t", "tree", "--literally", "-w", str(tmp_path / "inner")))
    rows = sorted([b"40000 docs\0" + docs, b"100644 ragtriage.toml\0" + blob, b"40000 " + name + b"\0" + evil])
    (tmp_path / "tree").write_bytes(b"".join(rows))
    tree = repo.git("hash-object", "-t", "tree", "--literally", "-w", str(tmp_path / "tree"))
    commit = repo.git("commit-tree", "-m", "hostile", tree)
    with pytest.raises(UsageError, match="cannot be exported"):
        reviewed(repo, base=commit)
    assert not list(tmp_path.rglob("evil.md"))


@pytest.mark.parametrize("why", [errno.ENOSPC, errno.EDQUOT])
def test_a_disk_that_fills_up_is_said(repo: Repo, monkeypatch: pytest.MonkeyPatch, why: int) -> None:
    def full(folder: Path, *words: str, **more: Any) -> subprocess.CompletedProcess[bytes]:
        done = run_git(folder, *words, **more)
        if words[0] != "checkout-index":
            return done
        says = f"error: unable to write file docs/notes.md\nfatal: cannot write: {os.strerror(why)}\n"
        return subprocess.CompletedProcess(done.args, 128, b"", says.encode())

    monkeypatch.setattr("ragtriage.revisions.export.run_git", full)
    with pytest.raises(
        StorageError, match=r"exports/.*: the disk is full, so main [0-9a-f]{9} cannot be exported there; .* Free some"
    ):
        reviewed(repo, base="main")
