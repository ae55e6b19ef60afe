"""Which documents share runs of words with a passage."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.engine.golden.tiny import corpus_of

from ragtriage.search.systems import alignment_index
from ragtriage.search.systems.alignment_index import RUN, RunIndex, Votes
from ragtriage.search.systems.alignment_words import words_of

PAGES = {"a": "one two three four five six", "b": "zero one two three four", "c": "six five four three two one"}


def votes(text: str, pages: dict[str, str] = PAGES) -> Votes:
    return RunIndex(corpus_of(pages)).votes(words_of(text).hashes)


def test_a_vote_is_a_run_of_four_words_in_their_order() -> None:
    assert votes("One, two: THREE four five!") == Votes(2, {0: 2, 1: 1})
    assert votes("four three two one") == Votes(1, {2: 1})
    assert votes("one two three five") == Votes(1, {})


def test_fewer_words_than_a_run_and_no_documents_have_no_votes() -> None:
    assert votes("one two three") == votes("") == Votes(0, {})
    assert votes("one two three four", {}) == Votes(1, {})
    assert votes("one two three four", {"short": "one two three"}) == Votes(1, {})


def test_a_run_counts_once_however_often_it_stands_there() -> None:
    assert votes("one two three four", {"a": "one two three four. " * 3}).of == {0: 1}
    assert votes("one two three four x one two three four", {"a": "one two three four"}) == Votes(6 - 1, {0: 1})


def test_what_stands_everywhere_is_looked_up_in_the_first_places_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(alignment_index, "_MOST_PLACES", 3)
    pages = {f"d{number}": "one two three four" for number in range(9)}
    assert votes("one two three four", pages).of == {0: 1, 1: 1, 2: 1}


def test_of_a_large_corpus_the_same_runs_are_kept_of_a_passage_as_of_documents(monkeypatch: pytest.MonkeyPatch) -> None:
    text = " ".join(f"w{number}" for number in range(400))
    whole = RunIndex(corpus_of({"a": text, "b": "something else altogether here"}))
    monkeypatch.setattr(alignment_index, "_SAMPLED", 100)
    sampled = RunIndex(corpus_of({"a": text, "b": "something else altogether here"}))
    assert 0 < len(sampled.runs) < len(whole.runs)
    assert np.isin(sampled.runs, whole.runs).all()
    found = sampled.votes(words_of(text).hashes)
    assert found.of == {0: found.wanted}
    assert 0 < found.wanted < whole.votes(words_of(text).hashes).wanted == 400 - RUN + 1


_text = st.lists(st.sampled_from("abc"), max_size=12).map(" ".join)


@given(_text, st.lists(_text, max_size=4))
def test_votes_are_the_runs_that_both_have(passage: str, pages: list[str]) -> None:
    def runs(text: str) -> set[tuple[str, ...]]:
        words = text.split()
        return {tuple(words[at : at + RUN]) for at in range(len(words) - RUN + 1)}

    found = votes(passage, {f"d{number}": page for number, page in enumerate(pages)})
    shared = {row: len(runs(passage) & runs(page)) for row, page in enumerate(pages)}
    assert found == Votes(len(runs(passage)), {row: count for row, count in shared.items() if count})
