from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ragtriage.errors import SystemFailed
from ragtriage.search import dense
from ragtriage.search.dense import DenseIndex
from ragtriage.types import Groups


def unit(rows: int, width: int = 32, seed: int = 0) -> np.ndarray:
    values = np.random.default_rng(seed).normal(size=(rows, width))
    return (values / np.linalg.norm(values, axis=1, keepdims=True)).astype(np.float16)


def by_hand(matrix: np.ndarray, query: np.ndarray, ids: list[str], rows: list[int], depth: int) -> list[str]:
    scores = {ids[row]: round(float(matrix[row].astype(np.float64) @ query.astype(np.float64)), 6) for row in rows}
    return sorted(scores, key=lambda name: (-scores[name], name))[:depth]


@pytest.fixture
def make(chunks_of: Callable[..., Any]) -> Callable[..., tuple[DenseIndex, list[str]]]:
    def index(matrix: np.ndarray, access: dict[int, tuple[str, ...]] | None = None) -> tuple[DenseIndex, list[str]]:
        chunks = chunks_of(*[(f"d{row:04}", "x", (access or {}).get(row)) for row in range(len(matrix))])
        return DenseIndex(chunks, matrix), chunks.ids

    return index


def test_the_nearest_first_exactly(make: Callable[..., Any]) -> None:
    matrix, queries = unit(500), unit(7, seed=1)
    index, ids = make(matrix)
    for found, query in zip(index.search(queries, [None] * 7, 20), queries, strict=True):
        assert [ids[row] for row in found.rows] == by_hand(matrix, query, ids, list(range(500)), 20)
        assert found.rows.dtype == np.int32


def test_one_question_and_many_give_the_same(make: Callable[..., Any]) -> None:
    index, _ = make(unit(2000, 384))
    queries = unit(50, 384, seed=1)
    together = index.search(queries, [None] * 50, 100)
    for place in range(50):
        (alone,) = index.search(queries[place : place + 1], [None], 100)
        assert alone.rows.tolist() == together[place].rows.tolist()
        assert alone.scores.tolist() == together[place].scores.tolist()


def test_questions_are_searched_a_few_at_a_time_where_the_matrix_is_large(
    make: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    index, _ = make(unit(500))
    queries = unit(50, seed=1)
    together = index.search(queries, [None] * 50, 20)
    monkeypatch.setattr(dense, "_CELLS_AT_ONCE", 1)  # then eight at once, the last two by themselves
    for one, other in zip(together, index.search(queries, [None] * 50, 20), strict=True):
        assert one.rows.tolist() == other.rows.tolist()
        assert one.scores.tolist() == other.scores.tolist()


def test_ties_wider_than_any_margin_go_by_id(make: Callable[..., Any]) -> None:
    matrix = np.repeat(unit(3), 200, axis=0)
    index, ids = make(matrix)
    (found,) = index.search(unit(3)[1:2], [None], 30)
    assert [ids[row] for row in found.rows] == [f"d{row:04}" for row in range(200, 230)]


def test_only_what_may_be_seen_takes_part(make: Callable[..., Any]) -> None:
    matrix, query = unit(300), unit(1, seed=1)
    index, ids = make(matrix, {row: ("staff",) if row % 3 else () for row in range(200)})
    seen: dict[Groups, list[int]] = {
        None: list(range(200, 300)),
        ("sales",): list(range(200, 300)),
        ("staff",): [row for row in range(300) if row >= 200 or row % 3],
        ("*",): list(range(300)),
    }
    together = index.search(np.repeat(query, 4, axis=0), list(seen), 100)
    for (groups, rows), found in zip(seen.items(), together, strict=True):
        assert [ids[row] for row in found.rows] == by_hand(matrix, query[0], ids, rows, 100), groups


def test_rows_of_a_set_of_groups_are_copied_once(make: Callable[..., Any]) -> None:
    index, _ = make(unit(50), {0: ("staff",)})
    index.search(unit(1), [("a", "b")], 5)
    first = dict(index._seen)
    index.search(unit(1), [("b", "a", "a")], 5)
    assert dict(index._seen) == first
    for number in range(20):
        index.search(unit(1), [(f"g{number}",)], 5)
    assert len(index._seen) == 8


def test_edges(make: Callable[..., Any]) -> None:
    index, _ = make(unit(3), {0: (), 1: (), 2: ()})
    assert index.search(unit(1), [None], 5)[0].rows.tolist() == []
    assert len(index.search(unit(1), [("*",)], 500)[0].rows) == 3
    assert index.search(unit(1), [("*",)], 0)[0].rows.tolist() == []
    assert index.search(np.empty((0, 32), np.float16), [], 5) == []
    empty, _ = make(np.empty((0, 0), np.float16))
    assert empty.search(unit(1), [None], 5)[0].rows.tolist() == []


def test_what_is_not_a_matrix_of_vectors_is_refused(make: Callable[..., Any]) -> None:
    with pytest.raises(SystemFailed):
        make(unit(3).astype(np.float32))
    index, _ = make(unit(3))
    with pytest.raises(SystemFailed, match="do not fit"):
        index.search(unit(1, 16), [None], 5)
    with pytest.raises(SystemFailed, match="no number"):
        index.search(np.full((1, 32), np.nan), [None], 5)


def test_kept_on_disk_and_embedded_once(tmp_path: Path, chunks_of: Callable[..., Any]) -> None:
    chunks, calls = chunks_of("a", "b", "c"), []

    def embed() -> np.ndarray:
        calls.append(1)
        return unit(3)

    assert DenseIndex.open(chunks, "fp", cache=tmp_path) is None
    for _ in range(2):
        index = DenseIndex.open_or_build(chunks, "fp", embed, cache=tmp_path)
        assert (index.vectors([2, 0]) == unit(3)[[2, 0]].astype(np.float32)).all()
    assert len(calls) == 1
    assert DenseIndex.open(chunks, "fp", cache=tmp_path) is not None
    assert DenseIndex.open(chunks, "other", cache=tmp_path) is None
    (path,) = tmp_path.rglob("matrix.npy")
    data = bytearray(path.read_bytes())
    data[-1] ^= 1
    path.write_bytes(data)
    index = DenseIndex.open_or_build(chunks, "fp", embed, cache=tmp_path)
    assert (index.vectors([2]) == unit(3)[[2]].astype(np.float32)).all()
    assert len(calls) == 2
    none = chunks_of()
    for _ in range(2):
        empty = DenseIndex.open_or_build(none, "fp", lambda: np.empty((0, 0), np.float16), cache=tmp_path)
        assert empty.search(unit(1), [None], 5)[0].rows.tolist() == []
