"""One estimate, from the first guess to what was measured."""

from __future__ import annotations

import pytest

from ragtriage_tui.estimates import EMBEDDING, Pace, embedding_s


def test_the_guess_is_25_texts_a_second_after_8_seconds() -> None:
    assert embedding_s(0) == 0.0
    assert embedding_s(100) == 8 + 100 / 25
    assert embedding_s(100, started=True) == 100 / 25


def test_what_is_measured_takes_the_place_of_the_guess() -> None:
    # 40 texts in 4 s beside 4 s of guessing at 25 a second: 140 in 8 s
    assert embedding_s(100, done=40, took_s=4.0, started=True) == pytest.approx(100 / (140 / 8))
    assert embedding_s(100, done=10_000, took_s=1000.0, started=True) == pytest.approx(10.0, rel=0.01)


def test_header_and_footer_begin_with_one_number_and_jump_nowhere() -> None:
    pace = Pace()
    assert pace.left_s(EMBEDDING, 0, 1000, 0.0) == embedding_s(1000)
    first = pace.left_s(EMBEDDING, 32, 1000, 9.0)
    assert first == embedding_s(968, started=True)
    # a machine three times as slow as the guess: the estimate rises step by step, not at once
    later = [pace.left_s(EMBEDDING, 32 + 8 * second, 1000, 9.0 + second) for second in range(1, 30)]
    assert all(abs(after - before) < 25 for before, after in zip([first, *later], later, strict=False))
    assert later[-1] == pytest.approx((1000 - 32 - 8 * 29) / 8, rel=0.25)


def test_a_stage_that_counts_from_the_beginning_again_is_another_one() -> None:
    pace = Pace()
    for done, now in ((0, 0.0), (100, 10.0), (200, 12.0)):
        pace.left_s(EMBEDDING, done, 200, now)
    assert pace.left_s(EMBEDDING, 0, 50, 12.0) == 50 / 25  # the model runs already


def test_embedding_one_side_of_a_review_is_embedding() -> None:
    assert Pace().left_s(f"head: {EMBEDDING}", 0, 1000, 0.0) == embedding_s(1000)


def test_other_stages_have_no_guess() -> None:
    pace = Pace()
    assert pace.left_s("indexing", 0, 100, 0.0) == -1.0
    assert pace.left_s("indexing", 10, 100, 5.0) == -1.0
    assert pace.left_s("indexing", 20, 100, 6.0) == 8.0
    assert pace.left_s("reading", 0, 0, 7.0) == -1.0
