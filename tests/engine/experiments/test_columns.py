"""The titles of columns where rows differ in k, and the budgets that the text shows."""

from __future__ import annotations

from tests.engine.experiments.tables import trial

from ragtriage.experiments.columns import columns_of
from ragtriage.experiments.markdown import to_markdown
from ragtriage.experiments.svg import to_svg
from ragtriage.experiments.table import table_of
from ragtriage_tui.sweep_text import table_lines

LARGE = {"chunking.size": 400}


def test_a_title_names_k_where_all_rows_have_it() -> None:
    table = table_of([trial("now", [1, 7]), trial("dense", [1, 7], {"retrieval.mode": "dense"})])
    heads = [column.head for column in columns_of(table)]
    assert heads[0] == "recall@5"
    assert "hit@5" in heads
    assert heads.count("recall@5") == 1
    assert "recall@5 by median search time" in to_svg(table, "latency")


def test_a_title_names_no_k_where_rows_differ_in_it() -> None:
    table = table_of([trial("now", [1, 7]), trial("ten", [1, 7], {"retrieval.k": 10}, k=10)])
    heads = [column.head for column in columns_of(table)]
    assert heads[0] == "recall@k"
    assert "hit@k" in heads
    assert [head for head in heads if head.startswith("recall@")][1:] == ["recall@5", "recall@10", "recall@20"]
    assert "recall@k by median search time" in to_svg(table, "latency")
    assert "recall@k" in table_lines(table)[0]


def test_the_text_shows_the_budget_that_decides() -> None:
    small, large = (table_of([trial("now", [1], tokens=tokens), trial("large", [1], LARGE)]) for tokens in (900.0, 9000.0))
    assert (small.budget, large.budget) == (1000, 4000)
    assert table_lines(small)[0].split()[-4:] == ["@1k", "@2k", "p50", "ms"]
    assert table_lines(large)[0].split()[-4:] == ["@2k", "@4k", "p50", "ms"]


def test_small_prompts_are_compared_by_a_budget_of_their_size_which_is_shown_then() -> None:
    at = {tokens: table_of([trial("now", [1], tokens=tokens), trial("large", [1], LARGE)]) for tokens in (130.0, 400.0, 800.0)}
    assert [table.budget for table in at.values()] == [250, 500, 1000]
    assert at[130.0].by == "recall in 250 tokens"
    keys = {tokens: [column.key for column in columns_of(table)] for tokens, table in at.items()}
    shown = {
        tokens: [key for key in found if key.endswith("_tokens") and key != "context_tokens"] for tokens, found in keys.items()
    }
    always = ["recall@1000_tokens", "recall@2000_tokens", "recall@4000_tokens"]
    assert shown == {130.0: ["recall@250_tokens", *always], 400.0: ["recall@500_tokens", *always], 800.0: always}
    assert [column.head for column in columns_of(at[130.0])][:6] == ["recall@5", "change @250", "won", "lost", "@250", "@1k"]
    assert table_lines(at[130.0])[0].split()[1:] == ["recall@5", "+/-@250", "flips@k", "@250", "@1k", "p50", "ms"]
    assert ">250<" in to_svg(at[130.0])
    assert "| @250 |" in to_markdown(at[130.0])


def test_a_pool_that_does_not_fill_the_budget_that_decides() -> None:
    table = table_of([trial("now", [1], tokens=9000.0), trial("small", [1], {"chunking.size": 32}, short=[2000, 4000])])
    (note,) = table.rows[1].notes
    assert note == "its pool does not fill the 4,000 tokens that decide: a larger one might find more"
