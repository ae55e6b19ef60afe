"""Which files Python may take for a module in a folder, without asking the interpreter, which is the user's own.

Beside `rag.py` there may be a package, an extension or compiled code of the same name, which Python prefers or falls back on:
any of them is what is run. So is compiled code in `__pycache__` that says it need not be compared with its source; what is
compared with it is made anew whenever the source changes, and left out.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from pathlib import Path, PurePosixPath

__all__ = ["module_files"]

_CODE = re.compile(r"(?:\.[\w-]+)?\.(?:so|pyd|dll|dylib)|\.pyw?|\.pyc")
_CACHED = re.compile(r"\.[\w.-]+\.pyc")
_CACHE = "__pycache__"


def module_files(folder: Path, names: Iterable[str]) -> list[str]:
    """The files in `folder` that may be run as one of the modules `names`, which are paths as in `app/rag`, or as a package
    around it, sorted. A folder that cannot be read holds none."""
    stems: set[PurePosixPath] = set()
    for name in names:
        path = PurePosixPath(name)
        if path.is_absolute() or ".." in path.parts or not path.name:
            continue
        packages = [parent for parent in path.parents if parent.name]
        stems |= {path, path / "__main__", *packages, *(one / "__init__" for one in (path, *packages))}
    found: set[str] = set()
    for parent in {stem.parent for stem in stems}:
        wanted = {stem.name for stem in stems if stem.parent == parent}
        found |= {str(parent / entry) for entry in _entries(folder / parent) if _is_one(entry, wanted, _CODE)}
        cache = folder / parent / _CACHE
        for entry in _entries(cache):
            if _is_one(entry, wanted, _CACHED) and _is_unchecked(cache / entry):
                found.add(str(parent / _CACHE / entry))
    return sorted(found)


def _is_one(entry: str, stems: set[str], ending: re.Pattern[str]) -> bool:
    stem, dot, rest = entry.partition(".")
    return bool(dot) and stem in stems and ending.fullmatch(dot + rest) is not None


def _entries(folder: Path) -> list[str]:
    try:
        return [entry.name for entry in folder.iterdir()]
    except OSError:
        return []


def _is_unchecked(path: Path) -> bool:
    """Whether the flags of compiled code (PEP 552) say that it is taken as it stands. What cannot be read is reported by who
    reads it."""
    try:
        if not path.is_file():  # a folder or a pipe of that name is never run
            return False
        with open(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as file:
            flags = int.from_bytes(file.read(8)[4:], "little")
    except OSError:
        return True
    return flags & 0b11 == 0b01
