from __future__ import annotations

import numpy as np
from tests.engine.diagnose.planted import chunks_of, columns_of, filler

from ragtriage.chunking.base import Chunks
from ragtriage.diagnose.diagnosis import diagnose
from ragtriage.diagnose.lengths import UnreadRow, unread


def test_what_is_beyond_the_window_is_counted_with_prefix_and_special_tokens() -> None:
    chunks = chunks_of({"a": [filler(1, 10), filler(2, 20)], "b": [filler(3, 30)]}, prefix_tokens=3)
    found = unread(chunks, 20)
    # 30 + 3 + 2 - 20 = 15 and 20 + 3 + 2 - 20 = 5 of 60 tokens
    assert found.rows == (UnreadRow(2, 30, 15), UnreadRow(1, 20, 5))
    assert found.share == round(20 / 60, 6)


def test_what_fits_is_not_listed() -> None:
    found = unread(chunks_of({"a": [filler(1, 18)]}), 20)
    assert (found.rows, found.share) == ((), 0.0)
    assert unread(chunks_of({}), 20).share == 0.0


def test_no_more_is_lost_than_there_is() -> None:
    assert unread(chunks_of({"a": [filler(1, 4)]}, prefix_tokens=90), 20).rows == (UnreadRow(0, 4, 4),)


def test_under_small_to_big_the_pieces_are_what_must_fit() -> None:
    parents, pieces = chunks_of({"a": [filler(1, 60)]}), chunks_of({"a": [filler(1, 20), filler(2, 40)]})
    chunks = Chunks(
        parents.corpus,
        columns_of(parents),
        spec="planted",
        fingerprint="p",
        units=pieces,
        unit_parents=np.zeros(2, np.int32),
    )
    found = unread(chunks, 32)
    assert (found.rows, found.share) == ((UnreadRow(1, 40, 10),), round(10 / 60, 6))
    assert diagnose(chunks, window=32).unread[0].place.chunk_id == "a#1"
