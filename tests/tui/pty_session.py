"""The app on a real pseudo-terminal: what it sends, how it ends."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import pty
import re
import select
import signal
import struct
import sys
import termios
import time
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType

SHOW = Path(__file__).with_name("show.py")

KEPT = ("PATH", "HOME", "TMPDIR", "PYTHONPATH", "RAGTRIAGE_HOME")
"""The variables that a session takes from ours."""

REST_S, REST_NS = 0.15, 500_000
"""Longer than what the app waits for between keys; what it may compute meanwhile, in each twentieth of a second, at rest."""


class Session:
    """Starts `show.py` (or another command) on a terminal of the given size; `read` collects what it sends."""

    def __init__(
        self, columns: int = 80, rows: int = 24, *, env: Mapping[str, str] | None = None, command: list[str] | None = None
    ) -> None:
        self.output = b""
        # nothing else: what other tests, a terminal or CI have set must not decide what the app sends
        environ = {name: value for name in KEPT if (value := os.environ.get(name)) is not None}
        environ |= {"TERM": "xterm-256color", "LANG": "C.UTF-8", "PYTHONDONTWRITEBYTECODE": "1", **(env or {})}
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            with contextlib.suppress(BaseException):
                fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
                os.execve(sys.executable, [sys.executable, *(command or [str(SHOW)])], environ)
            os._exit(127)
        self.resize(columns, rows)

    def __enter__(self) -> Session:
        return self

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGKILL)
        with contextlib.suppress(ChildProcessError):
            os.waitpid(self.pid, 0)
        with contextlib.suppress(OSError):
            os.close(self.fd)

    def resize(self, columns: int, rows: int) -> None:
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def read(self, quiet_s: float = 0.4, limit_s: float = 20.0) -> bytes:
        """Everything sent until nothing comes for `quiet_s`; where that is under a second, also until the app is at rest."""
        out = b""
        until = time.monotonic() + limit_s
        step = min(quiet_s, 0.05) if quiet_s < 1.0 else quiet_s
        silent = resting = 0.0
        worked = _worked_ns(self.pid)[0]
        while silent < quiet_s - 1e-6 and resting < REST_S - 1e-6 and time.monotonic() < until:
            ready, _, _ = select.select([self.fd], [], [], step)
            if not ready:
                silent, before = silent + step, worked
                worked, running = _worked_ns(self.pid)
                resting = 0.0 if running or worked - before > REST_NS else resting + step
                continue
            try:
                data = os.read(self.fd, 65536)
            except OSError as error:
                if error.errno == errno.EIO:
                    break
                raise
            if not data:
                break
            out += data
            silent = resting = 0.0
        self.output += out
        return out

    def wait_for(self, text: str, limit_s: float = 20.0) -> bytes:
        """Read until `text` was sent, and then until it is quiet. Raises AssertionError where it never comes."""
        out = b""
        until = time.monotonic() + limit_s
        while text.encode() not in plain(out):
            if time.monotonic() > until:
                raise AssertionError(f"{text!r} was not sent; got {plain(out)[-2000:]!r}")
            out += self.read(0.1, 1.0)
        return out + self.read()

    def send(self, keys: str, quiet_s: float = 0.3) -> bytes:
        """Type keys and return what they made the app send."""
        os.write(self.fd, keys.encode())
        return self.read(quiet_s)

    def kill(self, number: int) -> None:
        os.kill(self.pid, number)

    def wait(self, limit_s: float = 8.0) -> int:
        """The exit code (negative: the signal); the terminal is read meanwhile. Raises AssertionError where it stays."""
        until = time.monotonic() + limit_s
        while time.monotonic() < until:
            self.read(0.05, 0.5)
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                return os.waitstatus_to_exitcode(status)
        raise AssertionError("the app is still there")


def _worked_ns(pid: int) -> tuple[int, bool]:
    """How long a process and those that it started have computed, and whether one does or waits for a core or a disk.

    Where that cannot be seen, it is taken for one that does.
    """
    total, running = 0, False
    try:
        for task in Path(f"/proc/{pid}/task").iterdir():
            running |= (task / "stat").read_text().rpartition(")")[2].split()[0] in "RD"
            total += int((task / "schedstat").read_text().split()[0])
            for child in (task / "children").read_text().split():
                more, works = _worked_ns(int(child))
                total, running = total + more, running or works
    except (OSError, ValueError, IndexError):
        return 0, True
    return total, running


def plain(data: bytes) -> bytes:
    """What was sent without control sequences."""
    return re.sub(rb"\x1b(\[[0-9;?<>$]*[ -/]*[@-~]|[PX^_\]].*?(\x1b\\|\x07)|[@-Z\\-_])", b"", data, flags=re.DOTALL)


def sequences(data: bytes) -> set[bytes]:
    """The kinds of control sequences in `data`: final byte of CSI, or the introducer of others."""
    out = set()
    for match in re.finditer(rb"\x1b(\[[0-9;?<>$]*[ -/]*([@-~])|([^\[]))", data):
        out.add(match[2] or b"ESC" + match[3])
    return out
