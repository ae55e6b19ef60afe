"""What happened to the passage that holds the evidence, in words."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.engine.compare.comparing import item
from tests.engine.measure.test_evaluate import make, question

from ragtriage.compare.chunks import ChunkTable, Passage, chunk_table, chunk_tables, what_happened
from ragtriage.measure.evaluate import evaluate
from ragtriage.measure.results import ItemResult


def table(*cuts: tuple[int, int], digest: str = "d1") -> ChunkTable:
    return ChunkTable({"d": digest}, {"d": [Passage(at, *cut, cut[1] - cut[0]) for at, cut in enumerate(cuts, start=1)]})


def at(start: int, end: int, how: str = "exact") -> ItemResult:
    return item(1, spans=(("d", start, end),), how=how)


@pytest.mark.parametrize(
    ("base", "head", "says"),
    [
        (table((0, 97), (97, 241)), table((0, 241)), "#1 (97 tokens) is now part of #1 (241 tokens)"),
        (table((0, 241)), table((0, 12), (12, 241)), "#1 (241 tokens) is now split over #1 (12 tokens) and #2 (229 tokens)"),
        (table((0, 12), (12, 241)), table((0, 241)), "#1 (12 tokens) and #2 (229 tokens) are now in #1 (241 tokens)"),
        (table((0, 241)), table((0, 100), (100, 241)), "#1 (241 tokens) was cut down to #1 (100 tokens)"),
        (table((5, 100)), table((0, 90)), "#1 (95 tokens) is now #1 (90 tokens)"),
        (table((0, 9), (9, 99)), table((9, 99)), "#2 (90 tokens) is now #1"),
        (table((0, 12), (12, 99)), table((0, 11), (11, 99)), "#1 (12 tokens) and #2 (87 tokens) are now #1 (11 tokens) and "
         "#2 (88 tokens)"),
        (table((0, 99)), table((0, 99)), ""),
        (table((0, 99)), table((0, 99), digest="d2"), "its page was edited"),
        (table((0, 99)), table((0, 98), digest="d2"), "its page was edited: #1 (99 tokens) is now #1 (98 tokens)"),
    ],
)  # fmt: skip
def test_how_the_cut_changed(base: ChunkTable, head: ChunkTable, says: str) -> None:
    assert what_happened(at(10, 20), at(10, 20), base, head) == says


def test_evidence_that_is_gone_and_a_label_that_counts_by_document() -> None:
    one = table((0, 99))
    gone = item(None, spans=(), how="missing-document")
    assert what_happened(at(1, 2), gone, one, one) == "its document is no longer in the corpus"
    assert what_happened(gone, at(1, 2), one, one) == "its document is new in the corpus"
    assert what_happened(gone, gone, one, one) == ""
    assert what_happened(at(1, 2), gone, None, None) == "its document is no longer in the corpus"
    assert what_happened(item(1, spans=()), gone, None, None) == "its document is no longer in the corpus"  # of a baseline
    assert what_happened(at(1, 2), at(5, 6), None, None) == ""
    assert what_happened(at(0, 99, "stale"), at(1, 2, "chunk"), one, table((0, 50))) == ""


def test_the_cuts_of_stored_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAGTRIAGE_HOME", str(tmp_path / "home"))
    text = "# Refunds\n\n" + "\n\n".join(f"Sentence number {n} stands here and says nothing much." for n in range(40))
    golden = [question("q1", "which sentence is twenty", {"doc": "refunds", "quote": "Sentence number 20 stands here"})]
    runs = [
        evaluate(make(tmp_path / "book", golden, {"refunds": text}, chunking__size=size), answers="none")
        for size in ("200", "60")
    ]
    cache = make(tmp_path / "book", golden, {"refunds": text}).cache
    tables = chunk_tables(runs[0], runs[1], cache)
    assert tables[0] is not None
    assert tables[1] is not None
    assert len(tables[0].passages["refunds"]) < len(tables[1].passages["refunds"])
    old, new = (one.questions[0].items[0] for one in runs)
    assert what_happened(old, new, tables[0], tables[1]) == "#2 (130 tokens) was cut down to #4 (60 tokens)"
    assert chunk_tables(runs[0], runs[0], cache) == (None, None)
    assert chunk_table(runs[0], tmp_path / "nothing") is None
