"""What is installed here, and the folders of the user's that are written to."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from ragtriage.setup.findings import Finding

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["check_machine"]


def check_machine() -> list[Finding]:
    """Versions, and whether cache and state can be written."""
    return [*_versions(), *_folders()]


def _versions() -> list[Finding]:
    from importlib.metadata import PackageNotFoundError, version

    python = ".".join(map(str, sys.version_info[:3]))
    found = []
    for name in ("ragtriage", "tantivy", "usearch", "numpy", "sentence-transformers", "torch", "textual"):
        try:
            found.append(f"{name} {version(name)}")
        except PackageNotFoundError:
            found.append(f"{name} is missing")
    missing = any(line.endswith("is missing") for line in found)
    packages = Finding("wrong" if missing else "ok", "packages", ", ".join(found))
    return [Finding("ok", "python", f"{python} on {sys.platform}"), packages]


def _folders() -> list[Finding]:
    from ragtriage import paths
    from ragtriage.files import is_writable

    out = []
    for name, folder in (("cache", paths.cache_dir()), ("state", paths.state_dir())):
        writable = is_writable(folder)
        size = _size(folder)
        says = (
            f"{folder} ({size / 1e6:,.0f} MB)"
            if writable
            else f"{folder} cannot be written; set RAGTRIAGE_HOME to a folder that can"
        )
        out.append(Finding("ok" if writable else "wrong", name, says))
    return out


def _size(folder: Path) -> int:
    total = 0
    for path in folder.rglob("*"):
        try:
            total += path.stat().st_size if path.is_file() else 0
        except OSError:  # removed by another process a moment ago
            continue
    return total
