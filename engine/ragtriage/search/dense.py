"""Exact vector search with usearch. The only file that imports it.

One float16 C-contiguous matrix, memory-mapped, searched exactly at every size: an approximate graph would lose recall, and a
tool that measures recall must not. Rows that a question may not see are left out of the search, not of its result.
"""

from __future__ import annotations

import os
from collections import OrderedDict
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ragtriage.errors import SystemFailed
from ragtriage.ids import fingerprint
from ragtriage.search.access import all_public, sees_everything, visible_documents
from ragtriage.search.ranking import DECIMALS, Retrieved, order
from ragtriage.search.sealed import open_or_build, sound
from ragtriage.types import Groups

if TYPE_CHECKING:
    from ragtriage.chunking.base import Chunks

__all__ = ["DenseIndex"]

_MARGIN = 16  # candidates beyond the depth, so that a tie at its edge is seen
_KEPT_GROUPS = 8  # sets of visible rows kept for the process
_SCORED_AT_ONCE = 32  # queries
_FEWEST_AT_ONCE = 8  # queries that are searched together however large the matrix is: one alone takes three times as long
_CELLS_AT_ONCE = 1 << 20  # queries by rows; usearch keeps 16 bytes for each
_ROWS_AT_ONCE = 1 << 15  # vectors gathered in float64; a list of hundreds is never cut


class _Seen:
    """The rows that one set of groups may see: `rows` int32[m] or None for all, `matrix` float16[m, d]."""

    def __init__(self, rows: np.ndarray | None, matrix: np.ndarray) -> None:
        self.rows = rows
        self.matrix = matrix


class DenseIndex:
    """The vectors of some chunks. Scores are inner products of unit vectors: cosines, 1 for the same direction."""

    def __init__(self, chunks: Chunks, matrix: np.ndarray) -> None:
        """`matrix` float16[len(chunks), d], C-contiguous."""
        if matrix.dtype != np.float16 or matrix.ndim != 2 or len(matrix) != len(chunks) or not matrix.flags.c_contiguous:
            raise SystemFailed(f"a matrix of {matrix.shape} {matrix.dtype} is not the vectors of {len(chunks)} chunks")
        self._matrix = matrix
        self._chunks = chunks
        self._all = _Seen(None, matrix)
        self._public = all_public(chunks.corpus.documents)
        self._seen: OrderedDict[Groups, _Seen] = OrderedDict()

    @classmethod
    def open_or_build(cls, chunks: Chunks, encoder: str, embed: Callable[[], np.ndarray], *, cache: Path) -> DenseIndex:
        """The index of these chunks under the encoder with this fingerprint; `embed` gives the matrix where it is not there.

        Raises StorageError, SystemFailed, and what `embed` raises.
        """

        def build(folder: Path) -> None:
            np.save(folder / "matrix.npy", np.ascontiguousarray(embed(), dtype=np.float16), allow_pickle=False)

        return cls(chunks, _mapped(open_or_build(_folder(chunks, encoder, cache), build)))

    @classmethod
    def open(cls, chunks: Chunks, encoder: str, *, cache: Path) -> DenseIndex | None:
        """The index where a sound one is there, else None."""
        folder = _folder(chunks, encoder, cache)
        return cls(chunks, _mapped(folder)) if sound(folder) else None

    @property
    def nbytes(self) -> int:
        """Bytes of the matrix."""
        return self._matrix.nbytes

    def vectors(self, rows: Sequence[int] | np.ndarray) -> np.ndarray:
        """float32[len(rows), d]."""
        return self._matrix[np.asarray(rows, dtype=np.int64)].astype(np.float32)

    def search(self, vectors: np.ndarray, groups: Sequence[Groups], depth: int) -> list[Retrieved]:
        """The best `depth` chunks for each query vector (float[n, d]) that its groups may see. One call for all that see alike.

        Raises SystemFailed for vectors of another width or with values that are no numbers.
        """
        queries = np.ascontiguousarray(vectors, dtype=np.float16)
        if len(self._chunks) and (queries.ndim != 2 or queries.shape[1] != self._matrix.shape[1]):
            raise SystemFailed(f"query vectors of shape {vectors.shape} do not fit vectors of width {self._matrix.shape[1]}")
        if not np.isfinite(queries).all():
            raise SystemFailed("a query vector holds a value that is no number")
        together: dict[Groups, list[int]] = {}
        for place, each in enumerate(groups):
            together.setdefault(self._alike(each), []).append(place)
        found: dict[int, Retrieved] = {}
        for alike, places in together.items():
            answers = self._search(self._visible(alike), queries[places], depth)
            found |= dict(zip(places, answers, strict=True))
        return [found[place] for place in range(len(groups))]

    def _alike(self, groups: Groups) -> Groups:
        if self._public or sees_everything(groups):
            return ("*",)
        return tuple(sorted(set(groups or ())))

    def _visible(self, groups: Groups) -> _Seen:
        if sees_everything(groups):
            return self._all
        if groups in self._seen:
            self._seen.move_to_end(groups)
            return self._seen[groups]
        documents = visible_documents(self._chunks.corpus.documents, groups)
        rows = np.flatnonzero(documents[self._chunks.doc_rows]).astype(np.int32)
        seen = self._all if len(rows) == len(self._chunks) else _Seen(rows, self._matrix[rows])
        self._seen[groups] = seen
        if len(self._seen) > _KEPT_GROUPS:
            self._seen.popitem(last=False)
        return seen

    def _search(self, seen: _Seen, queries: np.ndarray, depth: int) -> list[Retrieved]:
        nothing = Retrieved(np.empty(0, np.int32), np.empty(0))
        wanted = min(depth + _MARGIN, len(seen.matrix))
        if wanted <= 0 or depth <= 0 or not len(queries):
            return [nothing] * len(queries)
        found: list[Retrieved] = []
        candidates = _nearest(seen.matrix, queries, wanted)
        scores = _exact_scores(seen.matrix, candidates, queries)
        for place, (some, each) in enumerate(zip(candidates, scores, strict=True)):
            while len(some) < len(seen.matrix) and _tie_at_edge(each, depth):
                some = _nearest(seen.matrix, queries[place : place + 1], min(len(some) * 4, len(seen.matrix)))[0]
                each = _exact_scores(seen.matrix, some[None], queries[place : place + 1])[0]
            rows = some if seen.rows is None else seen.rows[some]
            found.append(order(rows, each, self._chunks.ids, depth))
        return found


def _nearest(matrix: np.ndarray, queries: np.ndarray, wanted: int) -> np.ndarray:
    """int64[len(queries), wanted]: rows of `matrix` by inner product, in no order that is relied on."""
    # What usearch.index.search(…, exact=True) calls. Importing that module brings in tqdm and costs a warm start 10 ms.
    from usearch.compiled import MetricKind, MetricSignature, exact_search

    at_once = max(_FEWEST_AT_ONCE, _CELLS_AT_ONCE // max(1, len(matrix)))
    found = [
        exact_search(
            matrix,
            queries[start : start + at_once],
            wanted,
            metric_kind=MetricKind.IP,
            metric_signature=MetricSignature.ArrayArraySize,
            threads=_threads(),
        )[0]
        for start in range(0, len(queries), at_once)
    ]
    return np.concatenate([np.asarray(rows).reshape(-1, wanted) for rows in found]).astype(np.int64)


def _threads() -> int:
    """The processors this process may use: usearch's own choice counts those of the machine and is slower."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _tie_at_edge(scores: np.ndarray, depth: int) -> bool:
    """Whether what was left out may score as much as the last that stays."""
    if len(scores) <= depth:
        return False
    last, lowest = np.partition(scores, -depth)[-depth], scores.min()
    return bool(last - lowest <= 10.0**-DECIMALS)


def _exact_scores(matrix: np.ndarray, candidates: np.ndarray, queries: np.ndarray) -> np.ndarray:
    """float64[n, m]: the inner products of each query with its candidates, added in float64.

    What usearch adds up differs in the last digits between one query and many, and between processors; products of float16
    are exact in float64, and so are their sums to far beyond the decimals that decide an order.
    """
    out = np.empty(candidates.shape, dtype=np.float64)
    wide = max(1, candidates.shape[1])
    at_once = max(1, min(_SCORED_AT_ONCE, _ROWS_AT_ONCE // wide))
    for start in range(0, len(queries), at_once):
        some = slice(start, start + at_once)
        asked = queries[some].astype(np.float64)[:, :, None]
        for left in range(0, wide, _ROWS_AT_ONCE):
            part = slice(left, left + _ROWS_AT_ONCE)
            gathered = matrix[candidates[some, part]].astype(np.float64)
            out[some, part] = np.matmul(gathered, asked)[:, :, 0]
    return out


def _mapped(folder: Path) -> np.ndarray:
    path = folder / "matrix.npy"
    try:
        return np.asarray(np.load(path, mmap_mode="r", allow_pickle=False))
    except ValueError:  # an empty matrix cannot be mapped
        return np.asarray(np.load(path, allow_pickle=False))


def _folder(chunks: Chunks, encoder: str, cache: Path) -> Path:
    return cache / "vectors" / fingerprint([chunks.fingerprint, encoder])
