"""The public evaluation sets, where this machine has them. They are no part of the project."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

__all__ = ["shared"]


def shared(name: str) -> Path:
    """A set's folder: in RAGTRIAGE_DATA, or in ../shared/data beside the repository. Skips the test where it is absent."""
    root = os.environ.get("RAGTRIAGE_DATA")
    base = Path(root) if root else Path(__file__).resolve().parents[2] / "shared" / "data"
    folder = base / name
    if not folder.is_dir():
        pytest.skip(f"{name} is not on this machine")
    return folder
