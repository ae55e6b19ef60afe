"""Tables as other tools read them: an id that would be cut in two is an error, not a broken file."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence

from ragtriage.errors import InputError

__all__ = ["table", "text_of"]


def text_of(name: bytes) -> str:
    """An id as text; bytes that are no UTF-8 become U+FFFD."""
    return name.decode("utf-8", "replace")


def table(rows: Iterable[Sequence[str]], by: str, where: str) -> bytes:
    """Rows as UTF-8 lines, cells parted by `by`: a comma (quoted where needed), a tab or a space.

    Raises InputError, naming the ids that cannot stand between tabs or spaces.
    """
    if by == ",":
        out = io.StringIO(newline="")
        csv.writer(out, lineterminator="\n").writerows(rows)
        return out.getvalue().encode("utf-8", "replace")
    lines: list[str] = []
    bad: dict[str, None] = {}
    for row in rows:
        for cell in row:
            if not _fits(cell, by):
                bad[cell] = None
        lines.append(by.join(row))
    if bad:
        named = ", ".join(repr(cell) for cell in list(bad)[:5]) + (f" and {len(bad) - 5:,} more" if len(bad) > 5 else "")
        raise InputError(f"{where}: ids cannot be empty or hold white space there: {named}; a .csv file takes them")
    return ("\n".join(lines) + "\n").encode("utf-8", "replace") if lines else b""


def _fits(cell: str, by: str) -> bool:
    if by == "\t":
        return bool(cell) and cell == cell.strip() and not any(sign in cell for sign in "\t\r\n")
    return len(cell.encode("utf-8", "replace").split()) == 1 and cell == cell.strip()
