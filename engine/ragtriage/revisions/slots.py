"""Temporary folders for exported revisions, in the cache: held by a lock while somebody works in them, emptied afterwards.

What a killed process leaves is removed by the next one. The same project gets the same few folders again, so that what is
remembered of files by their place does not pile up.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

from ragtriage.errors import StorageError
from ragtriage.ids import text_sha

__all__ = ["export_folder"]

_MOST = 64  # at once, of one project
_FOLDER = "exports"


@contextlib.contextmanager
def export_folder(cache: Path, project_root: Path) -> Iterator[Path]:
    """An empty folder that nobody else has, for as long as the context lasts. Raises StorageError."""
    base = cache / _FOLDER
    try:
        base.mkdir(parents=True, exist_ok=True)
        _sweep(base)
        name = text_sha(os.fsencode(project_root.resolve()).hex())[:12]
        taken = next((one for number in range(_MOST) if (one := _take(base / f"{name}-{number}.lock")) is not None), None)
    except OSError as error:
        raise StorageError(f"{base}: a revision cannot be exported there: {error.strerror or error}") from error
    if taken is None:
        raise StorageError(f"{base}: {_MOST} reviews of this project are running already")
    descriptor, lock = taken
    folder = lock.with_suffix("")
    try:
        shutil.rmtree(folder, ignore_errors=True)
        try:
            folder.mkdir()
        except OSError as error:
            raise StorageError(f"{folder}: a revision cannot be exported there: {error.strerror or error}") from error
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        os.close(descriptor)


def _take(lock: Path) -> tuple[int, Path] | None:
    """The lock's descriptor, None where another process (or another thread of this one) has it."""
    descriptor = os.open(lock, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(descriptor)
        return None
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor, lock


def _sweep(base: Path) -> None:
    """Remove what nobody works in any more."""
    for lock in base.glob("*.lock"):
        folder = lock.with_suffix("")
        if folder.is_dir() and (taken := _take(lock)) is not None:
            shutil.rmtree(folder, ignore_errors=True)
            os.close(taken[0])
