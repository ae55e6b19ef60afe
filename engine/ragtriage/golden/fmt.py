"""A golden file in one form: one object a line, keys in their usual order, an id in each, nothing twice.

Only the order of keys, the spaces between them and those inside the values of known keys change; what a value says is left as
it is spelled, and all of an unknown key's value. Lines end with a line feed alone, there is no byte order mark and no blank
line. Keys of other dialects keep their names. A line that no golden file can hold stays as it is: it is reported on reading.
"""

from __future__ import annotations

import json
from typing import NamedTuple

from ragtriage.errors import GoldenError
from ragtriage.golden.file import LINE_ORDER
from ragtriage.golden.merge import is_marker, mend, read_spelled
from ragtriage.golden.spelled import Member, Spelled, respaced

__all__ = ["Formatted", "format_golden", "in_form"]

_RANK = {key: rank for rank, key in enumerate(LINE_ORDER)}
_BOM = b"\xef\xbb\xbf"


class Formatted(NamedTuple):
    """The file in its form, and what that took, in lines: `ordered` (keys or spaces), `named` (given an id), `repeated`
    (left out, since they say the same as one before), `blank`, `ended` (with a carriage return, a byte order mark, or without
    their end).

    `conflicts` counts the conflict markers that keep the file from being formatted: `data` then is what it was.
    `mended` counts the conflicts that were resolved.
    """

    data: bytes
    ordered: int = 0
    named: int = 0
    repeated: int = 0
    blank: int = 0
    ended: int = 0
    mended: int = 0
    conflicts: int = 0


def format_golden(data: bytes, where: str, *, fix: bool = False) -> Formatted:
    """`data` in its form. With conflict markers it is left alone, unless `fix`: then what is safe is mended first, and
    conflicts that are not stay as they are, around lines in form. Raises GoldenError for a file that is not UTF-8.
    """
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise GoldenError(f"{where}: UTF-16; save it as UTF-8")
    lines = data.split(b"\n")
    unended = lines[-1] != b""
    if not unended:
        lines.pop()
    mended = mend(lines) if fix else None
    if mended:
        lines = mended.lines
    markers = sum(is_marker(line) for line in lines)
    if markers and not mended:
        return Formatted(data, conflicts=markers)
    out, counts = _formatted(lines, keep_repeated=markers > 0)
    ended = counts["ended"] + unended
    return Formatted(
        b"".join(line + b"\n" for line in out),
        counts["ordered"], counts["named"], counts["repeated"], counts["blank"], ended,
        mended.mended if mended else 0, markers,
    )  # fmt: skip


def _formatted(lines: list[bytes], *, keep_repeated: bool) -> tuple[list[bytes], dict[str, int]]:
    out: list[bytes] = []
    counts = dict.fromkeys(("ordered", "named", "repeated", "blank", "ended"), 0)
    seen: set[frozenset[tuple[str, str]]] = set()
    for raw in lines:
        line = raw.rstrip(b"\r").removeprefix(_BOM)  # two stand there where a tool ended the lines of Windows anew
        counts["ended"] += line != raw
        if not line.strip():
            counts["blank"] += 1
            continue
        read = None if is_marker(line) else read_spelled(line)
        if read is None:
            out.append(line)
            continue
        spelled, qid = read
        named = _named(spelled, qid)
        counts["named"] += named is not spelled
        if named.identity in seen and not keep_repeated:  # inside a conflict each side needs its own
            counts["repeated"] += 1
            continue
        seen.add(named.identity)
        new = str(in_form(named)).encode("utf-8", "surrogatepass")
        counts["ordered"] += named is spelled and new != line
        out.append(new)
    return out, counts


def _named(spelled: Spelled, qid: str) -> Spelled:
    """The object with its id written down, where it goes by the hash of its text."""
    values = {member.key: member.value for member in spelled.members}
    if not qid or any(_is_id(values[key]) for key in ("qid", "id", "_id") if key in values):
        return spelled
    if not _is_empty(values.get("qid", "null")):
        return spelled  # an id of another kind, which is reported on reading
    rest = (member for member in spelled.members if member.key != "qid")
    return Spelled([Member("qid", '"qid"', json.dumps(qid)), *rest])


def _is_id(value: str) -> bool:
    read = json.loads(value, parse_int=str, parse_float=float)
    return isinstance(read, str) and bool(read.strip())


def _is_empty(value: str) -> bool:
    read = json.loads(value, parse_int=str)
    return read is None or (isinstance(read, str) and not read.strip())


def in_form(spelled: Spelled) -> Spelled:
    """An object with its keys in their usual order and known values in their usual spacing."""
    known = sorted((member for member in spelled.members if member.key in _RANK), key=lambda member: _RANK[member.key])
    unknown = (member for member in spelled.members if member.key not in _RANK)
    return Spelled([*(member._replace(value=respaced(member.value)) for member in known), *unknown])
