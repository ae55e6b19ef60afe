"""Texts -> token offsets. The only importer of `tokenizers`."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Protocol

import numpy as np

from ragtriage.chunking.base import TokenOffsets
from ragtriage.errors import CorpusError

if TYPE_CHECKING:
    from tokenizers import Tokenizer

__all__ = ["ModelTokens", "RememberedTokens", "Tokens", "WordTokens", "tokens_of"]

_BATCH_CHARS = 400_000
_LOOK_BACK = 20_000  # code points in which such a space is looked for
_SPACE = re.compile(r"(?<=\w)[ \n](?=\w)")
_LONGEST = 100  # WordPiece reads a longer word as one unknown token, whatever it weighs
_PART = 2  # code points a token, about what such a word (base64, a run of Thai) would cost if it were read


class Tokens(Protocol):
    """Finds the tokens of texts. `identity` changes whenever the tokens would."""

    @property
    def identity(self) -> str: ...

    def offsets(self, texts: Sequence[str]) -> Iterator[TokenOffsets]:
        """One array a text, in order."""
        ...


def tokens_of(model_dir: Path | None) -> Tokens:
    """The tokens of the model in `model_dir`, or words where there is no model (None)."""
    return WordTokens() if model_dir is None else ModelTokens(model_dir)


class ModelTokens:
    """The tokens that an embedding model reads, from the tokenizer.json in its folder. Raises CorpusError without one."""

    def __init__(self, model_dir: Path) -> None:
        self._path = model_dir / "tokenizer.json"
        try:
            self._data = self._path.read_bytes()
        except OSError as error:
            raise CorpusError(
                f"{self._path}: cannot be read ({error.strerror}); embedding.model must name a model with a tokenizer.json"
            ) from None
        self.identity = hashlib.sha256(self._data).hexdigest()[:16]
        self._tokenizer: Tokenizer | None = None

    def offsets(self, texts: Sequence[str]) -> Iterator[TokenOffsets]:
        """One array a text, in order; words longer than 100 code points count a token every two."""
        tokenizer = self._opened()
        found: list[TokenOffsets] = []  # of the text whose parts come
        for batch in _batches(texts):
            for part, offsets in zip(batch, _encode(tokenizer, [part.text for part in batch]), strict=True):
                found.append(offsets + part.start if part.start else offsets)
                if part.is_last:
                    yield np.concatenate(found) if len(found) > 1 else offsets
                    found = []

    def _opened(self) -> Tokenizer:
        if self._tokenizer is None:
            from tokenizers import Tokenizer

            try:
                tokenizer = Tokenizer.from_buffer(self._data)
            except Exception as error:  # tokenizers raises nothing narrower
                raise CorpusError(f"{self._path}: not a tokenizer: {error}") from None
            tokenizer.no_truncation()
            tokenizer.no_padding()
            self._tokenizer = tokenizer
        return self._tokenizer


class _Part(NamedTuple):
    text: str
    start: int
    is_last: bool


def _batches(texts: Iterable[str]) -> Iterator[list[_Part]]:
    """Parts of texts, as many at once as are read in a moment: meanwhile nobody hears of Ctrl-C."""
    batch: list[_Part] = []
    size = 0
    for part in chain.from_iterable(map(_parts, texts)):
        batch.append(part)
        size += len(part.text)
        if size >= _BATCH_CHARS:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def _parts(text: str) -> Iterator[_Part]:
    """A text that is too long for one batch, parted before spaces between two words, where no token reaches over."""
    start = 0
    while len(text) - start > _BATCH_CHARS:
        limit = start + _BATCH_CHARS
        before = limit - _LOOK_BACK
        spaces = [match.start() for match in _SPACE.finditer(text[before : limit + 1])]
        end = before + spaces[-1] if spaces else limit
        yield _Part(text[start:end], start, False)
        start = end
    yield _Part(text[start:], start, True)


def _encode(tokenizer: Tokenizer, texts: list[str]) -> Iterator[TokenOffsets]:
    for encoding in tokenizer.encode_batch(texts, add_special_tokens=False):
        count = len(encoding)
        flat = np.fromiter(chain.from_iterable(encoding.offsets), dtype=np.int32, count=2 * count)
        yield _tidy(flat.reshape(count, 2))


class WordTokens:
    """Words and single signs, for a project that embeds nothing. Never used in a model's place: its identity differs."""

    identity = "words"

    def offsets(self, texts: Sequence[str]) -> Iterator[TokenOffsets]:
        """One array a text, in order."""
        word = re.compile(r"\w+|[^\w\s]")
        for text in texts:
            spans = [match.span() for match in word.finditer(text)]
            yield _tidy(np.array(spans, dtype=np.int32).reshape(len(spans), 2))


class RememberedTokens:
    """Tokens that reads every text once: 2 bytes a token are kept, for a corpus that is cut in many ways."""

    def __init__(self, tokens: Tokens) -> None:
        self.identity = tokens.identity
        self._tokens = tokens
        self._known: dict[str, np.ndarray] = {}

    def offsets(self, texts: Sequence[str]) -> Iterator[TokenOffsets]:
        """One array a text, in order."""
        new = [text for text in dict.fromkeys(texts) if text not in self._known]
        self._known.update(zip(new, map(_steps, self._tokens.offsets(new)), strict=True))
        return (np.cumsum(self._known[text], dtype=np.int32).reshape(-1, 2) for text in texts)


def _steps(offsets: TokenOffsets) -> np.ndarray:
    """From each start to its end and on to the next start, in a byte each where that will do."""
    steps = np.diff(offsets.ravel(), prepend=0)
    return steps.astype(np.uint8) if not len(steps) or (steps.min() >= 0 and steps.max() < 256) else steps


def _tidy(offsets: TokenOffsets) -> TokenOffsets:
    """Ascending, without empty tokens, long ones parted."""
    offsets = np.maximum.accumulate(offsets, axis=0)
    offsets = offsets[offsets[:, 1] > offsets[:, 0]]
    long = offsets[:, 1] - offsets[:, 0] > _LONGEST
    if not long.any():
        return offsets
    parted = []
    for start, end in offsets.tolist():
        if end - start > _LONGEST:
            parted += [(at, min(at + _PART, end)) for at in range(start, end, _PART)]
        else:
            parted.append((start, end))
    return np.array(parted, dtype=np.int32)
