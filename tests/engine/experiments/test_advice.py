"""What is claimed of a lever is claimed of those that were tried."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tests.engine.experiments.tables import trial

from ragtriage.experiments.advice import advice_for, advice_for_all
from ragtriage.experiments.levers import Lever
from ragtriage.experiments.versus import versus
from ragtriage.experiments.what_if import Cost, Tried, WhatIf

NOW = trial("now", [9, 1])[1]


def tried(name: str, ranks: Sequence[int], settings: Mapping[str, Any]) -> Tried:
    candidate, run = trial(name, ranks, settings)
    return Tried(Lever("mode", name, candidate), Cost(0, 0, 0), run, versus(NOW, run))


def untried(name: str) -> Tried:
    return Tried(Lever("size", name, trial(name, [])[0]), Cost(50, 50, 0), None, None)


DENSE = tried("dense", [1, 1], {"retrieval.mode": "dense"})
BM25 = tried("bm25", [9, 1], {"retrieval.mode": "bm25"})
ZSCORE = tried("zscore", [2, 9], {"retrieval.fusion": "zscore"})


def test_the_only_lever_of_all() -> None:
    said = advice_for(WhatIf(NOW, (DENSE, BM25)), "q0")
    assert said == "Dense brings it inside k, the only lever that does. Of the other questions it mends 0 and breaks 0."


def test_the_only_lever_of_those_that_were_tried() -> None:
    said = advice_for(WhatIf(NOW, (DENSE, BM25, untried("size 32"))), "q0")
    assert "the only lever that does of the 2 levers tried." in said


def test_the_cheapest_of_several() -> None:
    said = advice_for(WhatIf(NOW, (ZSCORE, DENSE, untried("size 32"))), "q0")
    assert "the cheapest of 2 levers that do." in said


def test_levers_that_need_texts_embedded_are_counted() -> None:
    one, two = WhatIf(NOW, (BM25, untried("size 32"))), WhatIf(NOW, (BM25, untried("size 32"), untried("size 64")))
    assert advice_for(one, "q0").endswith("1 lever needs texts embedded first.")
    assert advice_for(two, "q0").endswith("2 levers need texts embedded first.")


def test_nothing_is_said_to_be_lost_only_where_it_was_measured() -> None:
    def said(*ranks: int | str) -> list[str]:
        return advice_for_all(WhatIf(trial("now", ranks)[1], ()))

    assert said(1, 2) == ["Nothing is lost: the evidence of every question is inside k."]
    assert said("failed", "failed") == [
        "Of 2 questions 2 not measured (q0: timed out): what these lose is not known.",
    ]
    assert said("failed", 1)[1:] == ["Nothing is lost: the evidence of every question that was measured is inside k."]
    assert said("failed", 9)[0].startswith("Of 2 questions 1 not measured")
    assert said() == ["No question has evidence to be found, so no lever can be told from another."]
