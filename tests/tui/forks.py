"""Commands as processes of their own that need not load everything anew: they are forked from one that has.

A warm command takes a fifth of a second to import what it needs and a hundredth to do its work. `Forks` keeps one interpreter
that has imported it; run as a script, this file is that interpreter. What a fork shares with its siblings is what was imported
and the seed of the hashes of strings; its words, folder, environment, pipes and exit code are its own.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import pkgutil
import signal
import socket
import subprocess
import sys
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple

import ragtriage
import ragtriage_tui.commands
from ragtriage_tui.cli import script

LOADED = ("platformdirs", "rich.cells", "sqlite3", "tantivy")
"""What commands load on their way, besides all of the engine and of the commands, of which importing does nothing."""


class Ended(NamedTuple):
    """How a process ended (negative: the signal) and the bytes that it wrote."""

    code: int
    out: bytes
    err: bytes


class Forks:
    """The interpreter that is forked; `run` is `subprocess.run` for `ragtriage`."""

    def __init__(self) -> None:
        self._requests, theirs = socket.socketpair()
        self._server = subprocess.Popen(
            [sys.executable, "-X", "utf8", "-W", "error", __file__, str(theirs.fileno())],
            pass_fds=[theirs.fileno()],
            stdin=subprocess.DEVNULL,
            env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},  # what has threads of its own cannot be forked
            start_new_session=True,
        )
        theirs.close()

    def __enter__(self) -> Forks:
        return self

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None) -> None:
        self._requests.close()
        self._server.wait(30)

    def run(self, words: Sequence[str], *, cwd: Path, stdin: bytes, env: Mapping[str, str], timeout: float) -> Ended:
        """One command to its end and the end of its output. Raises TimeoutError, and kills them all, where it takes longer."""
        asked = json.dumps({"words": list(words), "cwd": str(cwd), "env": dict(env)}).encode()
        pipes = [os.pipe() for _ in range(4)]
        (asked_in, asked_out), (in_in, in_out), (out_in, out_out), (err_in, err_out) = pipes
        given = [asked_in, in_in, out_out, err_out]
        socket.send_fds(self._requests, [b"?"], given)
        for descriptor in given:
            os.close(descriptor)
        with ThreadPoolExecutor(4) as pool:
            pool.submit(_write, asked_out, asked)
            pool.submit(_write, in_out, stdin)
            out, err = pool.submit(_read, out_in), pool.submit(_read, err_in)
            self._requests.settimeout(timeout)
            try:
                code = int(self._requests.recv(16))
                return Ended(code, out.result(timeout), err.result(timeout))
            except BaseException:
                os.killpg(self._server.pid, signal.SIGKILL)
                raise


def _read(descriptor: int) -> bytes:
    with open(descriptor, "rb") as pipe:
        return pipe.read()


def _write(descriptor: int, data: bytes) -> None:
    with contextlib.suppress(BrokenPipeError), open(descriptor, "wb") as pipe:
        pipe.write(data)


def _serve(requests: socket.socket) -> dict[str, Any] | None:
    """Fork for each request and send its exit code. Returns what is asked in each fork, and None once the tests are gone."""
    while True:
        said, (*descriptors,), _, _ = socket.recv_fds(requests, 1, 4)
        if not said:
            return None
        if child := os.fork():
            for descriptor in descriptors:
                os.close(descriptor)
            requests.send(str(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])).encode())
            continue
        for number, descriptor in enumerate(descriptors[1:]):
            os.dup2(descriptor, number)
            os.close(descriptor)
        asked: dict[str, Any] = json.loads(_read(descriptors[0]))
        return asked


def _main() -> None:
    for name in LOADED:
        importlib.import_module(name)
    for package in (ragtriage, ragtriage_tui.commands):
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            with contextlib.suppress(Exception):  # the command that needs it says so
                importlib.import_module(module.name)
    with socket.socket(fileno=int(sys.argv[1])) as requests:
        asked = _serve(requests)
    if asked is None:
        return
    os.chdir(asked["cwd"])
    os.environ.clear()
    os.environ.update(asked["env"])
    sys.path[0] = asked["cwd"]  # as `python -m` has it
    sys.argv[1:] = asked["words"]
    script()


if __name__ == "__main__":
    _main()
