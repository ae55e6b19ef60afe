"""What the last reading of a folder gave, file by file, so that the next one opens only what changed."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import orjson

from ragtriage.corpus.walk import Stat
from ragtriage.stored import read_blob, write_blob

__all__ = ["Entry", "Snapshot"]

_RACY_NS = 2_000_000_000  # the coarsest clock of a file system still in use


class Entry(NamedTuple):
    """One file: its place, what told it unchanged, the SHA-256 of its bytes, and what it gave (see rows.py)."""

    source: str
    stat: Stat
    sha: str
    rows: dict[str, Any]


class Snapshot(NamedTuple):
    """`taken_ns` is when the files were looked at: one changed that shortly before may have changed again unseen."""

    taken_ns: int
    entries: dict[str, Entry]

    @classmethod
    def load(cls, path: Path) -> Snapshot:
        """The stored one, or an empty one where there is none that is whole."""
        payload = read_blob(path)
        if payload is None:
            return cls(0, {})
        stored = orjson.loads(payload)
        entries = {item[0]: Entry(item[0], Stat(*item[1]), item[2], item[3]) for item in stored["files"]}
        return cls(stored["taken_ns"], entries)

    @staticmethod
    def save(path: Path, taken_ns: int, entries: Sequence[Entry]) -> None:
        """Store a reading that began at `taken_ns` (Unix time)."""
        files = [[entry.source, list(entry.stat), entry.sha, entry.rows] for entry in entries]
        write_blob(path, orjson.dumps({"taken_ns": taken_ns, "files": files}))

    def unchanged(self, source: str, stat: Stat) -> Entry | None:
        """The entry of a file that need not be read again."""
        entry = self.entries.get(source)
        if entry is None or entry.stat != stat or stat.mtime_ns > self.taken_ns - _RACY_NS:
            return None
        return entry

    @staticmethod
    def now() -> int:
        """Unix time in nanoseconds."""
        return time.time_ns()
