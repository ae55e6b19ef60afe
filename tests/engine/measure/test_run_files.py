from __future__ import annotations

import math

import pytest

from ragtriage.measure.results import ItemResult, QuestionResult, Run
from ragtriage.measure.run_files import document_named, judgements_of, rankings_of
from ragtriage.types import Hit


def item(doc: str, gain: float = 1.0, *spans: tuple[str, int, int]) -> ItemResult:
    return ItemResult("document", doc, (), "", gain, "exact", False, False, spans, None, "", ())


def question(qid: str, *hits: Hit, items: tuple[ItemResult, ...] = (), failed: bool = False) -> QuestionResult:
    status = "failed" if failed else "missed" if items else "unlabelled"
    return QuestionResult(qid, "", "dev", "all", status, items, rr=0.0 if items and not failed else None, hits=hits)


def test_scores_never_rise_down_a_ranking() -> None:
    hits = (Hit("a#2", 1.0), Hit("b#1", 3.0), Hit("a#1", math.nan), Hit("c#1", 0.5), Hit("d", math.nan))
    run = Run("r", {}, (question("1", *hits), question("2", failed=True)))
    assert rankings_of(run) == {"1": {"a#2": 1.0, "b#1": 1.0, "a#1": 0.0, "c#1": 0.0, "d": 0.0}}
    assert list(rankings_of(run, document_named)["1"].items()) == [("a", 1.0), ("b", 1.0), ("c", 0.5), ("d", 0.0)]


def test_judgements_are_the_documents_of_the_evidence() -> None:
    several = (item("a", 1.0, ("a", 0, 1), ("also", 0, 1)), item("a", 2.0, ("a", 5, 6)), item("gone"))
    run = Run("r", {}, (question("1", items=several), question("2"), question("3", items=(item("b"),), failed=True)))
    assert judgements_of(run) == {"1": {"a": 2.0, "also": 1.0, "gone": 1.0}, "3": {"b": 1.0}}


@pytest.mark.parametrize(("chunk", "doc"), [("a#1", "a"), ("a#b#12", "a#b"), ("a#b", "a#b"), ("#1", "#1"), ("a", "a")])
def test_a_chunk_names_its_document(chunk: str, doc: str) -> None:
    assert document_named(chunk) == doc
