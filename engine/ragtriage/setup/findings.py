"""One thing that was looked at, and what is found of programs and of the user's word."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Literal, NamedTuple

from ragtriage.names import one_line

if TYPE_CHECKING:
    from pathlib import Path

    from ragtriage.project import Project

__all__ = ["Finding", "counted", "not_agreed", "program_found"]

_NOT_AGREED = "not agreed to yet, so nothing is run or sent: ragtriage trust shows it and asks"


class Finding(NamedTuple):
    """One thing that was looked at. `state`: ok, note (worth knowing) or wrong."""

    state: Literal["ok", "note", "wrong"]
    what: str
    says: str


def not_agreed(project: Project, table: str, what: str = "") -> list[Finding]:
    """That the user has not agreed to what a table of the configuration wants; nothing where it wants nothing. `what` is what
    the table is for, where that has another name."""
    from ragtriage.trust import is_given, untrusted

    if is_given(project.trusted) or not untrusted(project.root, project.config, typed=project.typed, tables=(table,)):
        return []
    return [Finding("note", what or table, _NOT_AGREED)]


def counted(number: int, noun: str) -> str:
    """`1 document`, `2 documents`."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def program_found(root: Path, table: str, command: tuple[str, ...]) -> Finding:
    """Whether a program of the user's can be run; it is not."""
    import shutil

    name = command[0]
    place = root / name if "/" in name else shutil.which(name)
    if place is None or not os.access(place, os.X_OK):
        return Finding("wrong", table, f"{one_line(name)} cannot be run: there is no such program, or it is not executable")
    return Finding("ok", table, f"runs {one_line(str(place))}")
