"""Cache folders that are built aside, renamed into place, and checked before they are used.

A folder holds a manifest with the size and SHA-256 of each file. What does not fit is rebuilt, never patched. Small folders
are hashed each time they are opened; files of a large one only when size, mtime or inode are not those they were built with.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ragtriage.errors import StorageError
from ragtriage.ids import canonical_json
from ragtriage.json_lines import load_json

__all__ = ["open_or_build", "sound"]

_MANIFEST = "manifest.json"
_ALWAYS_HASHED = 32 * 2**20  # bytes: about 20-60 ms of SHA-256
_KEPT = 40


def open_or_build(folder: Path, build: Callable[[Path], None]) -> Path:
    """`folder`, filled by `build(empty folder)` unless a sound one is there. Raises StorageError, and whatever `build` raises.

    Of several processes that build the same folder the first to finish wins; all of them give the same content.
    """
    if sound(folder):
        with contextlib.suppress(OSError):
            os.utime(folder)
        return folder
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        aside = Path(tempfile.mkdtemp(prefix=".building-", dir=folder.parent))
        try:
            build(aside)
            _seal(aside)
            _into_place(aside, folder)
        finally:
            shutil.rmtree(aside, ignore_errors=True)
    except OSError as error:
        what = "the disk is full" if error.errno in (errno.ENOSPC, errno.EDQUOT) else error.strerror or str(error)
        raise StorageError(f"{folder.parent}: the cache cannot be written: {what}.") from error
    _forget_oldest(folder)
    return folder


def sound(folder: Path) -> bool:
    """Whether every file is there as it was built. Never raises: what cannot be read is not sound."""
    try:
        manifest = load_json((folder / _MANIFEST).read_bytes())
        files: dict[str, list[Any]] = manifest["files"]
        small = sum(size for size, *_ in files.values()) <= _ALWAYS_HASHED
        return bool(files) and all(_fits(folder / name, known, small) for name, known in files.items())
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return False


def _fits(path: Path, known: list[Any], always_hash: bool) -> bool:
    size, sha, mtime_ns, inode = known
    stat = path.stat()
    if stat.st_size != size:
        return False
    if not always_hash and (stat.st_mtime_ns, stat.st_ino) == (mtime_ns, inode):
        return True
    return bool(_sha(path) == sha)


def _sha(path: Path) -> str:
    with open(path, "rb") as handle:
        return hashlib.file_digest(handle, "sha256").hexdigest()


def _seal(folder: Path) -> None:
    files = {}
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            stat = path.stat()
            files[str(path.relative_to(folder))] = [stat.st_size, _sha(path), stat.st_mtime_ns, stat.st_ino]
    (folder / _MANIFEST).write_bytes(canonical_json({"format": 1, "files": files}))


def _into_place(aside: Path, folder: Path) -> None:
    for _ in range(8):
        try:
            aside.rename(folder)
            return
        except OSError as error:
            if error.errno not in (errno.ENOTEMPTY, errno.EEXIST, errno.ENOTDIR):
                raise
        if sound(folder):
            return
        # An unsound folder goes aside in one step, so that no other process ever opens half of it.
        with contextlib.suppress(OSError):
            broken = Path(tempfile.mkdtemp(prefix=".broken-", dir=folder.parent)) / "old"
            folder.rename(broken)
            shutil.rmtree(broken.parent, ignore_errors=True)
    raise OSError(errno.EBUSY, "other processes keep replacing it")


def _forget_oldest(folder: Path) -> None:
    """Keep the folders used last: each edit of a corpus leaves one behind."""
    with contextlib.suppress(OSError):  # another process forgets at the same time
        with os.scandir(folder.parent) as entries:
            known = [(entry.stat().st_mtime_ns, entry.path) for entry in entries if entry.is_dir()]
        for _, path in sorted(known, reverse=True)[_KEPT:]:
            if Path(path) != folder:
                shutil.rmtree(path, ignore_errors=True)
