from __future__ import annotations

import errno
import fcntl
import os
import stat
from pathlib import Path

import pytest

from ragtriage import files
from ragtriage.errors import StorageError
from ragtriage.files import atomic_write, is_writable, locked, rewrite
from ragtriage.log_lines import append_line, read_log


def names(folder: Path) -> list[str]:
    return sorted(one.name for one in folder.iterdir())


def test_a_write_replaces_the_file_and_keeps_its_mode(tmp_path: Path) -> None:
    path = tmp_path / "new" / "file"
    atomic_write(path, b"one")
    path.chmod(0o640)
    atomic_write(path, b"two")
    assert (path.read_bytes(), path.stat().st_mode & 0o777, names(path.parent)) == (b"two", 0o640, ["file"])


def test_a_write_through_a_symlink_keeps_the_link(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    target, link = tmp_path / "real" / "file", tmp_path / "link"
    target.write_bytes(b"one\n")
    link.symlink_to(target)
    atomic_write(link, b"two\n")
    rewrite(link, lambda old: old + b"three\n")
    append_line(link, {})
    assert link.is_symlink()
    assert target.read_bytes() == b"two\nthree\n{}\n"


@pytest.mark.parametrize(
    ("number", "says"),
    [
        (errno.ENOSPC, "the disk is full; nothing was changed"),
        (errno.EDQUOT, "the disk is full"),
        (errno.EROFS, "read-only or not yours to write"),
        (errno.EIO, "Input/output error"),
    ],
)
def test_a_disk_that_does_not_take_it_leaves_the_old_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int, says: str
) -> None:
    path = tmp_path / "log.jsonl"
    append_line(path, {"a": 1})

    def fails(descriptor: int) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(files.os, "fsync", fails)
    for write in (
        lambda: atomic_write(path, b"new"),
        lambda: append_line(path, {"a": 2}),
        lambda: rewrite(path, lambda old: b""),
    ):
        with pytest.raises(StorageError, match=says) as raised:
            write()
        assert str(path) in str(raised.value)
    assert path.read_bytes() == b'{"a":1}\n'
    assert names(tmp_path) == ["log.jsonl"]


def test_a_protected_file_is_not_replaced(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"old")
    path.chmod(0o444)
    for write in (lambda: atomic_write(path, b"new"), lambda: append_line(path, 1), lambda: rewrite(path, lambda old: b"new")):
        with pytest.raises(StorageError, match=r"file: read-only.*nothing was changed"):
            write()
    assert path.read_bytes() == b"old"


def test_a_folder_in_the_files_place_is_a_storage_error(tmp_path: Path) -> None:
    (tmp_path / "file").mkdir()
    (tmp_path / "plain").write_bytes(b"")
    for path in (tmp_path / "file", tmp_path / "plain" / "below"):
        with pytest.raises(StorageError):
            append_line(path, {})


def test_a_change_that_raises_leaves_the_file_and_the_lock_free(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"old")

    def change(old: bytes) -> bytes:
        raise KeyError(old)

    with pytest.raises(KeyError):
        rewrite(path, change)
    rewrite(path, lambda old: old + b"!")
    assert path.read_bytes() == b"old!"


def test_an_unchanged_file_is_not_written(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"old")
    before = path.stat().st_ino
    rewrite(path, lambda old: old)
    assert path.stat().st_ino == before


def test_what_a_killed_process_left_is_swept_and_nothing_else(tmp_path: Path) -> None:
    for name in (".log[1].jsonl.abc.tmp", ".other.jsonl.abc.tmp", "log[1].jsonl.abc.tmp"):
        (tmp_path / name).write_bytes(b"half")
    append_line(tmp_path / "log[1].jsonl", {})
    assert names(tmp_path) == [".other.jsonl.abc.tmp", "log[1].jsonl", "log[1].jsonl.abc.tmp"]


def test_a_lock_held_too_long_is_told(tmp_path: Path) -> None:
    path = tmp_path / "file"
    with locked(path):
        with pytest.raises(StorageError, match="another process has held the lock for 0"), locked(path, timeout_s=0):
            pass
        with locked(tmp_path / "below" / "file", timeout_s=0):
            pass
    with locked(path, timeout_s=0):
        pass


def test_whether_a_folder_can_be_written_is_asked_of_its_nearest_parent(tmp_path: Path) -> None:
    assert is_writable(tmp_path / "a" / "b")
    assert not is_writable(Path("/proc/self/nowhere"))
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o555)
    assert not is_writable(closed)  # for root, too
    assert not is_writable(closed / "below")


def test_where_folders_cannot_be_locked_a_file_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    really = fcntl.flock

    def no_folders(descriptor: int, how: int) -> None:
        if stat.S_ISDIR(os.fstat(descriptor).st_mode):
            raise OSError(errno.EBADF, "Bad file descriptor")
        really(descriptor, how)

    monkeypatch.setattr(fcntl, "flock", no_folders)
    path = tmp_path / "golden.jsonl"
    with locked(path), pytest.raises(StorageError, match="another process has held the lock"), locked(path, timeout_s=0):
        pass
    with locked(path, timeout_s=0):
        pass


def test_where_nothing_can_be_locked_writing_still_works(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def nothing(descriptor: int, how: int) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(fcntl, "flock", nothing)
    append_line(tmp_path / "log.jsonl", {"a": 1})
    assert read_log(tmp_path / "log.jsonl")[0][0].value == {"a": 1}


def test_a_new_file_has_what_the_umask_leaves(tmp_path: Path) -> None:
    old = os.umask(0o027)
    try:
        atomic_write(tmp_path / "new", b"x")
    finally:
        os.umask(old)
    assert (tmp_path / "new").stat().st_mode & 0o777 == 0o640
    (tmp_path / "new").chmod(0o604)
    atomic_write(tmp_path / "new", b"y")
    assert (tmp_path / "new").stat().st_mode & 0o777 == 0o604


def test_what_is_no_regular_file_is_neither_read_nor_replaced(tmp_path: Path) -> None:
    pipe = tmp_path / "log.jsonl"
    os.mkfifo(pipe)
    link = tmp_path / "link.jsonl"
    link.symlink_to(pipe)
    assert [one.message for one in read_log(pipe)[1]] == ["cannot be read: not a regular file"]
    for path in (pipe, link):
        with pytest.raises(StorageError, match="not a regular file"):
            atomic_write(path, b"x")
        with pytest.raises(StorageError, match="not a regular file"):
            append_line(path, {})
    assert stat.S_ISFIFO(pipe.stat().st_mode)


def test_a_link_to_itself_is_said_to_be_one(tmp_path: Path) -> None:
    link = tmp_path / "link.jsonl"
    link.symlink_to("link.jsonl")
    with pytest.raises(StorageError, match="leads back to itself"):
        append_line(link, {})
