"""Vectors by content: nothing is embedded twice, by whatever configuration, branch, run or process.

One SQLite file. A key is the hash of (encoder fingerprint, text); a value is float16 bytes behind a checksum of key and value.
A value that does not fit its checksum is as good as absent, and a file that SQLite cannot read is begun anew. The same file
holds a reranker's scores, under its fingerprint and a (question, text) pair, as one number each.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import sqlite3
import threading
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path

import numpy as np

from ragtriage.errors import StorageError
from ragtriage.files import is_writable
from ragtriage.ids import sha256_hex

__all__ = ["VectorCache", "key_of"]

_CHECK = 8  # bytes of checksum in front of each value
_AT_ONCE = 500  # keys a query; SQLite's oldest limit is 999
_BUSY_S = 30.0


def key_of(fingerprint: str, *texts: str) -> bytes:
    """The 32-byte key of what an encoder (by fingerprint) makes of a text, or a reranker of several."""
    digest = hashlib.sha256(fingerprint.encode())
    for text in texts:
        data = text.encode("utf-8", "surrogatepass")
        digest.update(b"\0%d\0" % len(data))
        digest.update(data)
    return digest.digest()


class VectorCache:
    """Vectors in one file, shared by processes and threads. `shipped` is a second, read-only file that is looked in first.

    Nothing is opened before it is needed. Raises StorageError where the file cannot be written.
    """

    def __init__(self, path: Path, *, shipped: Path | None = None) -> None:
        self._path = path
        self._shipped_path = shipped
        self._lock = threading.RLock()
        self._connection: sqlite3.Connection | None = None
        self._shipped: sqlite3.Connection | None = None

    @cached_property
    def shipped_sha(self) -> str:
        """Sixteen hex digits of the shipped file's content; "" where there is none."""
        try:
            return sha256_hex(self._shipped_path.read_bytes())[:16] if self._shipped_path is not None else ""
        except OSError:
            return ""

    def get(self, keys: Sequence[bytes]) -> dict[bytes, np.ndarray]:
        """Those of `keys` that are known, each with its vector: float16[d], read-only."""
        found: dict[bytes, np.ndarray] = {}
        with self._lock:
            if self._shipped_path is not None:
                with contextlib.suppress(sqlite3.Error):
                    found = _read(self._open_shipped(self._shipped_path), keys)
            missing = [key for key in keys if key not in found] if found else keys
            if missing and self._path.exists():
                with self._healing():
                    found |= _read(self._open(), missing)
        return found

    def put(self, vectors: Mapping[bytes, np.ndarray]) -> None:
        """Store vectors (converted to float16), all or none; on disk as far as SQLite's normal mode promises."""
        rows = []
        for key, vector in vectors.items():
            data = np.ascontiguousarray(vector, dtype="<f2").tobytes()
            rows.append((key, _checksum(key, data) + data))
        with self._lock:
            for attempt in range(2):
                with self._healing(again=attempt == 0), self._open() as connection:
                    connection.executemany("INSERT OR REPLACE INTO vectors VALUES (?, ?)", rows)
                    return

    def export(self, path: Path, keys: Sequence[bytes]) -> int:
        """Write those of `keys` that are known into a new file at `path`, to be shipped. Returns how many there are."""
        known = self.get(keys)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.unlink(missing_ok=True)
        other = VectorCache(path)
        other.put({key: known[key] for key in sorted(known)})
        with other._lock, other._open() as connection:
            connection.execute("PRAGMA journal_mode = DELETE")  # a read-only file cannot have a log beside it
        other.close()
        return len(known)

    def close(self) -> None:
        with self._lock:
            for connection in (self._connection, self._shipped):
                if connection is not None:
                    with contextlib.suppress(sqlite3.Error):
                        connection.close()
            self._connection = self._shipped = None

    def _open(self) -> sqlite3.Connection:
        if self._connection is not None and not self._path.exists():
            self.close()  # the cache folder was deleted under us
        if self._connection is None:
            try:
                self._path.parent.mkdir(parents=True, exist_ok=True)
            except OSError as error:
                raise StorageError(f"{self._path}: the cache cannot be written: {error.strerror}") from error
            self._connection = sqlite3.connect(self._path, timeout=_BUSY_S, check_same_thread=False)
            self._connection.execute("PRAGMA journal_mode = WAL")
            self._connection.execute("PRAGMA synchronous = NORMAL")
            self._connection.execute("CREATE TABLE IF NOT EXISTS vectors (key BLOB PRIMARY KEY, value BLOB) WITHOUT ROWID")
        return self._connection

    def _open_shipped(self, path: Path) -> sqlite3.Connection:
        if self._shipped is None:
            # immutable: no lock and no log beside it, so that it may lie in a read-only folder.
            uri = f"{path.absolute().as_uri()}?mode=ro&immutable=1"
            self._shipped = sqlite3.connect(uri, uri=True, check_same_thread=False)
        return self._shipped

    @contextlib.contextmanager
    def _healing(self, *, again: bool = True) -> Iterator[None]:
        """Begin the file anew when SQLite finds it damaged; StorageError for a full or read-only disk and a stuck lock."""
        try:
            yield
        except sqlite3.OperationalError as error:
            # a damaged header says "readonly", too: of a file of a format that only a later SQLite could write
            closed = "readonly" in str(error) and not (os.access(self._path, os.W_OK) and is_writable(self._path.parent))
            if closed or any(word in str(error) for word in ("locked", "full", "unable to open", "disk I/O")):
                raise StorageError(f"{self._path}: the vector cache cannot be used: {error}") from error
            self._begin_anew(error, again)
        except (sqlite3.DatabaseError, UnicodeDecodeError, OverflowError) as error:  # the schema is text; sizes are numbers
            self._begin_anew(error, again)

    def _begin_anew(self, error: Exception, again: bool) -> None:
        if not again:
            raise StorageError(f"{self._path}: the vector cache cannot be used: {error}") from error
        self.close()
        for suffix in ("", "-wal", "-shm"):
            self._path.with_name(self._path.name + suffix).unlink(missing_ok=True)


def _read(connection: sqlite3.Connection, keys: Sequence[bytes]) -> dict[bytes, np.ndarray]:
    found: dict[bytes, np.ndarray] = {}
    for start in range(0, len(keys), _AT_ONCE):
        some = keys[start : start + _AT_ONCE]
        marks = ",".join("?" * len(some))
        for key, value in connection.execute(f"SELECT key, value FROM vectors WHERE key IN ({marks})", some):
            if isinstance(value, bytes) and len(value) % 2 == 0 and value[:_CHECK] == _checksum(key, value[_CHECK:]):
                found[key] = np.frombuffer(value, dtype="<f2", offset=_CHECK)
    return found


def _checksum(key: bytes, data: bytes) -> bytes:
    return hashlib.blake2b(data, digest_size=_CHECK, key=key).digest()
