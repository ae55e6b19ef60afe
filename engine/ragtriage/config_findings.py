"""What is wrong with a configuration: every problem with its key, and with the line of the file or the word `--set`."""

from __future__ import annotations

import re

from ragtriage.errors import Problem

__all__ = ["Findings"]


class Findings:
    """The problems of one configuration. `where` and `text` are the file, `overridden` the keys that the user set otherwise."""

    def __init__(self, where: str, text: str) -> None:
        self.where = where
        self.text = text
        self.problems: list[Problem] = []
        self.overridden: set[str] = set()

    def problem(self, key: str, message: str, *, override: bool = False) -> None:
        """Add what is wrong with one key, which was given with `--set` where `override` is True."""
        where, line = ("--set", 0) if override else (self.where, _line_of(self.text, key))
        self.problems.append(Problem(where, line, message, key))

    def conflict(self, *sides: tuple[str, str]) -> None:
        """Two keys that do not go together, each with what is wrong with it: named is the one that somebody has set."""
        overridden = [side for side in sides if side[0] in self.overridden]
        written = [side for side in sides if _line_of(self.text, side[0])]
        key, message = (*overridden, *written, *sides)[0]
        self.problem(key, message, override=bool(overridden))


def _line_of(text: str, key: str) -> int:
    """The line (from 1) where `table.key` is set in TOML text, 0 where that cannot be told."""
    table, _, leaf = key.partition(".")
    current = ""
    for number, line in enumerate(text.splitlines(), start=1):
        if header := re.match(r"\s*\[+\s*([^\]]+?)\s*\]+", line):
            current = header[1]
            if not leaf and current == table:
                return number
        elif (assigned := re.match(r"""\s*["']?([\w.-]+)["']?\s*=""", line)) and (
            (current, assigned[1]) == (table, leaf) or (not current and assigned[1] in (key, table))
        ):
            return number
    return 0
