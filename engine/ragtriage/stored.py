"""Cache files that notice when a byte of them changed: one blob a file, or many small ones in SQLite.

Both are conveniences: whatever is missing, broken or not writable is made anew, and nobody is told.
"""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from ragtriage.errors import StorageError
from ragtriage.files import atomic_write

if TYPE_CHECKING:
    import sqlite3

__all__ = ["BlobStore", "read_blob", "write_blob"]

_MAGIC = b"ragtriage-blob-1"
_HEAD = len(_MAGIC) + 32


def read_blob(path: Path) -> memoryview | None:
    """What `write_blob` wrote, or None where the file is missing or not exactly that."""
    try:
        data = path.read_bytes()
    except OSError:
        return None
    payload = memoryview(data)[_HEAD:]
    if data[: len(_MAGIC)] != _MAGIC or data[len(_MAGIC) : _HEAD] != hashlib.sha256(payload).digest():
        return None
    return payload


def write_blob(path: Path, payload: bytes, *, must: bool = False) -> None:
    """Replace `path` by `payload` and its SHA-256, atomically. A folder that cannot be written is left as it is, unless it
    `must`: then StorageError."""
    with contextlib.nullcontext() if must else contextlib.suppress(StorageError):
        atomic_write(path, _MAGIC + hashlib.sha256(payload).digest() + payload)


class BlobStore:
    """Blobs by key in one SQLite file, which several processes may use at once. Keys are hashes of all that matters."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def get_many(self, keys: Iterable[str]) -> dict[str, bytes]:
        """The blobs that are there and whole."""
        wanted = list(dict.fromkeys(keys))
        found: dict[str, bytes] = {}

        def read(db: sqlite3.Connection) -> None:
            for at in range(0, len(wanted), 500):
                some = wanted[at : at + 500]
                marks = ",".join("?" * len(some))
                for key, blob in db.execute(f"SELECT key, blob FROM blobs WHERE key IN ({marks})", some):
                    if isinstance(key, str) and isinstance(blob, bytes) and blob[:16] == _sum(key, blob[16:]):
                        found[key] = blob[16:]

        if wanted and self._path.exists():
            self._run(read)
        return found

    def put_many(self, blobs: Mapping[str, bytes]) -> None:
        """Keep `blobs`; all of them or none."""
        if blobs:
            rows = [(key, _sum(key, blob) + blob) for key, blob in blobs.items()]
            self._run(lambda db: db.executemany("INSERT OR REPLACE INTO blobs VALUES (?, ?)", rows))

    def _run(self, action: Callable[[sqlite3.Connection], object]) -> None:
        """`action` in one transaction. A broken file is thrown away; what the action did before that still counts."""
        import sqlite3

        db = None
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            db = sqlite3.connect(self._path, timeout=10)
            db.execute("PRAGMA synchronous=OFF")  # a torn page is noticed and costs one rebuild
            db.execute("CREATE TABLE IF NOT EXISTS blobs (key TEXT PRIMARY KEY, blob BLOB NOT NULL)")
            with db:
                action(db)
        except OSError:
            pass
        except (sqlite3.DatabaseError, UnicodeDecodeError, OverflowError) as error:  # the schema is text; sizes are numbers
            harmless = ("locked", "readonly", "unable to open", "disk is full")
            if not any(words in str(error) for words in harmless):
                self._discard()
        finally:
            if db is not None:
                with contextlib.suppress(sqlite3.Error):
                    db.close()

    def _discard(self) -> None:
        for suffix in ("", "-journal", "-wal", "-shm"):
            with contextlib.suppress(OSError):
                self._path.with_name(self._path.name + suffix).unlink()


def _sum(key: str, blob: bytes) -> bytes:
    return hashlib.blake2b(blob, digest_size=16, key=key.encode()[:64]).digest()
