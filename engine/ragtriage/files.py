"""How ragtriage writes: atomically, under a lock, and on disk before anybody is told.

Locks are taken on the folder that holds the file (flock on its descriptor): nothing is left behind in the user's
repository, and replacing the file by rename does not lose the lock.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import glob
import json
import os
import re
import stat
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import orjson

from ragtriage.errors import Problem, StorageError

__all__ = [
    "LogLine", "append_line", "append_lines", "atomic_write", "check_writable", "clean_text", "dump_line", "dump_pretty",
    "dump_spaced", "is_writable", "load_json", "locked", "not_json", "parse_log", "read_file", "read_log", "rewrite",
    "sync_dir",
]  # fmt: skip

_SURROGATE = re.compile("[\ud800-\udfff]")
_LONG_NUMBER = re.compile(rb"[0-9]{19}")
_PLACE = re.compile(r": line 1 column (\d+) \(char \d+\)$")
_CONFLICT = re.compile(rb"(?:<{7}|>{7}|[|]{7})(?: |\r?$)|={7}\r?$")


def clean_text(text: str) -> str:
    """The text with lone surrogates, which no UTF-8 file can hold, as U+FFFD."""
    return text if text.isascii() else _SURROGATE.sub("\ufffd", text)


def load_json(data: bytes | str, *, exact: bool = False) -> Any:
    """JSON, with what orjson refuses and users' files hold: a BOM, lone surrogates (read as U+FFFD), NaN.

    `exact` keeps whole numbers of any length, which would else become floats. Raises ValueError with a message fit for a user.
    """
    try:
        if exact and _LONG_NUMBER.search(data.encode("utf-8", "replace") if isinstance(data, str) else data):
            return _scrub(json.loads(data))
        return orjson.loads(data)
    except (ValueError, RecursionError) as strict:  # orjson's own error is a ValueError
        try:
            text = data.decode("utf-8-sig") if isinstance(data, bytes) else data.removeprefix("\ufeff")
            return _scrub(json.loads(text))
        except (ValueError, RecursionError) as error:
            said = error if "byte order mark" in str(strict) else strict  # a BOM is fine, so it is something else
            raise ValueError(str(said) or "nested too deeply") from None


def _scrub(value: Any) -> Any:
    if isinstance(value, str):
        return clean_text(value)
    if isinstance(value, list):
        return [_scrub(item) for item in value]
    if isinstance(value, dict):
        return {_scrub(key): _scrub(item) for key, item in value.items()}
    return value


def dump_line(value: Any) -> bytes:
    """One JSON value on one line, with its line end. Keys keep their order; a lone surrogate is written as its escape."""
    try:
        return orjson.dumps(value, option=orjson.OPT_APPEND_NEWLINE)
    except TypeError:  # a lone surrogate, or a whole number of more than 64 bits
        return dump_spaced(value)


def dump_spaced(value: Any) -> bytes:
    """One JSON value on one line with a space after each comma and colon, as people write it in a file they edit.

    Whole numbers of any length are kept; NaN and infinity raise ValueError, what JSON cannot hold TypeError.
    """
    text = json.dumps(value, ensure_ascii=False, allow_nan=False)
    return _SURROGATE.sub(lambda found: f"\\u{ord(found[0]):04x}", text).encode() + b"\n"


def dump_pretty(value: Any) -> bytes:
    """JSON for a file that people read and git diffs."""
    try:
        return orjson.dumps(value, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)
    except TypeError:  # a lone surrogate, or a whole number of more than 64 bits
        text = json.dumps(value, ensure_ascii=False, indent=2)
        return _SURROGATE.sub(lambda found: f"\\u{ord(found[0]):04x}", text).encode() + b"\n"


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
            why = error.strerror or "permission denied"
            raise StorageError(f"{path}: read-only or not yours to write ({why}); nothing was changed.") from error
        raise StorageError(f"{path}: {error.strerror or error}") from error


def is_writable(folder: Path) -> bool:
    """Whether files can be made in `folder` or, where it does not exist, in its nearest existing parent.

    A folder without any write bit is left alone, also by root, who could write to it: somebody closed it.
    """
    while not folder.exists():
        if folder.parent == folder:
            return False
        folder = folder.parent
    return os.access(folder, os.W_OK | os.X_OK) and bool(folder.stat().st_mode & 0o222)


def read_file(path: Path) -> bytes:
    """The bytes of a regular file. Raises OSError, also for a pipe or a device: reading one may never end."""
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    with os.fdopen(descriptor, "rb", closefd=True) as handle:
        _regular(os.fstat(descriptor).st_mode)
        return handle.read()


def _regular(mode: int) -> None:
    if not stat.S_ISREG(mode):
        raise OSError(errno.EINVAL, "not a regular file")


def _target(path: Path) -> Path:
    """The file that `path` leads to. Raises StorageError where its links go in a circle."""
    try:
        return path.resolve() if path.is_symlink() else path
    except (RuntimeError, OSError):  # Python 3.13 makes an OSError of it
        raise StorageError(f"{path}: a link that leads back to itself; nothing was changed.") from None


def check_writable(path: Path) -> None:
    """Raise the StorageError that `atomic_write` would raise of such a target; nothing is written. The folder must be there.

    For what takes long and writes its result at the end.
    """
    path = _target(path)
    with _storage(path):
        _replaceable(path)
        if not is_writable(path.parent):
            raise PermissionError(errno.EACCES, "the folder is read-only")


def _replaceable(path: Path) -> int | None:
    """The mode of a file that may be replaced, None where there is none. Raises OSError for what may not be."""
    if not path.exists():
        return None
    mode = path.stat().st_mode
    _regular(mode)  # a rename puts a file in the place of a pipe or a device: for root, of /dev/null
    # a rename would replace a file that somebody protected on purpose; root may write anything, so the bits are asked too
    if not (os.access(path, os.W_OK) and mode & 0o222):
        raise PermissionError(errno.EACCES, "the file is read-only")
    return mode


def atomic_write(path: Path, data: bytes, *, mode: int | None = None) -> None:
    """Replace `path` by `data`: a temporary file beside it, fsync, rename, fsync of the folder. Follows a symlink.

    Raises StorageError; then the old file stands unchanged.
    """
    path = _target(path)
    with _storage(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        old = _replaceable(path)
        if mode is None and old is not None:
            mode = old & 0o777
        # tempfile would do this too, and costs every command that writes nothing 2 ms to import
        name = path.parent / f".{path.name[:200]}.{os.urandom(6).hex()}.tmp"
        descriptor = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666 if mode is None else 0o600)
        try:
            with os.fdopen(descriptor, "wb") as handle:
                handle.write(data)
                handle.flush()
                if mode is not None:  # a new file has what the umask leaves of 0666
                    os.fchmod(handle.fileno(), mode)
                os.fsync(handle.fileno())
            os.replace(name, path)
        except BaseException:
            with contextlib.suppress(OSError):
                os.unlink(name)
            raise
        sync_dir(path.parent)


@contextlib.contextmanager
def locked(path: Path, *, timeout_s: float = 10.0) -> Iterator[None]:
    """Hold the lock of the folder that holds `path`. Raises StorageError when another process keeps it for `timeout_s`."""
    target = _target(path)
    with _storage(target):
        target.parent.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(target.parent, os.O_RDONLY)
    try:
        deadline = time.monotonic() + timeout_s
        own_file = False
        while True:
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if time.monotonic() > deadline:
                    raise StorageError(f"{path}: another process has held the lock for {timeout_s:g} s; try again.") from None
                time.sleep(0.005)
            except OSError:  # a file system that locks no folders (NFS): a file of its own, which then stays
                if own_file:
                    break  # nor files: better unlocked than unusable
                own_file, folder = True, descriptor
                with _storage(target):
                    descriptor = os.open(target.parent / ".ragtriage.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
                os.close(folder)
        yield
    finally:
        os.close(descriptor)


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


def rewrite(path: Path, change: Callable[[bytes], bytes]) -> None:
    """Read `path` (b"" where it does not exist), change it, write it back: all under its lock, atomically.

    What `change` raises leaves the file as it was.
    """
    path = _target(path)
    with locked(path):
        with _storage(path):
            old = read_file(path) if path.exists() else b""
        new = change(old)
        if new != old:
            _sweep(path)
            atomic_write(path, new)


def _sweep(path: Path) -> None:
    """Remove what a killed process left beside `path`. Only under its lock: then every such file is an orphan."""
    for orphan in path.parent.glob(f".{glob.escape(path.name[:200])}.*.tmp"):
        with contextlib.suppress(OSError):
            orphan.unlink()


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


def not_json(error: ValueError) -> str:
    """What is wrong with one line, of an error of `load_json`: the line is known, so only the column is said."""
    return "not JSON: " + _PLACE.sub(r" at column \1", str(error))


def _json_name(value: Any) -> str:
    names = {list: "a list", str: "a string", bool: "true or false", type(None): "null"}
    return names.get(type(value), "a number")
