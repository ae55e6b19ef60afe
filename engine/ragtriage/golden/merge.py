"""What git leaves in a golden file where two branches changed the same lines, and what of it can be mended without a person.

A conflict holds whole lines, each a question with an id. Questions of one branch alone are kept, and so is a question that both
left the same. Where the version before both is there (`merge.conflictStyle = diff3`), a change of one branch goes before the
line that the other one left as it was. What both changed differently stays twice, for a person. No question is dropped.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ragtriage.golden.dialects import qid_of
from ragtriage.golden.spelled import Spelled, spell
from ragtriage.json_lines import load_json

__all__ = ["Mended", "is_marker", "mend", "read_spelled"]

_MARKER = re.compile(rb"([<>|])\1{6}(?: |\r?$)|(=){7}\r?$")
_BOM = b"\xef\xbb\xbf"


class Mended(NamedTuple):
    """Lines without the conflicts that could be `mended`; those that could not, `left`, stand as they did."""

    lines: list[bytes]
    mended: int
    left: int


class _Conflict(NamedTuple):
    ours: list[bytes]
    base: list[bytes] | None
    theirs: list[bytes]


class _Line(NamedTuple):
    """A question's line, its id, and what makes another line say the same."""

    raw: bytes
    qid: str
    identity: frozenset[tuple[str, str]]


def is_marker(line: bytes) -> bool:
    """Whether git wrote this line to mark a conflict."""
    return _MARKER.match(line) is not None


def read_spelled(line: bytes) -> tuple[Spelled, str] | None:
    """A line's object as it is spelled, and its id ("" without); None where the line is none that a golden file can hold."""
    try:
        value = load_json(line, exact=True)
        spelled = spell(line.removeprefix(_BOM).decode("utf-8"))
    except ValueError:
        return None
    return spelled, qid_of(value)


def mend(lines: Sequence[bytes]) -> Mended:
    """Resolve every conflict in which each line is a question with an id."""
    out: list[bytes] = []
    mended = left = at = 0
    while at < len(lines):
        if not is_marker(lines[at]):
            out.append(lines[at])
            at += 1
            continue
        end, conflict = _conflict(lines, at)
        resolved = _resolved(conflict) if conflict else None
        if resolved is None:
            left += 1
            out += lines[at:end]
        else:
            mended += 1
            out += resolved
        at = end
    return Mended(out, mended, left)


def _conflict(lines: Sequence[bytes], start: int) -> tuple[int, _Conflict | None]:
    """The conflict that begins at `start` and the line after it; None, and the next line, where its markers do not fit."""
    parts: dict[bytes, list[bytes]] = {}
    sign = b""
    for at in range(start, len(lines)):
        match = _MARKER.match(lines[at])
        if match is None:
            parts[sign].append(lines[at])
            continue
        before, sign = sign, match[1] or match[2]
        if (before, sign) not in {(b"", b"<"), (b"<", b"|"), (b"<", b"="), (b"|", b"="), (b"=", b">")}:
            return start + 1, None
        if sign == b">":
            return at + 1, _Conflict(parts[b"<"], parts.get(b"|"), parts[b"="])
        parts[sign] = []
    return start + 1, None


def _resolved(conflict: _Conflict) -> list[bytes] | None:
    ours, theirs = _questions(conflict.ours), _questions(conflict.theirs)
    base = _questions(conflict.base or [])
    if ours is None or theirs is None or base is None:
        return None
    before = {(line.qid, line.identity) for line in base}
    mine, other = {line.qid for line in ours}, {line.qid for line in theirs}
    changed_here = {line.qid for line in ours if (line.qid, line.identity) not in before}
    changed_there = {line.qid for line in theirs if (line.qid, line.identity) not in before}
    out: dict[tuple[str, frozenset[tuple[str, str]]], bytes] = {}
    for line in _side_by_side(ours, theirs):
        old = (line.qid, line.identity) in before
        if old and line.qid in mine and line.qid in other and line.qid in changed_here | changed_there:
            continue  # the other branch's version goes before
        out.setdefault((line.qid, line.identity), line.raw)
    return list(out.values())


def _side_by_side(ours: list[_Line], theirs: list[_Line]) -> Iterator[_Line]:
    """Our lines in their order, each with their versions of it after it, then what only they have."""
    mine = {line.qid for line in ours}
    for line in ours:
        yield line
        yield from (other for other in theirs if other.qid == line.qid)
    yield from (other for other in theirs if other.qid not in mine)


def _questions(lines: Sequence[bytes]) -> list[_Line] | None:
    """The questions of one side; None where a line is none, or has no id."""
    out = []
    for raw in lines:
        if not raw.strip():
            continue
        read = read_spelled(raw)
        if read is None or not read[1]:
            return None
        out.append(_Line(raw, read[1], read[0].identity))
    return out
