"""CSV and its relatives: a line of names, then a report a row. Separated by comma, semicolon, tab or bar."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator
from itertools import islice

from ragtriage.errors import Problem
from ragtriage.inbox.fields import is_known
from ragtriage.inbox.formats.base import Content, Format, Found, Record

__all__ = ["FORMAT"]

_SEPARATORS = ("\t", ",", ";", "|")
_LONGEST_CELL = 10_000_000
_LOOKED_AT = 50_000
_UNCLOSED = 20  # rows with a quote that nothing closes, after which the rest is not worth reading
_NAMES = re.compile(r"[\w.,;|\t\"-]+")
_SAID = re.compile(r"sep=(.)$")


def _fits(content: Content) -> bool:
    """A first line of names of which one at least is known, and which are names."""
    first = _first(content.text)
    cells = [cell.strip() for cell in _cells(first, _separator(first))]
    if not cells or any(len(cell) > 60 or cell.endswith((".", "!", "?")) for cell in cells) or len(cells) != len(set(cells)):
        return False
    if not any(map(is_known, cells)) or (len(cells) == 1 and cells[0] != first.strip().strip('"')):
        return False
    rows = _next_rows(content, _separator(first))
    if not rows and len(cells) > 1 and content.text.strip() == first.strip():  # names alone; a sentence has spaces
        return _NAMES.fullmatch(first.strip()) is not None
    return bool(rows) and 2 * sum(len(row) == len(cells) for row in rows) >= len(rows)


def _next_rows(content: Content, separator: str) -> list[list[str]]:
    """Some rows below the first: a sentence may begin with the name of a field, too."""
    lines = content.text[:_LOOKED_AT].split("\n")
    try:
        rows = [row for row in islice(csv.reader(io.StringIO("\n".join(lines), newline=""), delimiter=separator), 30) if row]
    except csv.Error:  # said when it is read
        return []
    return [row for row in rows if _SAID.match(separator.join(row)) is None][1:]


def _read(content: Content) -> Found:
    text = content.text
    skipped = 0
    said = _SAID.match(text.partition("\n")[0].strip())
    if said:  # a spreadsheet's own line
        text, skipped = text.partition("\n")[2], 1
    separator = said[1] if said else _separator(_first(text))
    problems: list[Problem] = []
    rows = _rows(content.where, text, separator, skipped, problems)
    line, names = next(rows, (0, []))
    names = [name.strip() for name in names]
    problems += [
        Problem(content.where, line, f"{name or 'an empty name'} is the name of two columns; rename one", "header")
        for name in dict.fromkeys(names)
        if names.count(name) > 1
    ]
    if problems and any(problem.key == "header" for problem in problems):
        return Found([], problems)
    records = []
    for line, row in rows:
        if len(row) > len(names):
            message = f"{len(row)} cells, but {len(names)} columns; is a text with {_shown(separator)} not in quotes?"
            problems.append(Problem(content.where, line, message))
            continue
        records.append(
            Record(line, {name or f"column {at}": cell for at, (name, cell) in enumerate(zip(names, row, strict=False), 1)})
        )
    return Found(records, problems)


def _rows(where: str, text: str, separator: str, skipped: int, problems: list[Problem]) -> Iterator[tuple[int, list[str]]]:
    """Each row that is not empty with the line it begins on."""
    lines = text.split("\n")
    start = 0
    unclosed = 0
    limit = csv.field_size_limit(_LONGEST_CELL)
    try:
        while start < len(lines):
            reader = csv.reader(io.StringIO("\n".join(lines[start:]), newline=""), delimiter=separator, strict=True)
            before = start
            while True:
                before = start + reader.line_num
                try:
                    row = next(reader)
                except StopIteration:
                    return
                except csv.Error as error:
                    problems.append(Problem(where, before + 1 + skipped, f"no row of a table: {error}"))
                    if "end of data" in str(error):
                        unclosed += 1
                        break
                    continue
                if any(cell.strip() for cell in row):
                    yield before + 1 + skipped, row
            start = before + 1
            if unclosed >= _UNCLOSED:
                problems.append(Problem(where, start + 1 + skipped, "too many quotes are not closed; the rest was not read"))
                return
    finally:
        csv.field_size_limit(limit)


def _first(text: str) -> str:
    """The first line that is not empty and no spreadsheet's; nothing where it is too long to be one of names."""
    lines = (line for line in text[:100_000].split("\n") if line.strip() and _SAID.match(line.strip()) is None)
    line = next(lines, "")
    return line if len(line) <= 10_000 else ""


def _separator(line: str) -> str:
    """What separates most cells of the first line."""
    return max(_SEPARATORS, key=lambda mark: len(_cells(line, mark)))


def _cells(line: str, separator: str) -> list[str]:
    try:
        return next(csv.reader([line], delimiter=separator), [])
    except csv.Error:
        return []


def _shown(separator: str) -> str:
    return "a tab" if separator == "\t" else separator


FORMAT = Format("csv", "CSV, TSV: a line of names, then a row each", _fits, _read)
