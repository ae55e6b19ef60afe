"""The encoder in a process of its own: importing torch takes seconds and half a gigabyte, and would stutter a screen.

It starts when something must be embedded, or when `start` is called, is reused, and ends with `close` or with this process.
"""

from __future__ import annotations

import os
import select
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import IO, Any

import numpy as np

from ragtriage.config import EmbeddingConfig
from ragtriage.errors import Cancelled, EncoderFailed
from ragtriage.search.model_files import model_fingerprint, model_folder, model_window, named_folder
from ragtriage.search.reranking import Asked
from ragtriage.search.wire import Inbox, Message, pack_texts, send
from ragtriage.types import Failure, Progress

__all__ = ["EncoderProcess"]

_TICK_S = 0.25  # how often a waiting caller may cancel
_QUIET = {
    "HF_HUB_OFFLINE": "1", "TRANSFORMERS_OFFLINE": "1", "HF_HUB_DISABLE_TELEMETRY": "1", "DO_NOT_TRACK": "1",
    "HF_HUB_DISABLE_PROGRESS_BARS": "1", "TRANSFORMERS_VERBOSITY": "error", "TQDM_DISABLE": "1", "PYTHONWARNINGS": "ignore",
}  # fmt: skip
# Torch's threads turn in a loop while they wait for one another. Where something else has one of the cores they take it from
# those they wait for: with one of two cores busy, 2,000 turns instead of some 300,000 embedded a text five times as fast, and
# with both free as fast.
_WAITS = {"GOMP_SPINCOUNT": "2000"}


class EncoderProcess:
    """An `Encoder`, and a reranker, whose models live in a child process. Safe to use from several threads, one at a time."""

    def __init__(self, config: EmbeddingConfig, *, cache: Path) -> None:
        self._config = config
        self._memo = cache / "model-hashes.json"
        self._lock = threading.RLock()
        self._child: subprocess.Popen[bytes] | None = None
        self._inbox: Inbox | None = None
        self._said: IO[bytes] | None = None
        self._number = 0
        self.encoded = 0
        """Texts that went through the embedding model."""

    @cached_property
    def folder(self) -> Path:
        """Where the model is. Raises ConfigError."""
        return model_folder(self._config)

    @cached_property
    def fingerprint(self) -> str:
        return model_fingerprint(self.folder, self._config.dtype, memo=self._memo)

    @cached_property
    def window(self) -> int:
        return model_window(self.folder)

    @property
    def running(self) -> bool:
        return self._child is not None and self._child.poll() is None

    def start(self) -> None:
        """Start the process and have it load the model, without waiting for either."""
        with self._lock:
            if not self.running:
                self._request({"do": "load", "kind": "encode", "folder": str(self.folder)})

    def encode(self, texts: Sequence[str], progress: Progress) -> np.ndarray:
        """float16[len(texts), d]. Raises EncoderFailed; what `progress` raises stops the work and leaves the process usable."""
        header = {"do": "work", "kind": "encode", "folder": str(self.folder)}
        vectors = self._work(header, texts, len(texts), "embed", progress)
        if vectors.ndim != 2 or not np.isfinite(vectors).all() or not vectors.any(axis=1).all():
            raise EncoderFailed('the model returned a vector without a direction; try embedding.dtype = "float32"')
        self.encoded += len(texts)
        return vectors

    def rerank_fingerprint(self, model: str) -> str:
        """What a reranker's scores depend on but the texts. Raises ConfigError."""
        folder = named_folder(model, "retrieval.rerank", offline=self._config.offline)
        return "rerank-" + model_fingerprint(folder, self._config.dtype, memo=self._memo)

    def score(self, model: str, asked: Sequence[Asked], progress: Progress) -> list[np.ndarray | Failure]:
        """See Reranker. Raises ConfigError, EncoderFailed."""
        folder = named_folder(model, "retrieval.rerank", offline=self._config.offline)
        header = {"do": "work", "kind": "score", "folder": str(folder)}
        questions = [one.question for one in asked for _ in one.passages]
        passages = [text for one in asked for text in one.passages]
        scores = self._work(header, [*questions, *passages], len(questions), "rerank", progress)
        if scores.ndim != 1 or not np.isfinite(scores).all():
            raise EncoderFailed("the reranker returned a score that is no number")
        return list(np.split(scores, np.cumsum([len(one.passages) for one in asked])[:-1])) if asked else []

    def close(self) -> None:
        """End the process. It may be started again."""
        with self._lock:
            child, self._child, self._inbox = self._child, None, None
            if child is None:
                return
            for pipe in (child.stdin, child.stdout, self._said):
                if pipe is not None:
                    pipe.close()
            self._said = None
            try:
                child.wait(timeout=1.0)
            except subprocess.TimeoutExpired:
                child.kill()
                child.wait()

    def _work(self, header: dict[str, Any], texts: Sequence[str], count: int, stage: str, progress: Progress) -> np.ndarray:
        if not count:
            return np.empty((0, 0), np.float16) if stage == "embed" else np.empty(0, np.float32)
        with self._lock:
            try:
                progress(stage, 0, count)
                lengths, body = pack_texts(texts)
                number = self._request(header | {"lengths": lengths, "batch_size": self._config.batch_size}, body)
                return self._collect(number, count, stage, progress)
            except Cancelled:
                if self.running:
                    self._request({"do": "stop"})
                raise
            except (KeyboardInterrupt, SystemExit):
                self.close()  # it may have hit in the middle of a message
                raise

    def _request(self, header: dict[str, Any], body: bytes = b"") -> int:
        if not self.running:
            self._spawn()
        self._number += 1
        header = {"id": self._number, "dtype": self._config.dtype, "device": self._config.device} | header
        try:
            send(self._pipe(), header, body)
        except OSError:
            raise self._died() from None
        return self._number

    def _pipe(self) -> int:
        if self._child is None or self._child.stdin is None:
            raise EncoderFailed("the encoder process is not running")
        return self._child.stdin.fileno()

    def _collect(self, number: int, count: int, stage: str, progress: Progress) -> np.ndarray:
        """Read replies to request `number` until it is done; those to requests that were given up are passed over."""
        out: np.ndarray | None = None
        done = 0
        told = time.monotonic()
        while True:
            message = self._next()
            if message is not None and message.header["id"] == number:
                header = message.header
                if "error" in header:
                    raise EncoderFailed(f"the encoder failed: {header['error']}")
                if header.get("done"):
                    break
                values = np.frombuffer(message.body, dtype=header["dtype"]).reshape(header["shape"])
                out = np.empty((count, *values.shape[1:]), values.dtype) if out is None else out
                out[header["places"]] = values
                done += len(values)
            if message is None or time.monotonic() - told >= _TICK_S:
                told = time.monotonic()
                progress(stage, done, count)
        if out is None or done != count:
            raise EncoderFailed(f"the encoder answered for {done} of {count} texts")
        progress(stage, count, count)
        return out

    def _next(self) -> Message | None:
        """The next message, None after a tick without one. Raises EncoderFailed when the process is gone."""
        if self._inbox is None or self._child is None or self._child.stdout is None:
            raise EncoderFailed("the encoder process is not running")
        if (message := self._inbox.take()) is not None:
            return message
        if not select.select([self._child.stdout.fileno()], [], [], _TICK_S)[0]:
            return None
        if not self._inbox.fill():
            raise self._died()
        return self._inbox.take()

    def _spawn(self) -> None:
        self.close()
        self._said = tempfile.TemporaryFile()  # noqa: SIM115 - it lives as long as the child
        try:
            # -P: a file named like a library in the user's folder must not be imported. A session of its own: Ctrl-C in the
            # terminal reaches this process only.
            self._child = subprocess.Popen(
                [sys.executable, "-P", "-m", "ragtriage.search.encoder_child"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._said,
                bufsize=0,
                start_new_session=True,
                env=_WAITS | dict(os.environ) | _QUIET,
            )
        except OSError as error:
            raise EncoderFailed(f"the encoder process could not be started: {error.strerror or error}") from error
        if self._child.stdout is not None:
            self._inbox = Inbox(self._child.stdout.fileno())

    def _died(self) -> EncoderFailed:
        """The error that says how the process ended, with the last line it wrote."""
        child, last = self._child, ""
        code: int | None = None
        if child is not None:
            try:
                code = child.wait(timeout=1.0)
            except subprocess.TimeoutExpired:
                child.kill()
        if self._said is not None:
            self._said.seek(max(0, self._said.seek(0, os.SEEK_END) - 4096))
            lines = self._said.read().decode("utf-8", "replace").strip().splitlines()
            last = f": {lines[-1].strip()}" if lines else ""
        self.close()
        killed = f" (signal {-code}; out of memory?)" if code is not None and code < 0 else ""
        return EncoderFailed(f"the encoder process ended unexpectedly{killed}{last}")
