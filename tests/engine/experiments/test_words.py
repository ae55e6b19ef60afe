"""What a sweep says of the configuration in use where that may not win."""

from __future__ import annotations

from tests.engine.experiments.tables import trial

from ragtriage.experiments.table import table_of
from ragtriage.experiments.words import adopting_sentence, winner_sentence

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


def test_what_is_adopted_says_its_flips_and_warns_of_a_loss() -> None:
    now, more = trial("now", [1, 7, 9], tokens=400.0), trial("more", [1, 7, 9], {"retrieval.k": 8}, k=8, tokens=640.0)
    base, row = table_of([now, more]).rows
    assert adopting_sentence(row, base) == (
        "Against now: 1 won, 0 lost of 3 at k, recall@5 to recall@8 +0.333. It sends 640 tokens a question in the place of 400."
    )
    assert adopting_sentence(base, row).startswith(
        "Careful, it is a loss at k against more: 0 won, 1 lost of 3 at k, recall@8 to recall@5 -0.333."
    )
    none, never = table_of([trial("now", ["failed"]), trial("never", ["failed"], DENSE)]).rows
    assert adopting_sentence(never, none) == "Against now nothing was measured on both sides."


def test_what_a_larger_k_would_find_without_it_is_said_where_it_is_known() -> None:
    sides = [trial("now", [1, 7], tokens=400.0), trial("more", [1, 7], {"retrieval.k": 8}, k=8, tokens=640.0)]
    sides[1][1].manifest["metrics"]["recall@5"] = {"value": 0.5, "n": 2}
    assert "in the place of 400; at k=5 it finds 0.500." in winner_sentence(table_of(sides))
