from __future__ import annotations

from pathlib import Path

import pytest
from tests.engine.corpus.reading import corpus_of

from ragtriage.corpus.base import Corpus
from ragtriage.experiments.budgets import recall_at_tokens, within
from ragtriage.golden.evidence import Located, ResolvedItem, ResolvedPlace
from ragtriage.golden.ranks import PromptText
from ragtriage.types import Evidence, Place, Span

#       0         10        20        30
TEXT = "one two.  three four five seven eight"


@pytest.fixture
def corpus(tmp_path: Path) -> Corpus:
    return corpus_of(tmp_path, {"doc.txt": TEXT})


def passage(start: int, end: int, name: str = "") -> PromptText:
    return PromptText(name or f"doc#{start}", "doc", Span(start, end))


def quoted(start: int, end: int) -> ResolvedItem:
    place = Place("doc", quote=TEXT[start:end])
    return ResolvedItem(Evidence(place), (ResolvedPlace(place, (Located("doc", Span(start, end)),), "exact"),))


def chunk(name: str, start: int, end: int) -> ResolvedItem:
    place = Place(chunk=name)
    return ResolvedItem(Evidence(place), (ResolvedPlace(place, (Located("doc", Span(start, end)),), "chunk", name),))


PASSAGES = [passage(10, 20), passage(20, 37), passage(0, 8)]
TOKENS = [2, 4, 3]


def test_whole_passages_while_they_fit_and_of_the_next_its_share() -> None:
    assert within(PASSAGES, TOKENS, 9) == PASSAGES
    assert within(PASSAGES, TOKENS, 6) == PASSAGES[:2]
    assert within(PASSAGES, TOKENS, 5) == [PASSAGES[0], passage(20, 20 + 17 * 3 // 4)]
    assert within(PASSAGES, TOKENS, 4) == [PASSAGES[0], PromptText("", "doc", Span(20, 20 + 17 * 2 // 4))]
    assert within(PASSAGES, TOKENS, 2) == [PASSAGES[0]]
    assert within(PASSAGES, TOKENS, 0) == []


def test_nothing_behind_the_one_that_was_cut_is_taken_though_it_would_fit() -> None:
    assert within([passage(0, 8), passage(10, 20)], [5, 1], 3) == [passage(0, 8 * 3 // 5)]


def test_found_items_over_all_items(corpus: Corpus) -> None:
    items = [quoted(10, 20), quoted(20, 37)]
    assert recall_at_tokens(items, PASSAGES, TOKENS, 2, corpus) == 1 / 2
    assert recall_at_tokens(items, PASSAGES, TOKENS, 6, corpus) == 2 / 2
    assert recall_at_tokens(items, PASSAGES, TOKENS, 1, corpus) == 0.0
    # 3 of 4 tokens are 12 of 17 characters, of them 11 of 15 that are no white space: less than 80 %
    assert recall_at_tokens(items, PASSAGES, TOKENS, 5, corpus) == 1 / 2


def test_a_quote_over_two_passages_needs_both(corpus: Corpus) -> None:
    assert [recall_at_tokens([quoted(10, 37)], PASSAGES, TOKENS, budget, corpus) for budget in (2, 4, 6)] == [0.0, 0.0, 1.0]


def test_a_chunk_counts_when_more_than_half_of_it_fits(corpus: Corpus) -> None:
    item = chunk("doc#20", 20, 37)
    assert [recall_at_tokens([item], PASSAGES, TOKENS, budget, corpus) for budget in (4, 5, 6)] == [0.0, 1.0, 1.0]


def test_a_text_without_a_token_takes_no_room(corpus: Corpus) -> None:
    assert within([passage(8, 10), passage(10, 20)], [0, 2], 2) == [passage(8, 10), passage(10, 20)]


def test_a_question_without_items_has_no_value(corpus: Corpus) -> None:
    with pytest.raises(ValueError, match="at least one item"):
        recall_at_tokens([], PASSAGES, TOKENS, 5, corpus)
