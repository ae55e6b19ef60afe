"""The lines of a file, block by block: memory does not grow with the file, and a compressed one is read like a plain one."""

from __future__ import annotations

import os
import stat
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO, NamedTuple, cast

from ragtriage.errors import InputError, Problem

__all__ = ["SHOWN", "Block", "Faults", "blocks"]

SHOWN = 20
"""How many problems of a file are kept; the rest is counted."""

_SIZE = 1 << 17  # what is made of a block still fits into the processor's cache
_LONGEST = 1 << 16  # bytes of one line: ids are short, and a file without line ends is something else


class Faults:
    """What is wrong with the lines of one file: the first `SHOWN` of a severity as they are, all of them counted."""

    def __init__(self, where: str) -> None:
        self.where = where
        self.errors = 0
        self._kept: list[Problem] = []
        self._repeated: dict[str, tuple[int, int]] = {}

    def bad(self, line: int, message: str) -> None:
        """A line that cannot be used."""
        self.errors += 1
        if self.errors <= SHOWN:
            self._kept.append(Problem(self.where, line, message))

    def note(self, line: int, message: str) -> None:
        """Something worth knowing of which there may be thousands: told once, with the first line and how many there are."""
        first, count = self._repeated.get(message, (line, 0))
        self._repeated[message] = first, count + 1

    @property
    def problems(self) -> tuple[Problem, ...]:
        """Everything to tell, in the file's order, errors first."""
        more = self.errors - len(self._kept)
        rest = [Problem(self.where, 0, f"{more:,} more lines cannot be used")] if more > 0 else []
        notes = (
            Problem(self.where, first, message + (f" ({count:,} such, this is the first)" if count > 1 else ""), "", "warning")
            for message, (first, count) in self._repeated.items()
        )
        return (*self._kept, *rest, *notes)


class Block(NamedTuple):
    """Some whole lines of a file, without the end of the last; `first` is the number of the first one (from 1)."""

    first: int
    data: bytes

    @property
    def lines(self) -> list[bytes]:
        return self.data.split(b"\n")


def blocks(path: Path, faults: Faults) -> Iterator[Block]:
    """The file's lines, block by block. Gzip is told by its first bytes, not by the name.

    Lines end with a line feed; a carriage return before it goes with the white space. A line of more than 64 KB is a fault and
    left out. Raises InputError where the file is missing, no regular file, UTF-16, or a compressed one is damaged.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        with os.fdopen(descriptor, "rb", buffering=0) as handle:
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                raise InputError(f"{path}: not a regular file; a pipe may never end")
            start = handle.read(3)
            handle.seek(0)
            if start.startswith((b"\xff\xfe", b"\xfe\xff")):
                raise InputError(f"{path}: UTF-16; save it as UTF-8")
            yield from _lines(_inflated(handle) if start.startswith(b"\x1f\x8b") else handle, faults)
    except (OSError, EOFError, zlib.error) as error:
        said = error.strerror if isinstance(error, OSError) and error.strerror else f"cannot be read: {error}"
        raise InputError(f"{path}: {'there is no such file' if isinstance(error, FileNotFoundError) else said}") from error


def _inflated(handle: IO[bytes]) -> IO[bytes]:
    import gzip

    return cast("IO[bytes]", gzip.GzipFile(fileobj=handle, mode="rb"))


def _lines(handle: IO[bytes], faults: Faults) -> Iterator[Block]:
    number, rest, skipping, begun = 1, b"", False, False
    while data := handle.read(_SIZE):
        if not begun:
            data, begun = data.removeprefix(b"\xef\xbb\xbf"), True
        if skipping:  # inside a line that is too long
            _, ended, data = data.partition(b"\n")
            if not ended:
                continue
            number, skipping = number + 1, False
        whole, ended, rest = (rest + data).rpartition(b"\n")
        if ended:
            yield Block(number, whole)
            number += whole.count(b"\n") + 1
        if len(rest) > _LONGEST:
            faults.bad(number, f"a line of more than {_LONGEST:,} bytes")
            rest, skipping = b"", True
    if rest:
        yield Block(number, rest)
