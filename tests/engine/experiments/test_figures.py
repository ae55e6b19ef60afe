"""The figures of a trial against values counted by hand: tokens are words here, and pages are their own chunks."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.engine.experiments.planted import embed, vector, write_model

from ragtriage.experiments.figures import BUDGETS
from ragtriage.experiments.trial import Trials
from ragtriage.measure.results import Run
from ragtriage.project import Project
from ragtriage.search.vectors_cache import VectorCache, key_of

CONFIG = """[chunking]
strategy = "whole"
heading_prefix = false
[embedding]
model = "model"
[retrieval]
k = 2
mode = "bm25"
"""
PAGES = {
    # the more often a page says it, the higher it comes: a, b, c
    "a": " ".join(["quince"] * 3 + ["stone"] * 597),
    "b": " ".join(["quince"] * 2 + ["stone"] * 588 + [f"end{place}" for place in range(10)]),
    "c": " ".join(["quince", *["stone"] * 599]),
    "d": " ".join(["medlar"] * 2 + ["pebble"] * 28),
}
END = " ".join(f"end{place}" for place in range(10))


def trial(root: Path, questions: list[dict[str, Any]], config: str = CONFIG) -> Run:
    for name, text in PAGES.items():
        (root / "docs").mkdir(parents=True, exist_ok=True)
        (root / "docs" / f"{name}.txt").write_text(text, encoding="utf-8")
    (root / "evals").mkdir()
    (root / "evals" / "golden.jsonl").write_text("".join(json.dumps(one) + "\n" for one in questions), encoding="utf-8")
    (root / "ragtriage.toml").write_text(config, encoding="utf-8")
    write_model(root / "model")
    project = Project.open(root)
    if "bm25" not in config:
        embed(project, [project.config])
    run = Trials(project).make(project)
    assert project.encoder.encoded == 0
    return run


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAGTRIAGE_HOME", str(tmp_path / "home"))


def asked(qid: str, question: str, *evidence: dict[str, Any]) -> dict[str, Any]:
    return {"qid": qid, "question": question, "evidence": list(evidence)}


def test_budgets_take_whole_pages_and_of_the_next_its_beginning(tmp_path: Path) -> None:
    run = trial(tmp_path / "p", [asked("q", "quince", {"doc": "b", "quote": END})])
    figures = run.manifest["sweep"]
    # 600 tokens of a, and 400 of b, whose end is not among them; then all of b
    assert figures["budget_values"] == {"250": [0.0], "500": [0.0], "1000": [0.0], "2000": [1.0], "4000": [1.0]}
    assert figures["budgets"] == {"250": 0.0, "500": 0.0, "1000": 0.0, "2000": 1.0, "4000": 1.0}
    assert figures["short"] == [2000, 4000]  # a, b and c have 1,800
    assert figures["chunks"] == 4
    assert (figures["texts"], figures["unembedded"]) == (0, 0.0)
    assert figures["coarse"] == 0
    assert figures["spec"] == "whole"


def test_token_figures(tmp_path: Path) -> None:
    found = asked("q1", "quince", {"doc": "b", "quote": END})
    lost = asked("q2", "quince", {"doc": "c", "quote": "quince stone stone stone"})
    both = asked("q3", "medlar", {"doc": "d", "quote": "medlar medlar"}, {"doc": "b", "quote": END})
    figures = trial(tmp_path / "p", [found, lost, both]).manifest["sweep"]["tokens"]
    assert figures["n"] == 3
    # q1: a and b, 1,200 tokens with 10 of 10; q2: the same with 0 of 4; q3: d, 30 tokens with 2 of 12
    assert figures["recall"] == pytest.approx((1 + 0 + 2 / 12) / 3, abs=1e-6)
    assert figures["precision"] == pytest.approx((10 / 1200 + 0 + 2 / 30) / 3, abs=1e-6)
    assert figures["iou"] == pytest.approx((10 / 1200 + 0 + 2 / (30 + 10)) / 3, abs=1e-6)


def test_what_is_no_quote_is_counted_and_not_in_the_token_figures(tmp_path: Path) -> None:
    run = trial(
        tmp_path / "p",
        [
            asked("q1", "quince", {"doc": "a"}),
            asked("q2", "quince", {"doc": "b", "quote": END}, {"doc": "a"}),
            asked("q3", "quince", {"doc": "b", "quote": END}),
            {"qid": "q4", "question": "nothing", "answerable": False},
            {"qid": "q5", "question": "not labelled"},
        ],
    )
    figures = run.manifest["sweep"]
    assert figures["coarse"] == 2
    assert figures["tokens"]["n"] == 1
    assert figures["budget_values"]["1000"] == [1.0, 0.5, 0.0, None, None]
    assert figures["budgets"]["1000"] == 0.5


def test_nothing_to_measure(tmp_path: Path) -> None:
    figures = trial(tmp_path / "p", [{"qid": "q", "question": "not labelled"}]).manifest["sweep"]
    assert figures["budgets"] == {str(budget): None for budget in BUDGETS}
    assert figures["tokens"] == {"recall": None, "precision": None, "iou": None, "n": 0}
    assert figures["short"] == []


def test_what_lies_beyond_the_window(tmp_path: Path) -> None:
    dense = CONFIG.replace("bm25", "dense")
    figures = trial(tmp_path / "p", [asked("q", "quince", {"doc": "b", "quote": END})], dense).manifest["sweep"]
    assert figures["texts"] == 4
    # of three pages of 600 tokens all beyond the first 510, of one of 30 none
    assert figures["unembedded"] == pytest.approx(3 * 90 / 1830, abs=1e-6)


def test_times_stand_apart_from_what_was_measured(tmp_path: Path) -> None:
    run = trial(tmp_path / "p", [asked("q", "quince", {"doc": "b", "quote": END})])
    (timings,) = run.timings
    assert set(timings) == {
        "cut_s", "index_s", "embed_s", "embedded", "encoded", "index_bytes", "query_ms", "query_ms_p95",
    }  # fmt: skip
    assert timings["index_bytes"] > 0
    assert timings["cut_s"] is not None
    assert timings["embed_s"] is None
    assert not set(timings) & set(run.manifest["sweep"])
    assert "encoded" not in run.manifest


@pytest.mark.parametrize("mode", ["bm25", "dense"])
def test_sentences_that_decide_the_cuts_are_embedded_texts(tmp_path: Path, mode: str) -> None:
    config = CONFIG.replace("bm25", mode).replace('"whole"', '"semantic"\nsize = 8\nbreak_at = "absolute"\nthreshold = 2.0')
    root = tmp_path / "p"
    for name, text in {"a": "The quince is ripe. The medlar is not. It is early.", "b": "It is early."}.items():
        (root / "docs").mkdir(parents=True, exist_ok=True)
        (root / "docs" / f"{name}.txt").write_text(text, encoding="utf-8")
    (root / "evals").mkdir()
    question = asked("q", "quince", {"doc": "a", "quote": "The quince is ripe."})
    (root / "evals" / "golden.jsonl").write_text(json.dumps(question) + "\n", encoding="utf-8")
    (root / "ragtriage.toml").write_text(config, encoding="utf-8")
    write_model(root / "model")
    project = Project.open(root)
    sentences = ["The quince is ripe.", "The medlar is not.", "It is early."]
    cache = VectorCache(project.cache / "vectors.sqlite")
    cache.put({key_of(project.encoder.fingerprint, text): vector(text, "model") for text in sentences})
    cache.close()
    embed(project, [project.config])
    run = Trials(project).make(project)
    assert project.encoder.encoded == 0
    # 11 words go into two pieces of at most 8, of which "It is early." is a sentence as well and stands twice
    assert run.manifest["sweep"]["chunks"] == 3
    assert run.manifest["sweep"]["texts"] == (3 if mode == "bm25" else 3 + 1)
