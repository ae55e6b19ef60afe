from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.engine.diagnose.planted import WINGS, chunks_of, filler
from tests.soak import rounds

from ragtriage.diagnose.duplicates import NEARLY_EQUAL, exact_duplicates, near_duplicates
from ragtriage.diagnose.minhash import candidates
from ragtriage.diagnose.shingles import shingles_of
from ragtriage.errors import Cancelled


def test_a_text_that_stands_twice_is_found_whatever_its_white_space() -> None:
    chunks = chunks_of({"a": [filler(1), WINGS], "b": [WINGS.replace(" ", "\n  "), filler(2)], "c": [f"  {WINGS}"]})
    assert exact_duplicates(chunks) == [(1, 2, 4)]
    assert exact_duplicates(chunks_of({"a": [filler(1), filler(2)], "b": ["", " "]})) == []


def test_one_changed_word_makes_a_near_duplicate_and_another_text_none() -> None:
    chunks = chunks_of({"a": [WINGS, filler(1)], "b": [filler(2), WINGS.replace("thin", "slender")]})
    (group,) = near_duplicates(chunks)
    # 26 words are 25 pairs; one word is in 2 of them: 23 shared of 25 + 2
    assert (group.rows, group.resemblance) == ((0, 3), round(23 / 27, 6))
    assert near_duplicates(chunks_of({"a": [WINGS, filler(1)], "b": [filler(2), filler(3)]})) == []


def test_numbers_count_as_equal_and_case_and_punctuation_as_nothing() -> None:
    a = "Goods may be sent back within 30 days of delivery, in the box they came in."
    b = "goods may be sent back within FOURTEEN days of delivery; in the box they came in"
    (group,) = near_duplicates(chunks_of({"a": [a], "b": [b]}))
    assert group.resemblance == 1.0


def test_exact_duplicates_are_not_listed_again_and_their_first_stands_for_them() -> None:
    chunks = chunks_of({"a": [WINGS], "b": [WINGS], "c": [WINGS.replace("thin", "slender")]})
    assert [group.rows for group in near_duplicates(chunks, exact_duplicates(chunks))] == [(0, 2)]


def test_short_passages_are_alike_by_chance() -> None:
    assert near_duplicates(chunks_of({"a": ["See the next page for more."], "b": ["see the next page, for more"]})) == []


def test_what_overlaps_by_its_cutting_is_no_duplicate() -> None:
    chunks = chunks_of({"a": [WINGS + " Much more follows."], "b": [filler(1)]})
    chunks.doc_rows, chunks.starts, chunks.ends = (
        np.array(column, np.int32) for column in ([0, 0, 1], [0, 4, 0], [len(WINGS), len(WINGS) + 10, 30])
    )
    assert near_duplicates(chunks) == []


def test_a_chain_of_small_changes_ends_in_groups_that_are_alike() -> None:
    words = WINGS.split()
    chain = [" ".join(["new"] * at + words[at:]) for at in range(len(words))]
    groups = near_duplicates(chunks_of({str(at): [text] for at, text in enumerate(chain)}))
    assert len(groups) > 1
    assert all(group.resemblance >= NEARLY_EQUAL for group in groups)


def test_a_script_without_spaces_is_compared_by_its_characters() -> None:
    text = "商品到着後三十日以内であれば返品することができます。箱は閉じたままにしてください。"
    assert len(near_duplicates(chunks_of({"a": [text], "b": [text.replace("箱", "包")]}))) == 1


def test_a_crowd_of_passages_gives_pairs_in_proportion() -> None:
    chunks = chunks_of({str(at): [f"{WINGS} {filler(at, 2)}"] for at in range(200)})
    pairs = candidates(shingles_of(chunks, range(200)), NEARLY_EQUAL)
    assert len(pairs) <= 40 * 200
    (group,) = near_duplicates(chunks)
    assert group.rows == tuple(range(200))


def test_stopping_stops() -> None:
    def stop(stage: str, done: int, total: int) -> None:
        raise Cancelled

    with pytest.raises(Cancelled):
        near_duplicates(chunks_of({"a": [WINGS]}), progress=stop)


@given(st.integers(0, 10**6), st.integers(0, 3))
def test_pairs_are_found_wherever_they_stand(seed: int, changed: int) -> None:
    rng = np.random.default_rng(seed)
    words = filler(7, 60).split()
    other = list(words)
    for at in rng.choice(60, changed, replace=False):
        other[at] = "changed"
    texts = [filler(at + 100) for at in range(10)]
    places = sorted(rng.choice(12, 2, replace=False).tolist())
    texts.insert(places[0], " ".join(words))
    texts.insert(places[1], " ".join(other) + " more")
    # three changed words touch 6 of 59 pairs at most: a resemblance of 53 / 66 = 0.80, missed once in 40,000 times
    assert [group.rows for group in near_duplicates(chunks_of({"a": texts}))] == [tuple(places)]


def test_all_pairs_above_the_threshold_are_found_among_random_texts() -> None:
    rng = np.random.default_rng(5)
    texts = []
    for group in range(rounds(20, 300)):
        words = filler(group, 40).split()
        for _ in range(3):
            changed = [word if rng.random() > 0.05 else "changed" for word in words]
            texts.append(" ".join(changed))
    chunks = chunks_of({"a": texts})
    shingles = shingles_of(chunks, range(len(texts)))
    brute = {(a, b) for a in range(len(texts)) for b in range(a + 1, len(texts)) if shingles.resemblance(a, b) >= NEARLY_EQUAL}
    linked = {row for pair in brute for row in pair}
    exact = exact_duplicates(chunks)
    found = {row for group in near_duplicates(chunks, exact) for row in group.rows} | {row for group in exact for row in group}
    assert found == linked
