"""A running program that is asked several things at once: one JSON object a line, on its standard input and output."""

from __future__ import annotations

import asyncio
import atexit
import json
import time
from collections.abc import Callable, Mapping, Sequence
from typing import IO, Any

from ragtriage.programs.starting import LONGEST_LINE, TAIL, how_it_ended, kill_group, start
from ragtriage.programs.words import clipped, json_of

__all__ = ["Ended", "Program"]

_TICK_S = 0.05
_GRACE_S = 1.0  # to end by itself, or to have read what it wrote last


class Ended(Exception):
    """The program is gone before it answered; the text says how."""


class Program:
    """One start of a program. Made and used inside one event loop. `heard` is when it last answered, or began (monotonic)."""

    def __init__(
        self, command: Sequence[str], folder: str, environment: Mapping[str, str], *, hide: Callable[[str], str]
    ) -> None:
        """`hide` takes secrets out of what it says. Raises OSError, ValueError where it cannot be started."""
        self._process = start(command, folder, environment)
        atexit.register(self._kill)  # the app leaves without waiting for the thread that asks
        self.heard = time.monotonic()
        self.stray = ""  # the first line that answers nothing
        self._waiting: dict[str, asyncio.Future[dict[str, Any]]] = {}
        self._forgot = False
        self._hide = hide
        self._tail = b""
        self._why = ""
        self._stop = asyncio.Event()
        self._input: asyncio.WriteTransport | None = None
        self._ready = asyncio.Event()
        self._life = asyncio.create_task(self._live())

    @property
    def over(self) -> bool:
        """Whether it has ended, or is about to."""
        return self._stop.is_set() or self._life.done()

    @property
    def busy(self) -> bool:
        """Whether it works on something, if only on what nobody waits for any longer."""
        return bool(self._waiting) or self._forgot

    async def ask(self, number: str, line: Mapping[str, Any], *, timeout_s: float) -> dict[str, Any]:
        """Its answer to `line`, which is sent once for each `number`. Raises Ended; TimeoutError, after which the same number
        may be waited for again."""
        answer = self._waiting.get(number)
        if answer is None:
            answer = self._waiting[number] = asyncio.get_running_loop().create_future()
            await self._ready.wait()
            if self._input is not None and not self.over:
                text = json.dumps({"id": number, **line}, ensure_ascii=False)
                self._input.write(text.encode("utf-8", "replace") + b"\n")
        either: set[asyncio.Future[Any]] = {answer, self._life}
        await asyncio.wait(either, timeout=timeout_s, return_when=asyncio.FIRST_COMPLETED)
        if answer.done():
            return self._waiting.pop(number).result()
        if self._life.done():
            raise Ended(self._why)
        raise TimeoutError

    def forget(self, number: str) -> None:
        """Nobody waits for this answer any longer."""
        self._forgot |= self._waiting.pop(number, None) is not None

    async def end(self, why: str, *, at_once: bool = True) -> None:
        """Stop it, and return when all of its group is gone. `why` is what those are told who wait for an answer."""
        self._why = self._why or why
        if not at_once and self._input is not None:
            self._input.close()
            await asyncio.wait({self._life}, timeout=_GRACE_S)
        self._stop.set()
        await asyncio.wait({self._life})

    async def _live(self) -> None:
        loop = asyncio.get_running_loop()
        pipes: list[asyncio.BaseTransport] = []
        tasks: list[asyncio.Task[None]] = []
        try:
            self._input, _ = await loop.connect_write_pipe(asyncio.BaseProtocol, _pipe(self._process.stdin))
            pipes.append(self._input)
            for stream, reading in ((self._process.stdout, self._answers), (self._process.stderr, self._complaints)):
                reader = asyncio.StreamReader(limit=LONGEST_LINE)  # twice that is the most that is held
                protocol = asyncio.StreamReaderProtocol(reader)
                pipes.append((await loop.connect_read_pipe(lambda: protocol, _pipe(stream)))[0])  # noqa: B023 - called at once
                tasks.append(asyncio.create_task(reading(reader)))
            self._ready.set()
            while self._process.poll() is None and not self._stop.is_set() and not tasks[0].done():
                await asyncio.wait({tasks[0]}, timeout=_TICK_S)
            if not self._stop.is_set():  # it may have written something just before, or be about to exit
                await asyncio.wait(tasks, timeout=_GRACE_S)
                await self._exited()
        except OSError as error:  # no more files may be open
            self._why = self._why or f"cannot be spoken to: {error.strerror or error}"
        finally:
            self._ready.set()
            self._kill()
            self._process.wait()
            atexit.unregister(self._kill)
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            for pipe in pipes:
                pipe.close()
            self._why = self._why or how_it_ended(self._process.returncode, self._hide(self._tail.decode("utf-8", "replace")))

    def _kill(self) -> None:
        kill_group(self._process)

    async def _exited(self) -> None:
        for _ in range(round(_GRACE_S / _TICK_S)):
            if self._process.poll() is not None:
                return
            await asyncio.sleep(_TICK_S)
        self._why = self._why or "closed its standard output"

    async def _answers(self, reader: asyncio.StreamReader) -> None:
        while True:
            try:
                line = await reader.readline()
            except ValueError:
                self._why = self._why or f"wrote a line of more than {LONGEST_LINE >> 20} MB"
                self._stop.set()
                return
            if not line:
                return
            said = json_of(line)
            number = said.get("id") if isinstance(said, dict) else None
            answer = self._waiting.get(str(number)) if isinstance(number, str | int) else None
            if isinstance(said, dict) and answer is not None and not answer.done():
                self.heard = time.monotonic()
                answer.set_result(said)
            elif not self.stray:
                self.stray = clipped(self._hide(line[:4096].decode("utf-8", "replace")))

    async def _complaints(self, reader: asyncio.StreamReader) -> None:
        while part := await reader.read(65_536):
            self._tail = (self._tail + part)[-TAIL:]


def _pipe(stream: IO[bytes] | None) -> IO[bytes]:
    if stream is None:
        raise OSError("the program has no pipe")
    return stream
