"""Files of one JSON object a line: read with a problem for each line that is none, and appended to."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, NamedTuple

from ragtriage.errors import Problem
from ragtriage.files import read_file, rewrite
from ragtriage.json_lines import dump_line, load_json, not_json

__all__ = ["LogLine", "append_line", "append_lines", "parse_log", "read_log"]

_CONFLICT = re.compile(rb"(?:<{7}|>{7}|[|]{7})(?: |\r?$)|={7}\r?$")


class LogLine(NamedTuple):
    """One object of a JSON lines file, and its line (from 1)."""

    line: int
    value: dict[str, Any]


def read_log(path: Path) -> tuple[list[LogLine], list[Problem]]:
    """Every object of a JSON lines file in file order, and a Problem for every line that is none. Missing file: nothing."""
    try:
        data = read_file(path)
    except FileNotFoundError:
        return [], []
    except OSError as error:
        return [], [Problem(str(path), 0, f"cannot be read: {error.strerror}")]
    return parse_log(data, str(path))


def parse_log(data: bytes, where: str) -> tuple[list[LogLine], list[Problem]]:
    """`read_log` of content that was read already; `where` names it in the problems."""
    good: list[LogLine] = []
    bad: list[Problem] = []
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return good, [Problem(where, 0, "UTF-16; save it as UTF-8")]
    for number, raw in enumerate(data.split(b"\n"), start=1):
        if not raw.strip():
            continue
        if _CONFLICT.match(raw):
            bad.append(Problem(where, number, "a merge conflict marker; resolve the conflict and remove it"))
            continue
        try:
            value = load_json(raw, exact=True)
        except ValueError as error:
            bad.append(Problem(where, number, not_json(error)))
            continue
        if isinstance(value, dict):
            good.append(LogLine(number, value))
        else:
            bad.append(Problem(where, number, f"a JSON object is needed, this is {_json_name(value)}"))
    return good, bad


def _json_name(value: Any) -> str:
    names = {list: "a list", str: "a string", bool: "true or false", type(None): "null"}
    return names.get(type(value), "a number")


def append_line(path: Path, value: Any) -> None:
    """Append one JSON object to a log, on disk when this returns. Raises StorageError."""
    append_lines(path, [value])


def append_lines(path: Path, values: list[Any]) -> None:
    """Append JSON objects to a log under its lock; all or none, on disk when this returns. Raises StorageError.

    The log is replaced by a longer one rather than written in place: a process killed at any moment leaves no torn line,
    and who reads at the same time never sees half of one. These logs are small; the fsync is what costs.
    """
    data = b"".join(dump_line(value) for value in values)
    rewrite(path, lambda old: _closed(old) + data)


def _closed(data: bytes) -> bytes:
    """File content with its last line ended: a hand-edited file often lacks the line end."""
    return data if not data or data.endswith(b"\n") else data + b"\n"
