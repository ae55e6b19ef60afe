"""Texts to vectors through the cache: what is known is read, what is missing is embedded and kept as it comes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from ragtriage.errors import EncoderFailed
from ragtriage.search.encoder import AskedEncoder, Encoder, TextsFailed
from ragtriage.search.vectors_cache import VectorCache, key_of
from ragtriage.types import Failure, Progress, no_progress

__all__ = ["Embedder"]

_BLOCK = 512  # texts sent at once: enough to sort by length, little enough that Ctrl-C loses seconds
_READ = 20_000  # vectors read at once


class Embedder:
    """One encoder and the cache before it. `encoded` counts the texts that went through the model."""

    def __init__(self, encoder: Encoder, cache: VectorCache) -> None:
        self.encoder = encoder
        self.encoded = 0
        self.cache = cache

    @property
    def identity(self) -> str:
        """What vectors depend on but their texts. Those that came with a project never stand for others of the same texts."""
        shipped = self.cache.shipped_sha
        return f"{self.encoder.fingerprint}+{shipped}" if shipped else self.encoder.fingerprint

    def known(self, texts: Sequence[str]) -> dict[str, np.ndarray]:
        """The vectors of those texts that are cached: float16[d] each."""
        keys = {key_of(self.encoder.fingerprint, text): text for text in texts}
        found = self.cache.get(list(keys)).items()
        return {keys[key]: vector for key, vector in found if np.isfinite(vector).all()}

    def missing(self, texts: Sequence[str]) -> int:
        """How many different texts would have to be embedded."""
        return len(self.lacking(texts))

    def embed(self, texts: Sequence[str], progress: Progress, what: str = "sentences") -> np.ndarray:
        """float16[len(texts), d] ([0, 0] for no texts): `ensure`, then `read`, and raises what they raise."""
        self.ensure(texts, progress, what)
        return self.read(texts, progress)

    def ensure(self, texts: Sequence[str], progress: Progress, what: str = "sentences") -> None:
        """Embed those that are missing, each once. `what` they are is told to who agrees to their being sent.

        Raises EncoderFailed (TextsFailed where some have no vector), StorageError, and what `progress` and the user's not
        agreeing raise; what was embedded until then is kept.
        """
        if failed := self.each(texts, progress, what):
            raise TextsFailed(failed, len(dict.fromkeys(texts)))

    def each(self, texts: Sequence[str], progress: Progress, what: str) -> Mapping[str, Failure]:
        """`ensure`, but texts that have no vector are returned, each with its reason."""
        todo = self.lacking(texts)
        if todo and isinstance(self.encoder, AskedEncoder):
            return self._ask(self.encoder, todo, progress, what, len(dict.fromkeys(texts)) - len(todo))
        for start in range(0, len(todo), _BLOCK):
            block = todo[start : start + _BLOCK]

            def within(stage: str, done: int, total: int, before: int = start) -> None:
                progress(stage, before + done, len(todo))

            vectors = self.encoder.encode(block, within)
            self.encoded += len(block)
            self.cache.put({self._key(text): vector for text, vector in zip(block, vectors, strict=True)})
        return {}

    def _ask(
        self, encoder: AskedEncoder, todo: Sequence[str], progress: Progress, what: str, known: int
    ) -> Mapping[str, Failure]:
        """Embed `todo` with an encoder that is asked: each reply is in the cache before it counts."""

        def keep(places: Sequence[int], vectors: np.ndarray) -> None:
            self.cache.put({self._key(todo[place]): vector for place, vector in zip(places, vectors, strict=True)})
            self.encoded += len(places)

        encoder.permit(todo, what, known)
        return {todo[place]: why for place, why in encoder.encode_each(todo, progress, keep).items()}

    def close(self) -> None:
        """Close the cache; the encoder is its owner's to close."""
        self.cache.close()

    def lacking(self, texts: Sequence[str]) -> list[str]:
        """Those of `texts` that would have to be embedded, each once."""
        out: list[str] = []
        unique = list(dict.fromkeys(texts))
        for start in range(0, len(unique), _READ):
            some = unique[start : start + _READ]
            known = self.known(some)
            out += [text for text in some if text not in known] if len(known) < len(some) else []
        return out

    def read(self, texts: Sequence[str], progress: Progress = no_progress) -> np.ndarray:
        """float16[len(texts), d] of texts that are all cached; one that vanished (a cleared cache) is embedded again."""
        matrix: np.ndarray | None = None
        for start in range(0, len(texts), _READ):
            some = texts[start : start + _READ]
            known = self.known(some)
            if gone := [text for text in dict.fromkeys(some) if text not in known]:
                known |= dict(zip(gone, self.encoder.encode(gone, progress), strict=True))
                self.encoded += len(gone)
            widths = {len(known[text]) for text in some} | (set() if matrix is None else {matrix.shape[1]})
            if len(widths) > 1:  # a file of vectors that came with a project may hold anything
                raise EncoderFailed(
                    f"the stored vectors of one model have {sorted(widths)} values; delete the file they are in"
                )
            rows = np.stack([known[text] for text in some])
            if matrix is None:
                matrix = np.empty((len(texts), rows.shape[1]), np.float16)
            matrix[start : start + len(some)] = rows
        return np.empty((0, 0), np.float16) if matrix is None else matrix

    def _key(self, text: str) -> bytes:
        return key_of(self.encoder.fingerprint, text)
