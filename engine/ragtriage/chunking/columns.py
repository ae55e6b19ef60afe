"""Cut documents -> the columns of their chunks, and these as bytes in a cache."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import orjson
from numpy.typing import NDArray

from ragtriage.chunking.base import Columns
from ragtriage.stored import read_blob, write_blob

if TYPE_CHECKING:
    from ragtriage.chunking.cuts import CutDocument

__all__ = ["Units", "columns_of", "load", "load_units", "store", "store_units", "units_of"]

_SPECIAL = 2  # tokens that a model puts around a text
_COLUMNS = 6


class Units(NamedTuple):
    """The columns of what is indexed in the place of n chunks; `parents` int32[number of units], ascending, are their rows."""

    columns: Columns
    parents: NDArray[np.int32]


def columns_of(cuts: Sequence[CutDocument]) -> Columns:
    """The chunks of all documents, in reading order."""
    counts = [len(cut.pieces) for cut in cuts]
    flat = np.array([value for cut in cuts for piece in cut.pieces for value in piece], dtype=np.int32).reshape(-1, 4)
    bases = np.cumsum([0, *(len(cut.prefixes) for cut in cuts)])[: len(cuts)]
    doc_rows = np.repeat(np.arange(len(cuts), dtype=np.int32), counts)
    has_prefix = flat[:, 3] >= 0
    prefix_rows = np.where(has_prefix, flat[:, 3] + np.repeat(bases, counts), -1).astype(np.int32)
    prefix_tokens = np.array([count for cut in cuts for _, count in cut.prefixes] + [0], dtype=np.int32)  # row -1: none
    starts, ends, tokens = (np.ascontiguousarray(flat[:, column]) for column in range(3))
    indexed = tokens + prefix_tokens[prefix_rows] + np.int32(_SPECIAL)
    prefixes = tuple(prefix for cut in cuts for prefix, _ in cut.prefixes)
    return Columns(doc_rows, starts, ends, tokens, indexed, prefix_rows, prefixes)


def units_of(cuts: Sequence[CutDocument]) -> Units:
    """The children of all chunks, in reading order."""
    firsts = np.cumsum([0, *(len(cut.pieces) for cut in cuts)])[: len(cuts)]
    parents = [np.array(cut.parents, dtype=np.int32) + np.int32(first) for cut, first in zip(cuts, firsts, strict=True)]
    children = columns_of([cut.children for cut in cuts if cut.children is not None])
    return Units(children, np.concatenate([np.empty(0, np.int32), *parents]))


def store(path: Path, columns: Columns) -> None:
    """Keep `columns` at `path`."""
    write_blob(path, _dump(columns))


def load(path: Path) -> Columns | None:
    """The columns that `store` kept; None where they are there no more."""
    payload = read_blob(path)
    if payload is None:
        return None
    return _columns(_arrays(payload, _COLUMNS), _prefixes(payload, _COLUMNS))


def store_units(path: Path, units: Units) -> None:
    """Keep `units` at `path`."""
    write_blob(path, _dump(units.columns, units.parents))


def load_units(path: Path) -> Units | None:
    """The units that `store_units` kept; None where they are there no more."""
    payload = read_blob(path)
    if payload is None:
        return None
    *arrays, parents = _arrays(payload, _COLUMNS + 1)
    return Units(_columns(arrays, _prefixes(payload, _COLUMNS + 1)), parents)


def _dump(columns: Columns, *more: NDArray[np.int32]) -> bytes:
    """The number of rows, the columns one after the other, then the prefixes as JSON."""
    *arrays, prefixes = columns
    flat = np.stack([*arrays, *more]).astype("<i4").tobytes()
    return len(columns.doc_rows).to_bytes(8, "little") + flat + orjson.dumps(prefixes)


def _arrays(payload: memoryview, count: int) -> list[NDArray[np.int32]]:
    rows = int.from_bytes(payload[:8], "little")
    flat = np.frombuffer(payload[8 : _end(payload, count)], dtype="<i4").astype(np.int32, copy=False)
    return list(flat.reshape(count, rows))


def _columns(arrays: Sequence[NDArray[np.int32]], prefixes: tuple[str, ...]) -> Columns:
    doc_rows, starts, ends, tokens, indexed_tokens, prefix_rows = arrays
    return Columns(doc_rows, starts, ends, tokens, indexed_tokens, prefix_rows, prefixes)


def _prefixes(payload: memoryview, count: int) -> tuple[str, ...]:
    return tuple(orjson.loads(payload[_end(payload, count) :]))


def _end(payload: memoryview, count: int) -> int:
    return 8 + 4 * count * int.from_bytes(payload[:8], "little")
