"""A program of the user's own that answers: one JSON object a line in, one out, several at a time and in any order.

It gets {"id", "question", "passages": [{"number", "doc", "title", "heading", "text"}], "system", "prompt", "max_tokens",
"temperature"}, with "schema" where JSON is wanted. It writes {"id", "text"}, with "input_tokens", "output_tokens" and "model"
where it knows them, or {"id", "error"}. What it writes to standard error is shown when it fails. It should end when its
standard input does: nothing else tells it when this process is killed.
"""

from __future__ import annotations

import asyncio
import json
import os
import time
from pathlib import Path
from typing import Any

from ragtriage.answers.models.base import Reply, Request
from ragtriage.errors import ModelFailed
from ragtriage.programs.program import Ended, Program
from ragtriage.programs.starting import environment
from ragtriage.programs.words import clipped, message_of
from ragtriage.remote.endpoint import Endpoint
from ragtriage.remote.fields import count_of, name_of
from ragtriage.remote.keys import hiding, program_secrets, told_secrets
from ragtriage.surrogates import clean_text

__all__ = ["CommandModel"]


class CommandModel:
    """A `Model` that is a program. It is started with the first request, and again when it died or has stopped answering."""

    def __init__(self, endpoint: Endpoint) -> None:
        self._endpoint = endpoint
        self._name = clipped(Path(endpoint.command[0]).name) if endpoint.command else ""
        key = [os.environ.get(endpoint.api_key_env, "")] if endpoint.api_key_env else []
        self._hide = hiding([*key, *program_secrets(endpoint.command, endpoint.pass_env)])
        # not for answers, which may well hold what a variable does: the name of a region
        self._hide_told = hiding([*key, *told_secrets(endpoint.command, endpoint.pass_env)])
        self._program: Program | None = None
        self._starting = asyncio.Lock()
        self._number = 0
        self._answered = False

    async def complete(self, request: Request) -> Reply:
        """See Model. Hopeless where the program cannot be started, or dies whenever it is asked."""
        self._number += 1
        number, line = str(self._number), _line(request, self._endpoint)
        failure = ""
        died = False
        for _ in range(self._endpoint.retries + 1):
            program = await self._running()
            began = time.monotonic()
            try:
                said = await program.ask(number, line, timeout_s=self._endpoint.timeout_s)
                return self._reply(said, time.monotonic() - began)
            except Ended as error:
                failure, died = str(error), True
            except TimeoutError:
                failure, died = f"did not answer within {self._endpoint.timeout_s:g} s", False
                if program.stray:
                    failure += f"; it wrote what answers nothing: {program.stray}"
                if program.heard <= began:  # else it is slow, and alive: the answer may still come
                    await program.end(f"was stopped, because it did not answer within {self._endpoint.timeout_s:g} s")
            except asyncio.CancelledError:
                program.forget(number)
                raise
        tries = self._endpoint.retries + 1
        raise self._failed(f"{failure}, {tries} times" if tries > 1 else failure, hopeless=died and not self._answered)

    async def close(self) -> None:
        """See Model. The program has a second to end by itself when its input does, unless it is still busy."""
        if self._program is not None:
            await self._program.end("was stopped", at_once=self._program.busy)

    async def _running(self) -> Program:
        async with self._starting:
            if self._program is not None and self._program.over:
                await self._program.end("")
                self._program = None
            if self._program is None:
                try:
                    self._program = Program(
                        self._endpoint.command, self._endpoint.folder, self._variables(), hide=self._hide_told
                    )
                except (OSError, ValueError, IndexError) as error:
                    said = getattr(error, "strerror", None) or str(error)
                    failure = self._failed(f"cannot be started: {said}", hopeless=True)
                else:
                    return self._program
                raise failure
            return self._program

    def _variables(self) -> dict[str, str]:
        """What the program needs to run, and the one secret that was meant for it."""
        key = self._endpoint.api_key_env
        return environment(*self._endpoint.pass_env, *([key] if key else []))

    def _reply(self, said: dict[str, Any], seconds: float) -> Reply:
        self._answered = True
        if said.get("error"):
            raise self._failed(f"failed: {message_of(said) or 'it does not say why'}")
        text = said.get("text")
        if not isinstance(text, str):
            raise self._failed("sent an answer without a text")
        return Reply(
            text=self._hide(clean_text(text)),
            model=self._hide(name_of(said.get("model"))),
            input_tokens=count_of(said, "input_tokens"),
            output_tokens=count_of(said, "output_tokens"),
            seconds=seconds,
        )

    def _failed(self, says: str, *, hopeless: bool = False) -> ModelFailed:
        return ModelFailed(f"{self._name} {clipped(self._hide_told(says))}", hopeless=hopeless)


def _line(request: Request, endpoint: Endpoint) -> dict[str, Any]:
    passages = [
        {"number": one.number, "doc": one.doc_id, "title": one.title, "heading": list(one.heading), "text": one.text}
        for one in request.passages
    ]
    line = {
        "question": request.question, "passages": passages, "system": request.system, "prompt": request.user,
        "max_tokens": endpoint.max_tokens, "temperature": endpoint.temperature,
    }  # fmt: skip
    return line | ({"schema": json.loads(request.schema)} if request.schema else {})
