"""What a program is, as far as its files tell: an edited one says other things."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

from ragtriage.command_words import command_files
from ragtriage.inside import is_inside

__all__ = ["program_identity"]

_LARGE = 1 << 20  # bytes


def program_identity(folder: Path, command: tuple[str, ...]) -> str:
    """8 hex digits that change with the files in `folder` that a command names: an edited program answers otherwise.

    "" where it names none. A file above `_LARGE`, such as weights, counts by its size: this is read with every run.
    """
    root = os.path.realpath(folder)
    found = hashlib.sha256()
    files = 0
    for name in command_files(root, command).names:
        path = Path(os.path.realpath(Path(root, name)))
        try:
            if not is_inside(root, str(path)) or not path.is_file():
                continue
            size = path.stat().st_size
            content = path.read_bytes() if size <= _LARGE else b""
        except OSError:  # whether it can run is for who asks it to say
            continue
        files += 1
        found.update(f"{size} {hashlib.sha256(content).hexdigest()}\n".encode("ascii"))
    return found.hexdigest()[:8] if files else ""
