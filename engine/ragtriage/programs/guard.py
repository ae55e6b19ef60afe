"""Ends the user's programs where this process cannot: when it is killed, a program that hangs would stay for ever.

A small process beside this one is told which groups there are, over a pipe whose other end nobody else holds. When the pipe
ends, whatever the reason, it kills the groups that are left, and ends.
"""

from __future__ import annotations

import atexit
import contextlib
import errno
import subprocess
import sys
import threading
from collections.abc import Callable

from ragtriage.programs import tree

__all__ = ["forget", "watched"]

_GUARD = """
import os, signal, sys
exec(compile(open(sys.argv[1], encoding="utf-8").read(), sys.argv[1], "exec"))
for name in ("SIGINT", "SIGTERM", "SIGHUP", "SIGPIPE"):
    signal.signal(getattr(signal, name), signal.SIG_IGN)
groups, rest = set(), b""
while True:
    part = os.read(0, 65536)
    if not part:
        break
    *lines, rest = (rest + part).split(b"\\n")
    for line in lines:
        (groups.add if line[:1] == b"+" else groups.discard)(int(line[1:]))
for group in groups:
    kill_tree(group)
"""
_GRACE_S = 2.0

_lock = threading.Lock()
_process: subprocess.Popen[bytes] | None = None
_ending = False


def watched(begin: Callable[[], subprocess.Popen[bytes]]) -> subprocess.Popen[bytes]:
    """What `begin` starts, a group of its own that is ended when we are gone. Where the guard cannot be started there is none:
    it is a precaution. Raises what `begin` does, and OSError once this process is on its way out: a thread that is stopped
    between a program's start and its being watched would leave it behind.
    """
    with _lock:
        if _ending:
            raise OSError(errno.ECANCELED, "ragtriage is ending")
        process = begin()
        with contextlib.suppress(OSError):
            _tell(b"+%d\n" % process.pid)
        return process


def forget(group: int) -> None:
    """The group was ended; its number may be another's soon."""
    with _lock, contextlib.suppress(OSError):
        if _process is not None:
            _tell(b"-%d\n" % group)


def _tell(line: bytes) -> None:
    global _process  # noqa: PLW0603  # one for this process
    if _process is None or _process.poll() is not None:
        new = _process is None
        _process = subprocess.Popen(
            [sys.executable, "-I", "-S", "-c", _GUARD, tree.__file__], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL, env={}, bufsize=0, start_new_session=True,
        )  # fmt: skip
        if new:
            atexit.register(_end)
    if _process.stdin is not None:
        _process.stdin.write(line)


def _end() -> None:
    """Let the guard go, which kills what is left."""
    global _process, _ending  # noqa: PLW0603  # one for this process
    with _lock:
        _ending = True
        process, _process = _process, None
    if process is not None and process.stdin is not None:
        with contextlib.suppress(OSError):
            process.stdin.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(_GRACE_S)
