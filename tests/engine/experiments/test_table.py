"""Which row wins, which are dominated, and what is said beside them."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.engine.experiments.tables import Trial, trial

from ragtriage.experiments.columns import Built, columns_of
from ragtriage.experiments.table import Table, not_filled, table_of
from ragtriage.experiments.words import winner_sentence

LARGE = {"chunking.size": 400}
DENSE = {"retrieval.mode": "dense"}


def by_name(table: Table, name: str) -> Any:
    row = table.row(name)
    assert row is not None
    return row


def test_no_trial_is_no_table() -> None:
    with pytest.raises(ValueError, match="in use"):
        table_of([])


def test_where_chunks_are_the_same_recall_at_k_decides() -> None:
    table = table_of([trial("now", [1, 9, 9]), trial("one", [1, 2, 9], DENSE), trial("two", [1, 2, 2], {"retrieval.rrf_k": 5})])
    assert table.by == "recall@5"
    assert table.winner is not None
    assert table.winner.name == "two"
    assert table.current.name == "now"


def test_where_chunks_differ_an_equal_budget_decides() -> None:
    # the large ones find more at k, because k of them hold more
    now = trial("now", [1, 9, 9], budgets={1000: 0.6, 2000: 0.7}, tokens=900.0)
    large = trial("large", [1, 1, 1], LARGE, budgets={1000: 0.5, 2000: 0.9}, tokens=2100.0)
    small = trial("small", [1, 9, 9], {"chunking.size": 50}, budgets={1000: 0.65, 2000: 0.7})
    table = table_of([now, large, small])
    assert table.by == "recall in 1,000 tokens"
    assert table.winner is not None
    assert table.winner.name == "small"
    wide = table_of([trial("now", [1, 9, 9], budgets={1000: 0.6, 2000: 0.7}, tokens=1900.0), large, small])
    assert wide.by == "recall in 2,000 tokens"
    assert wide.winner is not None
    assert wide.winner.name == "large"


@pytest.mark.parametrize(
    ("tokens", "by"),
    [
        (None, "1,000"),
        (0.0, "1,000"),
        (10.0, "250"),
        (353.0, "250"),
        (354.0, "500"),
        (708.0, "1,000"),
        (1415.0, "2,000"),
        (9e6, "4,000"),
    ],
)
def test_the_budget_nearest_to_the_prompt_of_today(tokens: float | None, by: str) -> None:
    assert table_of([trial("now", [1], tokens=tokens), trial("large", [1], LARGE)]).by == f"recall in {by} tokens"


TEN = {"retrieval.k": 10}


def test_rows_of_the_same_passages_are_chosen_by_recall_at_their_own_k() -> None:
    # inside a budget both find the same, whatever k is
    table = table_of([trial("now", [1, 7], budgets={500: 0.5}, tokens=400.0), trial("ten", [1, 7], TEN, k=10, tokens=800.0)])
    assert (table.by, table.budget) == ("recall@k", None)
    assert by_name(table, "ten").versus.won == ("q1",)
    assert table.winner is by_name(table, "ten")
    assert "It sends 800 tokens a question in the place of 400." in winner_sentence(table)


def test_what_a_larger_k_finds_is_traded_against_what_it_sends() -> None:
    now = trial("now", [1, 7, 9], tokens=400.0)
    three = trial("three", [1, 7, 9], {"retrieval.k": 3}, k=3, tokens=240.0)  # finds the same, and sends less
    eight = trial("eight", [1, 7, 9], {"retrieval.k": 8}, k=8, tokens=640.0)
    nine = trial("nine", [1, 7, 9], {"retrieval.k": 9}, k=9, tokens=720.0)
    eleven = trial("eleven", [1, 7, 9], {"retrieval.k": 11}, k=11, tokens=900.0)  # sends more, and finds no more
    table = table_of([now, three, eight, nine, eleven])
    assert [row.dominated for row in table.rows] == ["three", "", "", "", "nine"]
    sized = table_of([now, three, eight, nine, eleven, trial("large", [9, 9, 9], LARGE, budgets={500: 0.1}, tokens=400.0)])
    assert sized.budget == 500  # it says the same of all that differ in k alone
    assert [row.dominated for row in sized.rows][:5] == ["three", "", "", "", "nine"]


@pytest.mark.parametrize(
    "ranks",
    [
        [1, 9, 9, 9],  # less is found at k
        [9, 1, 1, 9],  # as much, but in other questions: no loss
    ],
)
def test_a_row_that_is_a_loss_at_its_own_k_is_never_chosen(ranks: list[int]) -> None:
    now = trial("now", [1, 1, 9, 9], budgets={1000: 0.5})
    small = trial("small", ranks, {"chunking.size": 50}, budgets={1000: 0.9}, tokens=500.0)
    next_best = trial("next", [1, 1, 1, 9], {"chunking.size": 80}, budgets={1000: 0.7})
    table = table_of([now, small, next_best])
    assert table.winner is not None
    loses = ranks[0] == 1
    assert by_name(table, "small").loses == loses
    assert table.winner.name == ("next" if loses else "small")
    assert (table_of([now, small]).winner is None) == loses
    said = ("finds more by recall in 1,000 tokens and is a loss at its own k (0 won, 1 lost): not chosen",)
    assert by_name(table, "small").notes == (said if loses else ())
    assert not by_name(table, "next").dominated


def test_what_only_equals_the_one_in_use_does_not_win() -> None:
    table = table_of([trial("now", [1, 9], mrr=0.1, texts=900), trial("same", [1, 9], DENSE, mrr=0.9, texts=1)])
    assert table.winner is None
    assert "Nothing beats the configuration in use, now" in winner_sentence(table)
    assert by_name(table, "now").dominated == "same"


def test_of_equals_the_one_that_ranks_best_then_the_cheapest_wins() -> None:
    now = trial("now", [9, 9])
    ranks = table_of([now, trial("a", [1, 9], DENSE, mrr=0.6), trial("b", [1, 9], {"retrieval.rrf_k": 5}, mrr=0.7)])
    assert ranks.winner is not None
    assert ranks.winner.name == "b"
    costs = table_of([now, trial("a", [1, 9], DENSE, texts=50), trial("b", [1, 9], {"retrieval.rrf_k": 5}, texts=40)])
    assert costs.winner is not None
    assert costs.winner.name == "b"
    assert by_name(costs, "a").dominated == "b"
    assert not by_name(costs, "b").dominated


def test_a_pool_that_is_reranked_costs() -> None:
    small, large = ({"retrieval.rerank": "lexical", "retrieval.pool": pool} for pool in (10, 40))
    table = table_of([trial("now", [9, 9]), trial("large", [1, 9], large), trial("small", [1, 9], small)])
    assert by_name(table, "large").dominated == "small"


def test_a_row_that_is_half_unread_never_wins_and_dominates_nobody() -> None:
    half = trial("half", [1, 1], DENSE, unembedded=0.051, texts=1)
    table = table_of([trial("now", [9, 9]), half, trial("whole", [1, 9], {"retrieval.rrf_k": 5}, unembedded=0.05)])
    assert table.winner is not None
    assert table.winner.name == "whole"
    assert by_name(table, "half").barred
    assert by_name(table, "half").notes == ("5% of its tokens are beyond the encoder's window: never wins",)
    assert not any(row.dominated == "half" for row in table.rows)


def test_a_row_with_a_failed_question_never_wins() -> None:
    table = table_of([trial("now", [9, 9]), trial("broken", [1, "failed"], DENSE)])
    assert table.winner is None
    assert by_name(table, "broken").notes == ("1 not measured (q1: timed out): never wins",)


def test_the_configuration_in_use_may_be_barred_itself() -> None:
    table = table_of([trial("now", [1, "failed"]), trial("other", [1, 9], DENSE)])
    assert table.winners["sentence-transformers/all-MiniLM-L6-v2"].name == "other"


def test_only_what_concerns_the_table_is_said_of_coarse_labels_and_short_pools() -> None:
    sizes = table_of([trial("now", [1], coarse=3), trial("large", [1], LARGE, coarse=3, short=[4000])])
    assert by_name(sizes, "now").notes == ("3 with coarse labels: chunk sizes cannot be compared on them",)
    assert by_name(sizes, "large").notes[1:] == ()
    assert not_filled(by_name(sizes, "large"), (1000, 4000)) == (
        "its pool does not fill 4,000 tokens: a larger one might find more"
    )
    assert not_filled(by_name(sizes, "large"), (1000, 2000)) == ""
    others = ({"retrieval.k": 10}, {"chunking.heading_prefix": False})
    for settings in others:
        alike = table_of([trial("now", [1], coarse=3), trial("other", [1], settings, coarse=3)])
        assert not any(row.notes for row in alike.rows)
    modes = table_of([trial("now", [1], coarse=3), trial("dense", [1], DENSE, coarse=3)])
    assert not any(row.notes for row in modes.rows)


def test_a_win_that_answers_worse_is_said() -> None:
    now = trial("now", [9, 9], accuracy=0.8)
    table = table_of(
        [now, trial("worse", [1, 9], DENSE, accuracy=0.7), trial("fine", [1, 9], {"retrieval.k": 5}, accuracy=0.8)]
    )
    assert by_name(table, "worse").notes == ("retrieves more and answers worse",)
    assert by_name(table, "fine").notes == ()
    assert "accuracy" in [column.key for column in columns_of(table)]


def test_each_model_has_a_winner_of_its_own() -> None:
    other = {"embedding.model": "other/model"}
    table = table_of(
        [trial("now", [9, 9]), trial("mine", [1, 9], DENSE), trial("a", [9, 9], other), trial("b", [1, 1], {**other, **DENSE})]
    )
    assert {model: row.name for model, row in table.winners.items()} == {
        "sentence-transformers/all-MiniLM-L6-v2": "mine",
        "other/model": "b",
    }
    assert table.winner is table.winners["other/model"]


def test_nothing_measured_anywhere() -> None:
    table = table_of([trial("now", []), trial("dense", [], DENSE)])
    assert table.winner is None
    row = by_name(table, "dense")
    assert row.versus.change is None
    assert {column.key: column.value(row) for column in columns_of(table)}["recall@k"] is None


def test_building_is_what_was_seen_of_its_parts() -> None:
    timings = {"cut_s": 1.0, "index_s": 2.0, "embed_s": 10.0, "embedded": 50}
    both = trial("now", [1], timings=timings)
    there = {"cut_s": None, "index_s": None, "embed_s": None, "embedded": 0}
    shared = trial("dense", [1], DENSE, timings=there, texts=20)
    same = trial("zscore", [1], {"retrieval.fusion": "zscore"}, timings=there)
    stems = trial("german", [1], {"retrieval.language": "german"}, timings={**there, "index_s": 4.0})
    unseen = trial("large", [1], {"chunking.size": 400}, timings={**there, "index_s": 2.0})
    rows = table_of([both, shared, same, stems, unseen]).rows
    built = Built(rows)
    assert built.pace == 50 / 10
    # the others share its chunks, and all but one its index
    assert [built.seconds(row) for row in rows] == [1 + 2 + 100 / 5, 1 + 20 / 5, 1 + 2 + 100 / 5, 1 + 4 + 100 / 5, None]
    assert Built(rows[1:]).pace is None
    assert Built(rows[1:]).seconds(rows[0]) is None


TRIALS = st.lists(
    st.tuples(
        st.lists(st.sampled_from([1, 3, 9, None, "failed"]), min_size=3, max_size=3),
        st.sampled_from([0.2, 0.5]),
        st.sampled_from([10, 20, 30]),
        st.sampled_from([0.0, 0.2]),
        st.sampled_from([{}, LARGE, DENSE, {"embedding.model": "o/m"}]),
    ),
    min_size=1,
    max_size=7,
)


@given(TRIALS)
def test_no_winner_is_dominated_and_domination_is_an_order(made: list[tuple[Any, ...]]) -> None:
    trials: list[Trial] = [
        trial(f"r{place}", ranks, settings, mrr=mrr, texts=texts, unembedded=share)
        for place, (ranks, mrr, texts, share, settings) in enumerate(made)
    ]
    table = table_of(trials)
    assert [row.name for row in table.rows] == [candidate.name for candidate, _ in trials]
    for row in table.winners.values():
        assert not row.barred
    if table.winner is not None:
        assert not table.winner.barred
        assert not table.winner.dominated
        assert table.winner.versus is not None
    for row in table.rows:
        seen = {row.name}
        while row.dominated:
            assert row.dominated not in seen
            seen.add(row.dominated)
            row = by_name(table, row.dominated)
            assert not row.barred
    assert table_of(trials) == table
    holm = [row.versus for row in table.rows if row.versus is not None]
    assert all(one.p_holm >= one.p for one in holm)
