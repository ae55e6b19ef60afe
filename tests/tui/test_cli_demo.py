"""`ragtriage demo`: a copy of the sample that is whole, stays the user's, and needs no model."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from ragtriage.errors import UsageError
from ragtriage_tui.commands import demo

if TYPE_CHECKING:
    from tests.tui.conftest import Command


@pytest.fixture
def sample(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A sample of three files, and what a checkout may have beside them."""
    root = tmp_path / "installed" / "sample"
    (root / "docs").mkdir(parents=True)
    (root / ".ragtriage").mkdir()
    (root / "ragtriage.toml").write_text("", encoding="utf-8")
    (root / "docs" / "a.md").write_text("# A\n", encoding="utf-8")
    (root / "evals").mkdir()
    (root / "evals" / "golden.jsonl").write_text("", encoding="utf-8")
    for name in (".ragtriage/left over", "evals/verdicts.jsonl", "evals/holdout.jsonl", "notes.txt", "docs/.swp"):
        (root / name).write_text("x", encoding="utf-8")
    monkeypatch.setattr(demo, "sample_folder", lambda: root)
    return root


def test_the_copy_is_whole_and_leaves_runs_and_labels_behind(sample: Path, tmp_path: Path) -> None:
    target = tmp_path / "made" / "here"
    demo.copy_sample(target)
    files = {path.relative_to(target).as_posix() for path in target.rglob("*") if path.is_file()}
    assert files == {"ragtriage.toml", "docs/a.md", "evals/golden.jsonl"}
    assert [path.name for path in target.parent.iterdir()] == ["here"]


def test_the_copy_is_what_git_ships(tmp_path: Path) -> None:
    root = Path(__file__).parents[2]
    listed = subprocess.run(["git", "ls-files", "-z", "sample_corpus"], cwd=root, capture_output=True, encoding="utf-8")
    if listed.returncode:
        pytest.skip("no checkout")
    demo.copy_sample(tmp_path / "copy")
    files = {path.relative_to(tmp_path / "copy").as_posix() for path in (tmp_path / "copy").rglob("*") if path.is_file()}
    assert {f"sample_corpus/{name}" for name in files} == set(listed.stdout.split("\0")) - {""}


def test_an_installation_that_is_read_only_gives_a_copy_that_can_be_written(sample: Path, tmp_path: Path) -> None:
    for path in [*sample.rglob("*"), sample]:
        path.chmod(0o555 if path.is_dir() else 0o444)
    try:
        demo.copy_sample(tmp_path / "copy")
    finally:
        for path in [sample, *sample.rglob("*")]:
            path.chmod(0o755)
    assert (tmp_path / "copy").stat().st_mode & 0o200
    assert (tmp_path / "copy" / "docs" / "a.md").stat().st_mode & 0o200


def test_a_copy_that_broke_off_leaves_nothing(sample: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*names: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(demo.shutil, "copyfile", full)
    with pytest.raises(OSError, match="No space"):
        demo.copy_sample(tmp_path / "copies" / "copy")
    assert list((tmp_path / "copies").iterdir()) == []


def test_two_at_once_end_with_one_whole_copy(sample: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = tmp_path / "copy"
    renamed = Path.rename

    def slower(self: Path, goal: Path) -> Path:
        if not target.exists():
            monkeypatch.setattr(Path, "rename", renamed)
            demo.copy_sample(target)
        return renamed(self, goal)

    monkeypatch.setattr(Path, "rename", slower)
    demo.copy_sample(target)
    assert (target / "docs" / "a.md").is_file()


def test_a_missing_sample_is_said(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(demo, "__file__", str(tmp_path / "a" / "b" / "c.py"))
    with pytest.raises(UsageError, match="install ragtriage again"):
        demo.sample_folder()


def test_the_demo_needs_no_model_and_keeps_what_people_did(ragtriage: Command, tmp_path: Path, home: Path) -> None:
    first = ragtriage("demo", "--json", cwd=tmp_path)
    assert (first.code, first.err) == (0, "")
    assert first.json["encoded"] == 0
    (copy,) = (home / "state" / "demo").glob("*/sample")
    failing = next(question["qid"] for question in first.json["per_question"] if question["suggested"])
    assert ragtriage("-C", str(copy), "verdict", failing, "6").code == 0
    again = ragtriage("demo", "--json", cwd=tmp_path).json
    assert again["failures"]["confirmed"]["bad-label"] == 1
    assert again["run"] == first.json["run"]


def test_into_a_folder_of_ones_own(ragtriage: Command, tmp_path: Path) -> None:
    first = ragtriage("demo", "--plain", "--into", "mine", cwd=tmp_path)
    assert "recall@5" in first.out
    assert first.out.splitlines()[-2:] == ["mine: made, the sample", "next: cd mine, then ragtriage, or ragtriage eval"]
    again = ragtriage("demo", "--json", "--into", "mine", cwd=tmp_path)
    assert again.json["questions"]
    assert again.err.splitlines()[0] == "mine: the sample, as it was left"
    assert (tmp_path / "mine" / "ragtriage.toml").is_file()
    assert ragtriage("eval", "mine", "--json", cwd=tmp_path).json["encoded"] == 0
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "thesis.txt").write_text("years of work", encoding="utf-8")
    refused = ragtriage("demo", "--plain", "--into", "other", cwd=tmp_path)
    assert (refused.code, refused.out) == (2, "")
    assert [path.name for path in (tmp_path / "other").iterdir()] == ["thesis.txt"]
