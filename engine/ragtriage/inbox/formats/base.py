"""What every format gives: records, whose keys are mapped to fields later, in one place."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

from ragtriage.errors import Problem
from ragtriage.json_lines import load_json, not_json

__all__ = ["Content", "Format", "Found", "Item", "Record", "member"]

_JSON = re.compile(r"\s*(?:\[\s*[\[{\]]|\{\s*[\"}])")
_SPACE = re.compile(r"\s*")


@dataclass(frozen=True, slots=True)
class Record:
    """One report to be. `line` counts from 1, 0 where the format has none; `key` is its place in the file otherwise.

    `values` are keys as they stand there, `known` fields that the format itself understands, `extra` what is kept as it is.
    """

    line: int
    values: Mapping[str, Any] = field(default_factory=dict)
    known: Mapping[str, Any] = field(default_factory=dict)
    extra: Mapping[str, Any] = field(default_factory=dict)
    source: str = ""
    synthetic: bool = False
    key: str = ""


class Found(NamedTuple):
    """The records of a file, and what is wrong with the rest of it."""

    records: list[Record]
    problems: list[Problem]


class Item(NamedTuple):
    """A JSON value of a file that holds several: one a line, one after the other, or those of one list."""

    line: int
    value: Any


class Format(NamedTuple):
    """`fits` looks at the content and never raises; `read` gives its records."""

    name: str
    what: str
    fits: Callable[[Content], bool]
    read: Callable[[Content], Found]


class Content:
    """The text of a file with `\\n` line ends, parsed as JSON once, when it is first asked for."""

    def __init__(self, where: str, text: str) -> None:
        self.where = where
        self.text = text

    @cached_property
    def head(self) -> str:
        """The first lines."""
        return self.text[:20_000].lstrip()

    @property
    def is_json(self) -> bool:
        """Whether it is meant to be JSON, sound or not."""
        return _JSON.match(self.text) is not None and (self.text.lstrip()[:1] == "{" or self.json is not None or self._listed)

    @property
    def _listed(self) -> bool:
        return re.match(r"\s*\[\s*\{\s*\"", self.text) is not None

    @cached_property
    def json(self) -> Any:
        """The value that the whole text is; None where it is no single one."""
        if _JSON.match(self.text) is None:
            return None
        try:
            return load_json(self.text, exact=True)
        except ValueError:
            return None

    @cached_property
    def items(self) -> tuple[list[Item], list[Problem]]:
        """The values of a list, of lines, or of a text with one value after another; a problem for each that is broken."""
        if _JSON.match(self.text) is None:
            return [], [Problem(self.where, 0, "not JSON: it begins with neither { nor [")]
        if isinstance(self.json, list):
            return list(_elements(self.text)), []
        if self.json is not None:
            return [Item(1 + self.text[: len(self.text) - len(self.text.lstrip())].count("\n"), self.json)], []
        good, bad = self._lines()
        if bad and (whole := self._one_after_the_other()) is not None:
            return whole, []
        if self._listed or not good:
            return [], [self._broken()]
        return good, bad

    def _lines(self) -> tuple[list[Item], list[Problem]]:
        good, bad = [], []
        for number, line in enumerate(self.text.split("\n"), start=1):
            if not line.strip():
                continue
            try:
                good.append(Item(number, load_json(line, exact=True)))
            except ValueError as error:
                bad.append(Problem(self.where, number, not_json(error)))
        return good, bad

    def _one_after_the_other(self) -> list[Item] | None:
        try:
            return list(_values(self.text, 0, ""))
        except (ValueError, RecursionError):
            return None

    def _broken(self) -> Problem:
        try:
            json.loads(self.text)
        except json.JSONDecodeError as error:
            return Problem(self.where, error.lineno, f"not JSON: {error.msg} at column {error.colno}")
        except (ValueError, RecursionError):
            return Problem(self.where, 0, "not JSON: nested too deeply")
        return Problem(self.where, 0, "not JSON that is read here")

    @cached_property
    def objects(self) -> Found:
        """The objects among the items as records of plain keys; a problem for every other value."""
        items, problems = self.items
        records = []
        problems = list(problems)
        for number, (line, value) in enumerate(items, start=1):
            if isinstance(value, dict):
                records.append(Record(line, value))
            else:
                problems.append(Problem(self.where, line, f"record {number}: an object is needed"))
        return Found(records, problems)


def member(value: Mapping[str, Any], *names: str) -> Any:
    """The first of those members that says something, None where none does."""
    return next((value[name] for name in names if value.get(name) not in (None, "", [], {})), None)


def _elements(text: str) -> Iterator[Item]:
    """The values of the list that a text is, which is known to be sound."""
    return _values(text, text.index("[") + 1, ",")


def _values(text: str, start: int, between: str) -> Iterator[Item]:
    decoder = json.JSONDecoder()
    line, counted = 1, 0
    at = _after_space(text, start)
    while at < len(text) and not (between and text[at] == "]"):
        line, counted = line + text.count("\n", counted, at), at
        _, end = decoder.raw_decode(text, at)
        yield Item(line, load_json(text[at:end], exact=True))
        at = _after_space(text, end)
        if between and text[at : at + 1] == between:
            at = _after_space(text, at + 1)


def _after_space(text: str, at: int) -> int:
    found = _SPACE.match(text, at)
    return found.end() if found else at
