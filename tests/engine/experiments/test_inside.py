"""Where a budget of tokens decides, the win is counted, tested and confirmed by that budget and not by recall@k."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest
from tests.engine.experiments.tables import trial

from ragtriage.compare.significance import difference_interval, sign_flip
from ragtriage.experiments.columns import columns_of
from ragtriage.experiments.confirm import Confirmed
from ragtriage.experiments.document import to_csv, to_json
from ragtriage.experiments.holm import holm
from ragtriage.experiments.markdown import to_markdown
from ragtriage.experiments.table import Table, table_of
from ragtriage.experiments.versus import in_tokens, versus
from ragtriage.experiments.words import confirmed_sentence, winner_sentence
from ragtriage_tui.sweep_text import table_lines

LARGE = {"chunking.size": 400}
SMALL = {"chunking.size": 50}
NOW = [0.0] * 8 + [1.0] * 2
BETTER = [1.0] * 10
WORSE = [0.0] * 9 + [1.0]


def inside(values: list[float | None]) -> Any:
    there = [value for value in values if value is not None]
    return {"values": {1000: values}, "budgets": {1000: sum(there) / len(there)}}


@pytest.fixture
def table() -> Table:
    # at k the large chunks find all, inside 1,000 tokens less than today; the small ones find nothing new at k
    now = trial("now", [9] * 8 + [1] * 2, **inside(NOW))
    large = trial("large", [1] * 10, LARGE, **inside(WORSE))
    small = trial("small", [9] * 8 + [1] * 2, SMALL, **inside(BETTER))
    return table_of([now, large, small])


def test_the_comparison_by_the_budget_stands_beside_that_at_k(table: Table) -> None:
    _, large, small = table.rows
    assert table.budget == 1000
    assert table.current.inside is None
    assert large.versus is not None
    assert large.inside is not None
    assert small.inside is not None
    assert (large.versus.change, large.inside.change) == (0.8, -0.1)
    assert small.inside.change == 0.8
    p = [sign_flip([b - a for a, b in zip(NOW, other, strict=True)]).p for other in (WORSE, BETTER)]
    assert [large.inside.p, small.inside.p] == p
    assert [large.inside.p_holm, small.inside.p_holm] == holm(p)
    interval = difference_interval(NOW, BETTER)
    assert (small.inside.low, small.inside.high) == (interval.low, interval.high)


def test_what_is_said_of_the_winner_is_what_it_was_chosen_by(table: Table) -> None:
    said = winner_sentence(table)
    assert said.startswith("small finds most by recall in 1,000 tokens. Against the one in use: 0 won, 0 lost of 10 at k; ")
    assert "recall in 1,000 tokens +0.800 (95 %" in said
    assert said.endswith(" It is the best of 2 on these questions, which flatters it.")


def test_one_row_alone_was_chosen_from_nothing() -> None:
    table = table_of([trial("now", [9, 9]), trial("dense", [1, 1], {"retrieval.mode": "dense"})])
    assert table.budget is None
    assert table.rows[1].inside is None
    assert "flatters" not in winner_sentence(table)


def test_the_document_has_both(table: Table) -> None:
    document = to_json(table)
    assert document["budget"] == 1000
    row = document["rows"][1]
    assert (row["versus_current"]["change"], row["versus_current_in_budget"]["change"]) == (0.8, -0.1)


def test_a_question_that_failed_on_one_side_is_in_no_pair() -> None:
    values: list[float | None] = [0.0, 1.0, None]
    now, other = trial("now", [9, 1, "failed"], **inside(values))[1], trial("o", [1, 1, 1], **inside([1.0, 1.0, 1.0]))[1]
    found = in_tokens(versus(now, other), now, other, 1000)
    assert (found.n, found.change) == (2, 0.5)


def test_large_chunks_that_win_only_at_k_do_not_hold_on_the_holdout(table: Table) -> None:
    now, large, _ = table.rows
    assert large.versus is not None
    assert large.inside is not None
    found = Confirmed(now.run, large.run, large.inside, again=False, budget=1000)
    assert not found.holds
    assert "8 won, 0 lost of 10 at k, recall in 1,000 tokens -0.100 (95 % " in confirmed_sentence(found)
    assert "does not show on the holdout: 8 won" in confirmed_sentence(found)
    at_k = dataclasses.replace(found, versus=large.versus, budget=None)
    assert at_k.holds
    assert "may be chance" not in confirmed_sentence(at_k)


def test_sizes_in_tokens_of_another_model_are_said() -> None:
    other = {"embedding.model": "other/model"}
    table = table_of([trial("now", [1]), trial("other", [1], other), trial("same", [1], {"retrieval.mode": "dense"})])
    assert table.rows[1].notes == ("its sizes and budgets are in tokens of another model: not quite as much text",)
    assert not table.rows[2].notes


def test_change_and_p_are_those_of_what_rows_are_chosen_by_and_those_at_k_stand_beside_them(table: Table) -> None:
    _, large, small = table.rows
    columns = {column.key: column for column in columns_of(table)}
    assert large.deciding is large.inside
    assert (columns["change"].head, columns["p_holm"].head) == ("change @1k", "p @1k")
    assert [columns["change"].value(row) for row in table.rows] == [None, -0.1, 0.8]
    assert [columns["change_at_k"].value(row) for row in table.rows] == [None, 0.8, 0.0]
    assert small.inside is not None
    assert large.versus is not None
    assert columns["p_holm"].value(small) == small.inside.p_holm
    assert columns["p_holm_at_k"].value(large) == large.versus.p_holm
    assert "change_at_k" in to_csv(table).splitlines()[0].split(",")
    assert "| change @1k |" in to_markdown(table)
    head, _, line, _ = table_lines(table, everything=True)[:4]
    assert head.split()[1:3] == ["recall@5", "+/-@1k"]
    assert line.split()[1:4] == ["1.000", "-0.100", "+8"]


def test_where_recall_at_k_decides_there_is_one_change() -> None:
    table = table_of([trial("now", [9, 9]), trial("dense", [1, 1], {"retrieval.mode": "dense"})])
    columns = {column.key: column for column in columns_of(table)}
    assert (columns["change"].head, columns["p_holm"].head) == ("change", "p")
    assert columns["change"].value(table.rows[1]) == 1.0
    assert not {"change_at_k", "p_holm_at_k"} & columns.keys()
