"""Paragraphs, lines, fenced code, tables and sentences of a text, by one look at each line. Linear in its length."""

from __future__ import annotations

import re
from typing import NamedTuple

from ragtriage.types import Span

__all__ = ["Blocks", "scan", "sentence_starts"]

_FENCE = re.compile(r"[ \t]*(`{3,}|~{3,})")
_ITEM = re.compile(r"[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]")
_SENTENCE = re.compile(
    r"""(?:(?<=[.!?…])|(?<=[.!?…]["'”’»)\]]))[ \t\n]+(?=\S)|(?<=[。！？])(?=\S)""",
)
_ABBREVIATION = re.compile(
    r"(?:^|[\s(\"'])(?:[A-Za-z]|[A-Za-z](?:\.[A-Za-z])+|approx|art|cf|dept|dr|ed|eds|eq|est|etc|ext|fig|figs|inc|jr|ltd|max|min|mr|"
    r"mrs|ms|no|nos|pp|prof|ref|sec|sr|st|tel|vol|vs)\.$",
    re.IGNORECASE,
)


class Blocks(NamedTuple):
    """Positions and spans in code points, ascending.

    `paragraphs` are starts of paragraphs, code and tables (and of what follows them), `lines` starts of list items, table
    rows and lines of code, `keep` the fenced code and tables that are best left whole.
    """

    paragraphs: list[int]
    lines: list[int]
    keep: list[Span]


def scan(text: str) -> Blocks:
    """The blocks of `text`."""
    scanner = _Scanner()
    position = 0
    for line in text.split("\n"):
        scanner.line(line, position)
        position += len(line) + 1
    scanner.close(len(text))
    return Blocks(scanner.paragraphs, scanner.lines, scanner.keep)


class _Scanner:
    def __init__(self) -> None:
        self.paragraphs: list[int] = []
        self.lines: list[int] = []
        self.keep: list[Span] = []
        self.fence = ""  # what must be met to close the open fence
        self.block = 0  # where the open fence or table started
        self.rows = 0  # rows of the open table
        self.fresh = True  # the next line that is not blank starts a paragraph

    def line(self, line: str, at: int) -> None:
        stripped = line.strip()
        if self.fence:
            self.lines.append(at)
            if not stripped:
                self.paragraphs.append(at)
            elif stripped.startswith(self.fence) and not stripped.strip(self.fence[0]):
                self.fence = ""
                self._keep(at + len(line))
            return
        is_row = "|" in stripped and (stripped.startswith("|") or " | " in stripped or _is_rule(stripped))
        if self.rows and not is_row:
            self._end_table(at)
        if not stripped:
            self.fresh = True
        elif is_row:
            if not self.rows:
                self.block = at
                self.paragraphs.append(at)
            self.rows += 1
            self.lines.append(at)
            self.fresh = False
        elif (opened := _FENCE.match(line)) and not (opened[1][0] == "`" and "`" in line[opened.end() :]):
            self.fence, self.block = opened[1], at
            self.paragraphs.append(at)
        else:
            if self.fresh:
                self.paragraphs.append(at)
            elif _ITEM.match(line):
                self.lines.append(at)
            self.fresh = False

    def close(self, end: int) -> None:
        if self.fence:
            self._keep(end)
        elif self.rows:
            self._end_table(end)

    def _end_table(self, at: int) -> None:
        if self.rows > 1:
            self._keep(at)
        self.rows = 0

    def _keep(self, end: int) -> None:
        self.keep.append(Span(self.block, end))
        self.fresh = True


def _is_rule(stripped: str) -> bool:
    """Whether a line is the one below a table's head: `--- | :-:`."""
    return "-" in stripped and not stripped.strip("|:- \t")


def sentence_starts(text: str, start: int, end: int) -> list[int]:
    """Where sentences start inside (start, end), by punctuation; abbreviations and initials end none."""
    found = []
    for match in _SENTENCE.finditer(text, start, end):
        if match.end() < end and not _ABBREVIATION.search(text[max(start, match.start() - 12) : match.start()]):
            found.append(match.end())
    return found
