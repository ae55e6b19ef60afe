"""The files in a project that a command names: they belong to what it does, since another branch may hold others.

What such a file loads in its turn does not.
"""

from __future__ import annotations

import errno
import hashlib
import os
import stat
from pathlib import Path
from typing import NamedTuple

from ragtriage.command_words import command_files
from ragtriage.danger_words import escaped, plain
from ragtriage.inside import is_inside

__all__ = ["ProgramFiles", "program_files"]

_NO_FILE = (errno.ENOENT, errno.ENOTDIR, errno.ELOOP, errno.ENAMETOOLONG)  # a word of a command need not be one


class ProgramFiles(NamedTuple):
    """Of each word that names a file in the project what the file is now; why one cannot be read, "" where all can; and whether
    these are all that the command runs, as far as its words go."""

    files: dict[str, str]
    obstacle: str
    all_told: bool


def program_files(root: str, command: tuple[str, ...]) -> ProgramFiles:
    """What of the project a command runs."""
    names, all_told = command_files(root, command)
    if command and "/" not in command[0]:  # an active environment often lies in the project
        names += [str(place) for place in _on_path(root, command[0])]
    files: dict[str, str] = {}
    obstacle = ""
    for name in names:
        path = Path(root, name)
        real = os.path.realpath(path)
        if not (is_inside(root, os.path.normpath(path)) or is_inside(root, real)):
            continue
        try:
            mode = path.stat().st_mode
            if not stat.S_ISREG(mode):
                continue
            if is_inside(root, real):
                with open(os.open(real, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as handle:
                    files[name] = f"sha256 {hashlib.file_digest(handle, 'sha256').hexdigest()}"
            else:  # what it leads to is the machine's; that it leads there is the project's
                files[name] = f"a link to {plain(real)}"
        except OSError as error:
            if error.errno not in _NO_FILE:
                files[name] = "unreadable"
                obstacle = f"{escaped(name)} cannot be read ({error.strerror}), so nobody can agree to it"
    return ProgramFiles(files, obstacle, all_told)


def _on_path(root: str, program: str) -> list[Path]:
    """Where a program is found that is started in `root` by its bare name; nothing where it is not."""
    places = (Path(root, folder, program) for folder in os.get_exec_path())
    return [place for place in places if os.access(place, os.X_OK) and place.is_file()][:1]
