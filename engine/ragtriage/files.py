"""How ragtriage writes: atomically, under a lock, and on disk before anybody is told.

Locks are taken on the folder that holds the file (flock on its descriptor): nothing is left behind in the user's
repository, and replacing the file by rename does not lose the lock.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import glob
import os
import stat
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from ragtriage.errors import StorageError

__all__ = ["atomic_write", "check_writable", "is_writable", "locked", "read_file", "rewrite", "sync_dir"]


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
