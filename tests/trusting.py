"""Fixtures of tests in which nobody has agreed to anything yet."""

from __future__ import annotations

from pathlib import Path

import pytest

__all__ = ["nothing_agreed", "root"]


@pytest.fixture(autouse=True)
def nothing_agreed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A state folder of this test alone, and no word in the environment."""
    monkeypatch.setenv("RAGTRIAGE_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("RAGTRIAGE_TRUST", raising=False)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """An empty project."""
    folder = tmp_path / "project"
    folder.mkdir()
    return folder
