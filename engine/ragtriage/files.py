"""How ragtriage writes: atomically, under a lock, and on disk before anybody is told.

Locks are taken on the folder that holds the file (flock on its descriptor): nothing is left behind in the user's
repository, and replacing the file by rename does not lose the lock.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import json
import os
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import orjson

from ragtriage.errors import Problem, StorageError

__all__ = [
    "LogLine", "append_line", "append_lines", "atomic_write", "dump_line", "dump_pretty", "is_writable",
    "load_json", "locked", "read_log", "rewrite", "sync_dir",
]  # fmt: skip


def load_json(data: bytes | str) -> Any:
    """JSON, with what orjson refuses and users' files hold: a BOM, lone surrogates (read as U+FFFD), NaN.

    Raises ValueError with a message fit for a user.
    """
    try:
        return orjson.loads(data)
    except orjson.JSONDecodeError as strict:
        try:
            text = data.decode("utf-8-sig") if isinstance(data, bytes) else data.removeprefix("\ufeff")
            return _scrub(json.loads(text))
        except (ValueError, RecursionError):
            raise ValueError(str(strict)) from None


def _scrub(value: Any) -> Any:
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode("utf-8") if not value.isascii() else value
    if isinstance(value, list):
        return [_scrub(item) for item in value]
    if isinstance(value, dict):
        return {_scrub(key): _scrub(item) for key, item in value.items()}
    return value


def dump_line(value: Any) -> bytes:
    """One JSON value on one line, with its line end. Keys keep their order."""
    return orjson.dumps(value, option=orjson.OPT_APPEND_NEWLINE)


def dump_pretty(value: Any) -> bytes:
    """JSON for a file that people read and git diffs."""
    return orjson.dumps(value, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)


def sync_dir(folder: Path) -> None:
    """fsync of a folder, so that a rename in it survives a power cut."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


@contextlib.contextmanager
def _storage(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise StorageError(f"{path}: the disk is full; nothing was changed. Free some space and try again.") from error
        if error.errno in (errno.EROFS, errno.EACCES, errno.EPERM):
            raise StorageError(f"{path}: cannot be written ({error.strerror}); nothing was changed.") from error
        raise StorageError(f"{path}: {error.strerror or error}") from error


def is_writable(folder: Path) -> bool:
    """Whether files can be made in `folder` or, where it does not exist, in its nearest existing parent."""
    while not folder.exists():
        if folder.parent == folder:
            return False
        folder = folder.parent
    return os.access(folder, os.W_OK | os.X_OK)


def atomic_write(path: Path, data: bytes, *, mode: int | None = None) -> None:
    """Replace `path` by `data`: a temporary file beside it, fsync, rename, fsync of the folder. Follows a symlink.

    Raises StorageError; then the old file stands unchanged.
    """
    path = path.resolve() if path.is_symlink() else path
    with _storage(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        if mode is None:
            mode = path.stat().st_mode & 0o777 if path.exists() else 0o666 & ~_umask()
        if path.exists() and not os.access(path, os.W_OK):
            raise PermissionError(errno.EACCES, "read-only")
        descriptor, name = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".tmp", dir=path.parent)
        try:
            with os.fdopen(descriptor, "wb") as handle:
                handle.write(data)
                handle.flush()
                os.fchmod(handle.fileno(), mode)
                os.fsync(handle.fileno())
            os.replace(name, path)
        except BaseException:
            with contextlib.suppress(OSError):
                os.unlink(name)
            raise
        sync_dir(path.parent)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


@contextlib.contextmanager
def locked(path: Path, *, timeout_s: float = 10.0) -> Iterator[None]:
    """Hold the lock of the folder that holds `path`. Raises StorageError when another process keeps it for `timeout_s`."""
    target = path.resolve() if path.is_symlink() else path
    with _storage(target):
        target.parent.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(target.parent, os.O_RDONLY)
    try:
        deadline = time.monotonic() + timeout_s
        while True:
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if time.monotonic() > deadline:
                    raise StorageError(f"{path}: another process has held the lock for {timeout_s:g} s; try again.") from None
                time.sleep(0.005)
            except OSError:  # a file system without flock: better unlocked than unusable
                break
        yield
    finally:
        os.close(descriptor)


def append_line(path: Path, value: Any) -> None:
    """Append one JSON object to a log, on disk when this returns. Raises StorageError."""
    append_lines(path, [value])


def append_lines(path: Path, values: list[Any]) -> None:
    """Append JSON objects to a log under its lock; all on disk when this returns. A torn last line is closed first."""
    with locked(path), _storage(path):
        new = not path.exists()
        with open(path, "ab+") as handle:
            size = handle.seek(0, os.SEEK_END)
            torn = False
            if size:
                handle.seek(size - 1)
                torn = handle.read(1) != b"\n"
            data = (b"\n" if torn else b"") + b"".join(dump_line(value) for value in values)
            try:
                handle.write(data)
                handle.flush()
                os.fsync(handle.fileno())
            except OSError:
                with contextlib.suppress(OSError):
                    os.ftruncate(handle.fileno(), size)
                raise
        if new:
            sync_dir(path.parent)


def rewrite(path: Path, change: Callable[[bytes], bytes]) -> None:
    """Read `path` (b"" where it does not exist), change it, write it back: all under its lock, atomically."""
    with locked(path):
        with _storage(path):
            old = path.read_bytes() if path.exists() else b""
        new = change(old)
        if new != old:
            atomic_write(path, new)


class LogLine(NamedTuple):
    """One object of a JSON lines file, and its line (from 1)."""

    line: int
    value: dict[str, Any]


def read_log(path: Path) -> tuple[list[LogLine], list[Problem]]:
    """Every object of a JSON lines file in file order, and a Problem for every line that is none. Missing file: nothing."""
    good: list[LogLine] = []
    bad: list[Problem] = []
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return good, bad
    except OSError as error:
        return good, [Problem(str(path), 0, f"cannot be read: {error.strerror}")]
    for number, raw in enumerate(data.split(b"\n"), start=1):
        if not raw.strip():
            continue
        if raw.startswith((b"<<<<<<< ", b"=======", b">>>>>>> ", b"|||||||")):
            bad.append(Problem(str(path), number, "a merge conflict marker; resolve the conflict and remove it"))
            continue
        try:
            value = load_json(raw)
        except ValueError as error:
            bad.append(Problem(str(path), number, f"not JSON: {error}"))
            continue
        if isinstance(value, dict):
            good.append(LogLine(number, value))
        else:
            bad.append(Problem(str(path), number, f"a JSON object is needed, this is {_json_name(value)}"))
    return good, bad


def _json_name(value: Any) -> str:
    names = {list: "a list", str: "a string", bool: "true or false", type(None): "null"}
    return names.get(type(value), "a number")
