"""What a sweep says of the configuration in use where that may not win."""

from __future__ import annotations

from tests.engine.experiments.tables import trial

from ragtriage.experiments.table import table_of
from ragtriage.experiments.words import winner_sentence

DENSE = {"retrieval.mode": "dense"}


def test_where_nothing_beats_a_barred_configuration_it_is_said_to_be_barred_and_why() -> None:
    table = table_of([trial("now", [1, 1], unembedded=0.11), trial("dense", [1, 9], DENSE)])
    assert table.winner is None
    assert winner_sentence(table) == (
        "Nothing beats the configuration in use, now, by recall@5. It could not win itself: 11% of its tokens are beyond the "
        "encoder's window."
    )
    both = table_of([trial("now", [1, "failed"], unembedded=0.11), trial("dense", [1, 9], DENSE)])
    said = winner_sentence(both)
    assert "It could not win itself: 11% of its tokens are beyond the encoder's window; 1 not measured" in said
    assert "never" not in said


def test_a_budget_in_which_all_is_found_is_said_to_tell_nothing_apart() -> None:
    def said(found: float) -> str:
        sides = [("now", [9, 1], {}), ("small", [1, 1], {"chunking.size": 64})]
        return winner_sentence(table_of([trial(name, ranks, keys, budgets={1000: found}) for name, ranks, keys in sides]))

    assert said(1.0).endswith("none could find more: that budget cannot tell them apart on these questions.")
    assert said(0.5).endswith("by recall in 1,000 tokens.")


def test_otherwise_nothing_is_added() -> None:
    table = table_of([trial("now", [1, 1], coarse=2), trial("dense", [1, 9], DENSE)])
    assert winner_sentence(table) == "Nothing beats the configuration in use, now, by recall@5."
