from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from ragtriage.search.batching import STEP, batches, never_alone


def test_equal_multiples_share_a_batch() -> None:
    assert batches([1, 16, 17, 32, 33], longest=256, at_most=8) == [([4], 48), ([2, 3], 32), ([0, 1], 16)]


def test_a_window_that_is_no_multiple_is_never_passed() -> None:
    assert batches([500, 510], longest=510, at_most=8) == [([0, 1], 510)]


@settings(deadline=None)
@given(st.lists(st.integers(0, 256), max_size=200), st.integers(1, 64))
def test_every_text_once_and_its_padding_is_its_own(lengths: list[int], at_most: int) -> None:
    made = batches(lengths, longest=256, at_most=at_most)
    assert sorted(place for batch in made for place in batch.places) == list(range(len(lengths)))
    for batch in made:
        assert 0 < len(batch.places) <= at_most
        assert all(lengths[place] <= batch.padded < max(lengths[place], 1) + STEP for place in batch.places)


def test_a_text_alone_gets_itself_for_company() -> None:
    assert never_alone([7]) == [7, 7]
    assert never_alone([7, 8]) == [7, 8]
