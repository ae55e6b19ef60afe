"""A running program that is asked one thing after the other: one JSON object a line out, one a line in.

It stays for many requests. Lines that are no JSON object answer nothing and are passed over; an answer that repeats the `id` of
its request is only taken for that one. After each time limit the program is ended, since its late answer would be taken for
that to the next request.
"""

from __future__ import annotations

import atexit
import contextlib
import json
import os
import selectors
import subprocess
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from typing import IO, Any

from ragtriage.errors import SystemFailed
from ragtriage.programs.losses import Losses
from ragtriage.programs.naming import program_name
from ragtriage.programs.starting import LONGEST_LINE, TAIL, environment, how_it_ended, kill_group, start
from ragtriage.programs.words import clipped, json_of, message_of

__all__ = ["Conversation"]

_TICK_S = 0.25  # how often a waiting caller may cancel
_GRACE_S = 1.0  # to end by itself
_READ = 1 << 16  # bytes


class _Ended(Exception):
    """The program is gone before it answered; the text says how."""


class _Unstarted(_Ended):
    """It could not even be started."""


class Conversation:
    """A command that is started with the first request, and anew when it died. Safe from several threads, one at a time."""

    def __init__(
        self,
        command: Sequence[str],
        folder: str,
        *,
        timeout_s: float,
        pass_env: Sequence[str] = (),
        hide: Callable[[str], str] = str,
        name: str = "",
        losses: Losses | None = None,
    ) -> None:
        """`pass_env` names the environment variables that the program gets beside the usual ones. `hide` takes secrets out of
        what it says of itself. `name` is what errors call it, "": as `program_name` does. `losses` are counted together with
        those of other conversations with the same program."""
        self._command = tuple(command)
        self._folder = folder
        self._timeout_s = timeout_s
        self._pass_env = tuple(pass_env)
        self._hide = hide
        self._name = clipped(hide(name or program_name(command)))
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._unread = b""
        self._tail = b""
        self._stray = ""
        self._number = 0
        self._losses = losses or Losses()

    def ask(self, request: Mapping[str, Any], tick: Callable[[], None]) -> dict[str, Any]:
        """The object that answers `request`, to which an `id` is added. What `tick` raises, some times a second, ends the wait.

        A program that dies is started once more and asked again. Raises SystemFailed with the reason where that is no answer
        either, where it is late, and where it says itself that it failed; at once where nothing is asked any more (see Losses).
        """
        with self._lock:
            self._losses.look()
            try:
                said = self._ask(request, tick)
            except _Ended as error:
                self._end()
                why = f"{self._name} {clipped(self._hide(str(error)))}"
                self._losses.lost(why, started=not isinstance(error, _Unstarted))
                raise SystemFailed(why) from None
            except BaseException:  # its answer may still come, and nobody will wait for it
                self._end()
                raise
            self._losses.answered()
            if said.get("error"):
                raise SystemFailed(f"{self._name} failed: {clipped(self._hide(message_of(said)) or 'it does not say why')}")
            return said

    def forgive(self) -> None:
        """Ask it again, however often it was lost."""
        self._losses.answered()

    def close(self) -> None:
        """End the program, which has a second to do so by itself when its input ends. It may be asked again."""
        with self._lock:
            self._losses.answered()
            if self._process is not None:
                _pipe(self._process.stdin).close()
                with contextlib.suppress(subprocess.TimeoutExpired):
                    self._process.wait(_GRACE_S)
                self._end()

    def _ask(self, request: Mapping[str, Any], tick: Callable[[], None]) -> dict[str, Any]:
        self._number += 1
        number = str(self._number)
        line = json.dumps({"id": number, **request}, ensure_ascii=False).encode("utf-8", "replace") + b"\n"
        for again in (True, False):
            fresh = self._process is None
            process = self._process or self._start()
            if not fresh and (process.poll() is not None or self._out_of_step(process)):
                self._end()  # it went, or spoke, between two requests
                process = self._start()
            try:
                return self._exchange(process, line, number, tick)
            except _Ended:
                if not again or self._process is None:
                    raise
                self._end()
        raise _Ended("did not answer")  # not reached: the second try returns or raises

    def _start(self) -> subprocess.Popen[bytes]:
        try:
            process = start(self._command, self._folder, environment(*self._pass_env))
        except (OSError, ValueError, IndexError) as error:
            said = getattr(error, "strerror", None) or str(error)
            raise _Unstarted(f"cannot be started: {said}") from None
        for pipe in (process.stdin, process.stdout, process.stderr):
            os.set_blocking(_pipe(pipe).fileno(), False)
        atexit.register(self._kill)
        self._process, self._unread, self._tail, self._stray = process, b"", b"", ""
        return process

    def _exchange(self, process: subprocess.Popen[bytes], line: bytes, number: str, tick: Callable[[], None]) -> dict[str, Any]:
        """Write a line, and read until one answers it; what it complains of meanwhile is read, too, lest it waits for us."""
        until = time.monotonic() + self._timeout_s
        left = memoryview(line)
        read = 0
        out, complaints, into = _pipe(process.stdout), _pipe(process.stderr), _pipe(process.stdin)
        with selectors.DefaultSelector() as ready:
            ready.register(out, selectors.EVENT_READ)
            ready.register(complaints, selectors.EVENT_READ)
            ready.register(into, selectors.EVENT_WRITE)
            while True:
                wait = until - time.monotonic()
                if wait <= 0:
                    wrote = f"; it wrote what answers nothing: {self._stray}" if self._stray else ""
                    self._end()
                    raise _Ended(f"did not answer within {self._timeout_s:g} s{wrote}")
                keys = [key.fileobj for key, _ in ready.select(min(wait, _TICK_S))]
                tick()
                if into in keys:
                    try:
                        left = left[os.write(into.fileno(), left[: 1 << 16]) :]
                    except BlockingIOError:
                        pass
                    except BrokenPipeError:  # it may have answered before it went
                        left = left[:0]
                    if not left:
                        ready.unregister(into)
                if complaints in keys and not self._hear(complaints):
                    ready.unregister(complaints)
                if out in keys:
                    part = _read(out)
                    read += len(part or b"")
                    if read > LONGEST_LINE:
                        self._end()
                        raise _Ended(f"wrote more than {LONGEST_LINE >> 20} MB without an answer")
                    if (said := self._answer(part or b"", number, last=part == b"")) is not None:
                        return said
                    if part == b"":
                        raise _Ended(self._how(process))
                elif not keys and process.poll() is not None:  # a child of its own holds the pipe
                    raise _Ended(self._how(process))

    def _answer(self, part: bytes, number: str, *, last: bool) -> dict[str, Any] | None:
        """The first line that answers, of what was read so far. Raises _Ended where a second one follows it at once."""
        if b"\n" not in part and not last:
            self._unread += part
            return None
        lines = (self._unread + part).split(b"\n")
        self._unread = b"" if last else lines.pop()
        found: list[dict[str, Any]] = []
        for line in lines:
            said = json_of(line) if line.strip() else None
            named = said.get("id") if isinstance(said, dict) else None
            if isinstance(said, dict) and (named is None or str(named) == number):
                found.append(said)
            elif line.strip() and not self._stray:
                self._stray = clipped(self._hide(line[:4096].decode("utf-8", "replace")))
        if len(found) > 1:
            self._end()
            raise _Ended("answered one request twice")
        return found[0] if found else None

    def _out_of_step(self, process: subprocess.Popen[bytes]) -> bool:
        """Whether it said something since its last answer that the next request could be taken to have asked for."""
        part = _read(_pipe(process.stdout))
        self._unread += part or b""
        lines, self._unread = self._unread.split(b"\n"), b""
        said = [json_of(line) for line in lines if line.strip()]
        return part == b"" or any(isinstance(one, dict) and one.get("id") is None for one in said)

    def _hear(self, complaints: IO[bytes]) -> bool:
        """Keep the end of what it writes to standard error; whether more may come."""
        part = _read(complaints)
        self._tail = (self._tail + (part or b""))[-TAIL:]
        return part != b""

    def _how(self, process: subprocess.Popen[bytes]) -> str:
        try:
            code = process.wait(_GRACE_S)
        except subprocess.TimeoutExpired:
            return "closed its standard output"
        while (part := _read(_pipe(process.stderr))) is not None and part:
            self._tail = (self._tail + part)[-TAIL:]
        return how_it_ended(code, self._hide(self._tail.decode("utf-8", "replace")))

    def _end(self) -> None:
        if self._process is None:
            return
        process, self._process = self._process, None
        kill_group(process)
        process.wait()
        atexit.unregister(self._kill)
        for pipe in (process.stdin, process.stdout, process.stderr):
            _pipe(pipe).close()

    def _kill(self) -> None:
        if self._process is not None:
            kill_group(self._process)


def _pipe(stream: IO[bytes] | None) -> IO[bytes]:
    if stream is None:
        raise SystemFailed("a program was started without a pipe")
    return stream


def _read(stream: IO[bytes]) -> bytes | None:
    """What is there to read: b"" at its end, None where there is nothing yet."""
    try:
        return os.read(stream.fileno(), _READ)
    except BlockingIOError:
        return None
