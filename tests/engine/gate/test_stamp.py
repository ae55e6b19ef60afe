"""Whether there were changes when a baseline was set: git is asked, and nothing that the repository names runs."""

from __future__ import annotations

import subprocess
from pathlib import Path

from ragtriage.git import has_changes


def git(folder: Path, *words: str) -> None:
    subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@b", *words], cwd=folder, check=True, capture_output=True)


def test_changes_are_told_and_no_filter_runs(tmp_path: Path) -> None:
    top, ran = tmp_path / "top", tmp_path / "ran"
    top.mkdir()
    git(top, "init", "-q")
    (top / "page.md").write_text("one\n")
    (top / ".gitattributes").write_text("*.md filter=evil\n")
    git(top, "add", ".")
    git(top, "commit", "-qm", "pages")
    for kind in ("clean", "smudge", "process"):
        git(top, "config", f"filter.evil.{kind}", f"touch {ran}; cat")
    git(top, "config", "filter.evil.required", "true")
    (top / "page.md").write_text("one\n")  # as it was, but written anew: git looks into it
    assert not has_changes(top)
    (top / "page.md").write_text("two\n")
    assert has_changes(top)
    assert not ran.exists()
