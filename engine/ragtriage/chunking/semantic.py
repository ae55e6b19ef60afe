"""Cuts where neighbouring sentences drift apart: where the cosine distance of their vectors is above a limit."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import pairwise
from typing import Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from ragtriage.chunking.base import Piece, TokenOffsets
from ragtriage.chunking.boundaries import Ruler
from ragtriage.chunking.cutter import Cutter
from ragtriage.chunking.merging import Stretch, balanced, pieces_of
from ragtriage.chunking.regions import regions_of, top_depth
from ragtriage.chunking.sentences import sentence_starts
from ragtriage.ids import spec_of
from ragtriage.types import Document, Progress

__all__ = ["Semantic", "Vectors", "drift_limit"]

_DECIMALS = 6  # of a distance: what products of float16 leave no doubt about
_STEP = 1000  # a limit is rounded up to a thousandth, so that an edit of one page seldom moves the cuts of all others


class Vectors(Protocol):
    """Unit vectors of texts, remembered. `identity` names everything they depend on but the texts."""

    @property
    def identity(self) -> str: ...

    def ensure(self, texts: Sequence[str], progress: Progress) -> None:
        """Embed those that are missing."""
        ...

    def read(self, texts: Sequence[str]) -> NDArray[np.float16]:
        """float16[len(texts), d]."""
        ...


@dataclass(frozen=True, slots=True)
class Semantic:
    """Pieces of at most `size` tokens that end where the distance to the next sentence is above `limit`, or at the end of a
    main part of the document; what is larger than `size` is cut into about equal pieces between sentences.

    The last `overlap` tokens of the piece before are included where both are of one main part. `break_at` and `threshold`
    say where `limit` comes from: the distance itself ("absolute"), or the corpus's percentile. Sentences are those of
    `language`, an ISO 639-1 code.
    """

    size: int
    overlap: int = 0
    break_at: Literal["percentile", "absolute"] = field(default="percentile", kw_only=True)
    threshold: float = field(default=90.0, kw_only=True)
    language: str = field(default="en", kw_only=True, metadata={"spec": False})
    vectors: Vectors = field(kw_only=True, repr=False, compare=False, metadata={"spec": False})
    limit: float = field(default=2.0, kw_only=True, metadata={"spec": False})

    @property
    def spec(self) -> str:
        return spec_of("semantic", self)

    def cut(self, document: Document, tokens: TokenOffsets) -> list[Piece]:
        """Pieces from the first to the last character. The vectors of all sentences must have been embedded."""
        ruler = Ruler(document.text, tokens)
        room = self.size - self.overlap
        sentences = self.sentences(document, tokens)
        stretches: list[Stretch] = []
        together: list[Stretch] = []
        for item, breaks in zip(sentences, [*(self.distances(document, sentences) > self.limit).tolist(), True], strict=False):
            together.append(item)
            if breaks:
                stretches += balanced(together, room)
                together = []
        return pieces_of(stretches, ruler, self.overlap)

    def sentences(self, document: Document, tokens: TokenOffsets) -> list[Stretch]:
        """What is embedded, in stretches that touch: sentences, list items, rows of tables, code and tables that fit whole.

        Their lineage is the main part they stand in, by its number.
        """
        ruler = Ruler(document.text, tokens)
        room = self.size - self.overlap
        starts = partial(sentence_starts, language=self.language)
        cutter = Cutter(ruler, room, document.sections, sentences=starts, at_headings=True)
        return [
            Stretch(start, end, ruler.count(start, end), (number,))
            for number, (first, last) in enumerate(_main_parts(document, ruler, room))
            for start, end in _inked(document.text, cutter.atoms(first, last))
        ]

    def texts(self, document: Document, sentences: Iterable[Stretch]) -> list[str]:
        """The texts that are embedded."""
        return [document.text[item.start : item.end].strip() for item in sentences]

    def distances(self, document: Document, sentences: Sequence[Stretch]) -> NDArray[np.float64]:
        """float64[n - 1]: 1 - cosine of each sentence and the next, at 6 decimals; inf between two main parts."""
        if len(sentences) < 2:
            return np.empty(0)
        matrix = self.vectors.read(self.texts(document, sentences)).astype(np.float64)
        distances = np.round(1.0 - np.einsum("nd,nd->n", matrix[:-1], matrix[1:]), _DECIMALS)
        apart = [one.lineage != two.lineage for one, two in pairwise(sentences)]
        return np.where(apart, np.inf, distances)


def drift_limit(distances: Iterable[NDArray[np.float64]], percentile: float) -> float:
    """The percentile (0 to 100, interpolated) of all finite distances, rounded up to a thousandth; 2.0 where there are none."""
    every = np.concatenate([np.empty(0), *distances])
    every = every[np.isfinite(every)]
    return math.ceil(float(np.percentile(every, percentile)) * _STEP) / _STEP if len(every) else 2.0


def _main_parts(document: Document, ruler: Ruler, room: int) -> list[tuple[int, int]]:
    """The parts of a document that no piece reaches out of: those of `recursive`, which touch."""
    top = top_depth(document)
    out: list[tuple[int, int]] = []
    before: tuple[int, ...] | None = None
    for region in regions_of(document, ruler, room):
        part = region.lineage[:top]
        if out and part == before and len(part) == top:
            out[-1] = (out[-1][0], region.end)
        else:
            out.append((region.start, region.end))
        before = part
    return out


def _inked(text: str, atoms: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """The atoms without blank ones, which go to the one before, or to the first."""
    out: list[tuple[int, int]] = []
    start: int | None = None
    for first, last in atoms:
        if text[first:last].strip():
            out.append((first if start is None else start, last))
            start = None
        elif out:
            out[-1] = (out[-1][0], last)
        elif start is None:
            start = first
    return out
