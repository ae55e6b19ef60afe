from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from ragtriage.search.parents import Search, search_parents
from ragtriage.search.ranking import Retrieved, order


def searching(columns: Sequence[Sequence[float]], asked: list[tuple[list[int], int]] | None = None) -> Search:
    """A search over units that score what the column of a query says; below 0 they are not found."""
    names = [f"u{row}" for row in range(len(columns[0]))] if columns else []

    def search(places: Sequence[int], depth: int) -> list[Retrieved]:
        if asked is not None:
            asked.append((list(places), depth))
        out = []
        for place in places:
            scores = np.array(columns[place], dtype=np.float64)
            rows = np.flatnonzero(scores >= 0)
            out.append(order(rows, scores[rows], names, depth))
        return out

    return search


def parents_of(columns: Sequence[Sequence[float]], parents: Sequence[int], depth: int) -> list[list[tuple[int, float]]]:
    ids = [f"p{row:03}" for row in range(max(parents, default=0) + 1)]
    found = search_parents(searching(columns), len(columns), np.array(parents, dtype=np.int32), ids, depth)
    return [list(zip(one.rows.tolist(), one.scores.tolist(), strict=True)) for one in found]


def test_a_chunk_scores_what_its_best_unit_scores() -> None:
    assert parents_of([[0.1, 0.9, 0.5, 0.3]], [0, 0, 1, 1], 10) == [[(0, 0.9), (1, 0.5)]]


def test_units_are_fetched_until_there_are_enough_chunks() -> None:
    asked: list[tuple[list[int], int]] = []
    scores = [[1 - row / 1000 for row in range(500)], [row / 1000 for row in range(500)]]
    parents = np.array([min(row // 100, 4) for row in range(500)], dtype=np.int32)
    found = search_parents(searching(scores, asked), 2, parents, [f"p{row}" for row in range(5)], 3)
    assert [one.rows.tolist() for one in found] == [[0, 1, 2], [4, 3, 2]]
    assert asked == [([0, 1], 12), ([0, 1], 48), ([0, 1], 192), ([0, 1], 768)]


def test_a_query_that_has_enough_is_not_searched_again() -> None:
    asked: list[tuple[list[int], int]] = []
    scores = [[0.9 - row / 100 for row in range(40)], [0.5] * 40]
    parents = np.arange(40, dtype=np.int32)
    search_parents(searching(scores, asked), 2, parents, [f"p{row:02}" for row in range(40)], 2)
    assert asked == [([0, 1], 8), ([1], 32), ([1], 128)]


def test_equal_chunks_are_ordered_by_id_also_beyond_what_was_fetched_first() -> None:
    ids = [f"p{row:02}" for row in reversed(range(40))]
    (found,) = search_parents(searching([[0.5] * 40]), 1, np.arange(40, dtype=np.int32), ids, 2)
    assert [ids[row] for row in found.rows] == ["p00", "p01"]


def test_nothing_found_and_nothing_there() -> None:
    assert parents_of([[-1.0, -1.0]], [0, 1], 5) == [[]]
    assert parents_of([[]], [], 5) == [[]]
    assert parents_of([[0.5]], [0], 0) == [[]]


scored = st.integers(1, 60).flatmap(
    lambda units: st.tuples(
        st.lists(st.lists(st.sampled_from([-1.0, 0.0, 0.25, 0.5, 1.0]), min_size=units, max_size=units), max_size=3),
        st.lists(st.integers(0, 12), min_size=units, max_size=units).map(sorted),
    )
)


@given(scored, st.integers(1, 15))
def test_as_if_everything_was_fetched(case: tuple[list[list[float]], list[int]], depth: int) -> None:
    columns, parents = case
    for column, found in zip(columns, parents_of(columns, parents, depth), strict=True):
        best: dict[int, float] = {}
        for score, parent in zip(column, parents, strict=True):
            if score >= 0:
                best[parent] = max(score, best.get(parent, 0.0))
        assert found == sorted(best.items(), key=lambda item: (-item[1], item[0]))[:depth]
