"""Folders that cannot be written and disks that are full: a clear message, nothing half written, nothing lost."""

from __future__ import annotations

import contextlib
import json
import os
import resource
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.faults.conftest import QUESTIONS, MakeProject, write_project
from tests.faults.processes import Done, ragtriage

COMMANDS = (
    ("verdict", "q1", "1", "--note", "because"),
    ("add", "is there a discount", "--unanswerable"),
    ("eval", "--json"),
)


def _mount(folder: Path, options: str) -> bool:
    folder.mkdir(parents=True, exist_ok=True)
    try:
        done = subprocess.run(["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(folder)], capture_output=True)
    except OSError:
        return False
    return done.returncode == 0


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 256 kB. Skips where this user may not mount one."""
    folder = tmp_path / "disk"
    if os.geteuid() != 0 or not _mount(folder, "size=256k"):
        pytest.skip("mounting needs root")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", str(folder)], capture_output=True)


@pytest.fixture
def read_only(tmp_path: Path) -> Iterator[Path]:
    """A project that nobody can write to: by its mount for root, by its mode for everybody else."""
    root = tmp_path / "disk" / "handbook"
    mounted = False
    if os.geteuid() == 0:
        mounted = _mount(tmp_path / "disk", "size=4m")
        if not mounted:
            pytest.skip("mounting needs root")
    write_project(root)
    if mounted:
        subprocess.run(["mount", "-o", "remount,ro", str(tmp_path / "disk")], check=True)
    else:
        for path in [*root.rglob("*"), root]:
            path.chmod(0o555 if path.is_dir() else 0o444)
    try:
        yield root
    finally:
        if mounted:
            subprocess.run(["umount", "-l", str(tmp_path / "disk")], capture_output=True)
        else:
            for path in [root, *root.rglob("*")]:
                path.chmod(0o755)


def _fill(folder: Path) -> None:
    with open(folder / "filler", "wb", buffering=0) as handle, contextlib.suppress(OSError):
        while handle.write(b"x" * 512):
            pass


def _contents(root: Path) -> dict[str, bytes]:
    files = (path for path in root.rglob("*") if path.is_file() and ".ragtriage" not in path.parts)
    return {str(path.relative_to(root)): path.read_bytes() for path in files}


def test_a_read_only_project_is_measured_and_its_runs_go_to_the_users_folder(read_only: Path, home: Path) -> None:
    before = _contents(read_only)
    done = ragtriage("eval", "--json", cwd=read_only, home=home)
    assert done.code == 0, done.err
    assert str(home / "state") in done.err, "the output says where the run is"
    listed = ragtriage("runs", "list", "--json", cwd=read_only, home=home)
    assert done.json["run"] in listed.out
    for words in COMMANDS[:2]:
        refused = ragtriage(*words, cwd=read_only, home=home)
        assert refused.code == 2
        assert "golden.jsonl" in refused.err or "verdicts.jsonl" in refused.err, refused.err
    assert _contents(read_only) == before


def test_a_full_disk_under_the_project(small_disk: Path, home: Path) -> None:
    root = write_project(small_disk / "handbook")
    ragtriage("eval", "--json", cwd=root, home=home)
    ragtriage("verdict", "q2", "2", cwd=root, home=home)
    before = _contents(root)
    _fill(small_disk)
    for words in COMMANDS:
        _refused(ragtriage(*words, cwd=root, home=home), words[0])
    assert _contents(root) == before, "nothing half written, nothing lost"
    (small_disk / "filler").unlink()
    for words in COMMANDS:
        assert ragtriage(*words, cwd=root, home=home).code == 0
    assert len(_contents(root)["evals/golden.jsonl"].splitlines()) == len(QUESTIONS) + 1


def test_a_full_disk_under_the_caches(small_disk: Path, make_project: MakeProject) -> None:
    root = make_project()
    _fill(small_disk)
    done = ragtriage("eval", "--json", cwd=root, home=small_disk / "home")
    if done.code:
        assert "full" in done.err or "No space" in done.err, done.err
    (small_disk / "filler").unlink()
    assert ragtriage("eval", "--json", cwd=root, home=small_disk / "home").code == 0


@pytest.mark.parametrize("limit", [0, 1_000])
def test_no_file_may_grow_beyond_a_limit(make_project: MakeProject, home: Path, limit: int) -> None:
    """The full disk of those who may not mount: every write beyond `limit` bytes fails."""
    root = make_project()
    ragtriage("eval", "--json", cwd=root, home=home)
    ragtriage("verdict", "q2", "2", "--note", "n" * limit, cwd=root, home=home)
    before = _contents(root)
    for words in COMMANDS:
        done = ragtriage(
            *words, cwd=root, home=home, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
        )
        if done.code == 0:
            continue  # it fitted
        assert done.code == 2
        assert done.err.startswith("ragtriage: "), done.err
    after = _contents(root)
    assert after.keys() == before.keys()
    for name, data in after.items():
        assert data.startswith(before[name]), f"{name} is half written"
        if name.endswith(".jsonl"):
            for line in data.splitlines():
                json.loads(line)


def _refused(done: Done, name: str) -> None:
    assert done.code == 2, (name, done)
    assert "full" in done.err or "No space" in done.err, (name, done.err)
    assert len(done.err.strip().splitlines()) <= 2, (name, done.err)
