"""An encoder that is a server: texts go out in batches, a few at a time, and each vector is kept as soon as it is there.

A batch that the server does not take is halved until it is known which text is to blame. A text without a usable vector is
asked for once more and then failed, with its reason.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ragtriage.config import EmbeddingConfig, RunConfig
from ragtriage.errors import EncoderFailed, ModelFailed
from ragtriage.ids import fingerprint
from ragtriage.remote.embeddings import Embeddings, Rows
from ragtriage.remote.endpoint import Endpoint, bounds
from ragtriage.remote.estimate import Agree, Estimate
from ragtriage.remote.exchange import Refused
from ragtriage.remote.running import all_of, run
from ragtriage.remote.wording import address_of
from ragtriage.search.encoder import Keep, TextsFailed
from ragtriage.search.server_pin import Pin
from ragtriage.search.server_rows import unit_vector, width_of
from ragtriage.types import Failure, Progress

__all__ = ["RemoteEncoder", "embedding_endpoint"]

REMOTE_VERSION = 1
"""How a server's answers become vectors: part of each vector's key."""

_BYTES_A_TOKEN = 4  # of UTF-8: English prose; Chinese has about a token a letter, of three bytes
_TOKENS_AT_ONCE = 16_384  # of a request, as far as they can be told from the texts
_FAILED_IN_ROW = 3  # requests that failed after all their tries, one after the other: nothing more is sent
_REFUSED_ALONE = 3  # texts refused one by one before any was taken: it is not the texts


def embedding_endpoint(config: EmbeddingConfig, run: RunConfig) -> Endpoint:
    """Which server is asked for embeddings, and how."""
    given = {key: getattr(config, key) for key in ("model", "base_url", "api_key_env")}
    return Endpoint("openai", **given, **bounds(run), input_price=config.price)


class _Batch(NamedTuple):
    """Places in the texts; `again`: it was asked for before, and what came was no use."""

    places: list[int]
    again: bool = False


class RemoteEncoder:
    """An `Encoder` and `AskedEncoder`. `permits` and `agree` raise where nothing may be sent."""

    def __init__(
        self, config: EmbeddingConfig, run: RunConfig, *, cache: Path, permits: Callable[[], None], agree: Agree
    ) -> None:
        self.endpoint = embedding_endpoint(config, run)
        self._dimensions = config.dimensions
        self._batch_size = config.batch_size
        self._servers = cache / "servers"
        self._permits = permits
        self._agree = agree
        self._took_s = 0.0
        self.window = config.window
        self.encoded = 0
        """Texts whose vectors came and were kept."""
        self.tokens: int | None = 0
        """Tokens of those requests as the server counts them; None where it does not say."""

    @cached_property
    def fingerprint(self) -> str:
        where, model = self.endpoint.where.rstrip("/"), self.endpoint.model
        return "server-" + fingerprint([REMOTE_VERSION, where, model, self._dimensions])

    @cached_property
    def host(self) -> str:
        """The server as it is shown. Raises ConfigError where there is no address."""
        return address_of(self.endpoint.where).host

    @property
    def notes(self) -> tuple[str, ...]:
        """What the user should know of the server: that it answered in the name of several models."""
        names = self._pin.models
        if len(names) < 2:
            return ()
        return (
            f"{self.host} answered for {self.endpoint.model} in the name of {', '.join(names)}; vectors of different models "
            "cannot be compared: after a change, another embedding.model or embedding.dimensions begins anew",
        )

    def manifest(self) -> dict[str, Any]:
        """What runs keep of it: the server, the width of its vectors, its model as it calls it."""
        return {"server": self.host, "dimension": self._pin.dimension, "models": sorted(self._pin.models)}

    def start(self) -> None:
        """Nothing: it runs already, or is not ours to start."""

    def close(self) -> None:
        """Nothing: connections last as long as one call."""

    def permit(self, texts: Sequence[str], what: str, known: int) -> None:
        """See AskedEncoder. Raises Untrusted, UsageError, ConfigError, Cancelled."""
        self._permits()
        self._agree(self._estimate(texts, what, known))

    def encode(self, texts: Sequence[str], progress: Progress) -> np.ndarray:
        """See Encoder. Raises TextsFailed where a text failed, and what `permit` raises."""
        self.permit(texts, "texts", 0)
        rows: list[np.ndarray] = [np.empty(0, np.float16)] * len(texts)

        def keep(places: Sequence[int], vectors: np.ndarray) -> None:
            for place, vector in zip(places, vectors, strict=True):
                rows[place] = vector

        if failed := self.encode_each(texts, progress, keep):
            raise TextsFailed({texts[place]: why for place, why in failed.items()}, len(texts))
        return np.stack(rows) if rows else np.empty((0, 0), np.float16)

    def encode_each(self, texts: Sequence[str], progress: Progress, keep: Keep) -> Mapping[int, Failure]:
        """See AskedEncoder. What may be sent is not looked at: see `permit`."""
        if not texts:
            return {}
        asking = _Asking(self, texts, keep)
        began = time.monotonic()
        try:
            run(asking.all(lambda: progress("embed", asking.done, len(texts))))
        finally:
            self._took_s += time.monotonic() - began
        return asking.failed

    def batches(self, texts: Sequence[str]) -> deque[_Batch]:
        """The texts in order, so many at once as `batch_size` and their length allow."""
        out: deque[_Batch] = deque()
        some: list[int] = []
        size = 0
        for place, text in enumerate(texts):
            tokens = _tokens(text)
            if some and (len(some) >= self._batch_size or size + tokens > _TOKENS_AT_ONCE):
                out.append(_Batch(some))
                some, size = [], 0
            some.append(place)
            size += tokens
        out.append(_Batch(some))
        return out

    def opened(self) -> Embeddings:
        """The server, ready to be asked, inside the loop that asks. Raises MissingExtra, ConfigError."""
        return Embeddings(self.endpoint, self._dimensions)

    def vectors(self, reply: Rows) -> list[np.ndarray | str]:
        """One unit vector a text, or why it has none. Raises EncoderFailed where several texts have vectors of one width, and
        that is another than before: of a single one that is said as its reason."""
        width = width_of(reply.rows)
        if not width:
            return ["the server gave no vector for it"] * len(reply.rows)
        pinned = self._dimensions or self._pin.dimension
        widths = [len(row) for row in reply.rows if isinstance(row, list)]
        if pinned in widths or (pinned and len(widths) == 1):
            width = pinned
        elif self._dimensions:
            raise EncoderFailed(
                f"{self.host} answers for {self.endpoint.model} with vectors of {width:,} values; embedding.dimensions asks "
                f"for {self._dimensions:,}"
            )
        if width in widths:
            self._pin.hold(width, reply.model, self.host)
        return [unit_vector(row, width) for row in reply.rows]

    def count(self, texts: int, reply: Rows) -> None:
        """Note what came with one reply."""
        self.encoded += texts
        self.tokens = None if self.tokens is None or reply.tokens is None else self.tokens + reply.tokens

    @cached_property
    def _pin(self) -> Pin:
        return Pin(self._servers, self.fingerprint, self.endpoint.model)

    def _estimate(self, texts: Sequence[str], what: str, known: int) -> Estimate:
        tokens = sum(map(_tokens, texts))
        seconds = self._took_s / self.encoded * len(texts) if self.encoded else None
        cost = self.endpoint.cost(tokens, 0)
        stage = f"embedding {what}"
        return Estimate(stage, self.endpoint, len(self.batches(texts)), known, tokens, 0, cost, seconds, len(texts))


class _Asking:
    """One call: the batches that are left, and the texts that failed."""

    def __init__(self, encoder: RemoteEncoder, texts: Sequence[str], keep: Keep) -> None:
        self._encoder = encoder
        self._texts = texts
        self._keep = keep
        self._left = encoder.batches(texts)
        self._hopeless = ""
        self._in_row = 0
        self._refused = 0
        self.kept = 0
        self.failed: dict[int, Failure] = {}

    @property
    def done(self) -> int:
        return self.kept + len(self.failed)

    async def all(self, tell: Callable[[], None]) -> None:
        tell()
        server = self._encoder.opened()
        try:
            await all_of([self._work(server) for _ in range(self._encoder.endpoint.concurrency)], tell)
        finally:
            await server.close()
        tell()

    async def _work(self, server: Embeddings) -> None:
        while self._left:
            batch = self._left.popleft()
            if self._hopeless:
                self._fail(batch.places, self._hopeless)
                continue
            try:
                reply = await server.embed([self._texts[place] for place in batch.places])
            except Refused as refused:
                self._refuse(batch, str(refused))
            except ModelFailed as error:
                self._in_row += 1
                self._fail(batch.places, str(error))
                if error.hopeless or self._in_row >= _FAILED_IN_ROW:
                    self._hopeless = str(error)
            else:
                self._in_row = 0
                self._take(batch, reply)

    def _take(self, batch: _Batch, reply: Rows) -> None:
        """Keep what is a vector, have the rest asked for again, once."""
        found = self._encoder.vectors(reply)
        good = [(place, one) for place, one in zip(batch.places, found, strict=True) if isinstance(one, np.ndarray)]
        bad = {place: one for place, one in zip(batch.places, found, strict=True) if isinstance(one, str)}
        if good:
            self._keep([place for place, _ in good], np.stack([vector for _, vector in good]))
            self.kept += len(good)
        self._encoder.count(len(good), reply)
        if bad and not batch.again and self._encoder.endpoint.retries:
            self._left.append(_Batch(list(bad), again=True))
        else:
            self.failed |= {place: Failure(why) for place, why in bad.items()}

    def _refuse(self, batch: _Batch, why: str) -> None:
        """Find out which text it is that the server does not take."""
        half = len(batch.places) // 2
        if half:
            self._left.extendleft((_Batch(batch.places[half:], batch.again), _Batch(batch.places[:half], batch.again)))
            return
        self._fail(batch.places, why)
        self._refused += 1
        if not self.kept and self._refused >= _REFUSED_ALONE:
            self._hopeless = why

    def _fail(self, places: Sequence[int], why: str) -> None:
        self.failed |= {place: Failure(why) for place in places}


def _tokens(text: str) -> int:
    return len(text.encode("utf-8", "replace")) // _BYTES_A_TOKEN + 1
