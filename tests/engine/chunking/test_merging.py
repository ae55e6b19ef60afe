from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from ragtriage.chunking.merging import Stretch, balanced, smallest_first


def stretches(sizes: list[int]) -> list[Stretch]:
    ends = [sum(sizes[: row + 1]) for row in range(len(sizes))]
    return [Stretch(end - size, end, size, (0, 1)) for size, end in zip(sizes, ends, strict=True)]


def sizes_of(items: list[Stretch]) -> list[int]:
    return [item.tokens for item in items]


def test_balanced_avoids_a_small_rest() -> None:
    assert sizes_of(balanced(stretches([15] * 14), 200)) == [105, 105]
    assert sizes_of(balanced(stretches([100] * 5), 200)) == [200, 200, 100]
    assert balanced([], 10) == []


def test_smallest_neighbours_go_first() -> None:
    assert sizes_of(smallest_first(stretches([50, 40, 10, 60]), 100, 1)) == [100, 60]
    assert sizes_of(smallest_first(stretches([90, 10, 10, 90]), 100, 1)) == [90, 20, 90]
    assert sizes_of(smallest_first(stretches([60, 60]), 100, 1)) == [60, 60]
    assert smallest_first(stretches([1, 1]), 100, 1)[0].lineage == (0,)


@given(st.lists(st.integers(0, 50), max_size=40), st.integers(50, 120))
def test_nothing_is_lost_or_too_large(sizes: list[int], room: int) -> None:
    items = stretches(sizes)
    for merged in (balanced(items, room), smallest_first(items, room, 2)):
        assert sum(sizes_of(merged)) == sum(sizes)
        assert all(item.tokens <= room and item.tokens == item.end - item.start for item in merged)
        assert all(one.end == two.start for one, two in pairwise(merged))
    final = sizes_of(smallest_first(items, room, 2))
    assert all(one + two > room for one, two in pairwise(final))
