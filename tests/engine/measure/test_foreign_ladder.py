"""The ladder of a system that is not ours: what it did not return is its own, what our engine has is a probe."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ragtriage.measure.evaluate import evaluate
from ragtriage.measure.results import QuestionResult, Run
from ragtriage.measure.runs import RunStore
from ragtriage.project import Project
from ragtriage.types import AlsoAt

PAGE = "# Refunds\n\nGoods may be sent back within 30 days of delivery.\n"
OTHER = "# Shipping\n\nParcels leave on the next working day. We ship to Norway.\n"
LABEL = {"doc": "refunds", "quote": "within 30 days of delivery"}


def measured(root: Path, *hits: object, label: object = LABEL) -> Run:
    for name, text in (("refunds", PAGE), ("shipping", OTHER)):
        (root / "docs").mkdir(exist_ok=True)
        (root / "docs" / f"{name}.md").write_text(text, encoding="utf-8")
    (root / "evals").mkdir(exist_ok=True)
    question = {"qid": "q1", "question": "when may goods be sent back", "evidence": [label]}
    (root / "evals" / "golden.jsonl").write_text(json.dumps(question) + "\n", encoding="utf-8")
    (root / "said.jsonl").write_text(json.dumps({"qid": "q1", "hits": list(hits)}) + "\n", encoding="utf-8")
    overrides = ["retrieval.mode=bm25", "retrieval.system=recorded", "retrieval.recorded=said.jsonl", "retrieval.k=2"]
    project = Project.open(root, overrides=[*overrides, "retrieval.pool=3"])
    try:
        return evaluate(project, store=False)
    finally:
        project.close()


def one(root: Path, *hits: object, label: object = LABEL) -> QuestionResult:
    return measured(root, *hits, label=label).questions[0]


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("RAGTRIAGE_HOME", str(tmp_path / "home"))
    folder = tmp_path / "handbook"
    folder.mkdir()
    (folder / "ragtriage.toml").write_text("", encoding="utf-8")
    return folder


def test_what_it_missed_and_bm25_has(root: Path) -> None:
    result = one(root, "shipping#1")
    assert (result.status, result.suggested, result.lost_at) == ("missed", "not-retrieved", "system")
    rungs = [(rung.name, rung.state, rung.rank, rung.note) for rung in result.items[0].rungs]
    assert rungs == [
        ("corpus", "ok", None, "exact"), ("chunk", "skipped", None, ""), ("window", "skipped", None, ""),
        ("access", "ok", None, ""), ("bm25", "ok", 1, "probe"), ("system", "broken", None, ""), ("context", "broken", None, ""),
    ]  # fmt: skip
    assert result.items[0].stages == {"system": None}


def test_below_k_it_is_ranked_too_low(root: Path) -> None:
    result = one(root, "shipping#1", "unknown", "refunds#1")
    assert (result.status, result.suggested, result.lost_at, result.ranks) == ("missed", "ranked-too-low", "context", (3,))
    assert result.items[0].stages == {"system": 3}


def test_inside_k_it_has_one_stage(root: Path) -> None:
    result = one(root, "unknown", "refunds#1")
    assert (result.status, result.ranks, result.items[0].stage_ranks) == ("found", (2,), {"system": 2})


def test_two_of_its_passages_hold_it_together(root: Path) -> None:
    result = one(root, {"id": "a", "text": "Goods may be sent back within 30"}, {"id": "b", "text": "30 days of delivery."})
    assert (result.ranks, result.items[0].in_parts) == ((2,), True)
    assert not one(root, {"id": "a", "text": "may be sent back within 30 days of delivery"}).items[0].in_parts


def test_a_passage_that_is_joined_holds_the_evidence_of_each_of_its_places(root: Path) -> None:
    joined = {"id": "j", "text": "Parcels leave on the next working day. … Goods may be sent back within 30 days of delivery."}
    result = one(root, joined)
    assert (result.ranks, result.items[0].in_parts) == ((1,), False)
    assert result.places["j"] == ("refunds", 11, 60)
    assert result.also["j"] == (AlsoAt("shipping", 12, 49, 1),)
    assert one(root, joined, label={"doc": "shipping", "quote": "leave on the next working day"}).ranks == (1,)
    assert one(root, joined, label={"doc": "shipping", "quote": "We ship to Norway"}).ranks == (None,)
    assert one(root, joined, label="refunds").ranks == (1,)


def test_a_label_by_chunk_id_counts_by_its_place(root: Path) -> None:
    passage = {"id": "theirs", "text": "Goods may be sent back within 30 days of delivery."}
    assert one(root, passage, label={"chunk": "refunds#1"}).ranks == (1,)
    assert one(root, "refunds#1", label={"chunk": "refunds#1"}).ranks == (1,)


def test_a_question_that_the_file_does_not_have_failed(root: Path) -> None:
    measured(root)
    (root / "said.jsonl").write_text('{"qid": "other", "hits": []}\n', encoding="utf-8")
    project = Project.open(
        root, overrides=["retrieval.mode=bm25", "retrieval.system=recorded", "retrieval.recorded=said.jsonl"]
    )
    result = evaluate(project, store=False).questions[0]
    project.close()
    assert (result.status, result.reason) == ("failed", "said.jsonl has nothing for this question")


def test_a_stored_run_has_its_places(root: Path, tmp_path: Path) -> None:
    text = "Goods may be sent back within 30 days"
    run = measured(
        root, {"id": "a", "text": text}, "unknown", {"id": "b", "text": f"{text} … Parcels leave on the next working day"}
    )
    store = RunStore(tmp_path / "runs")
    saved = store.save(run)
    assert store.load(saved.id).questions == run.questions
    assert run.questions[0].places == {"a": ("refunds", 11, 48), "b": ("refunds", 11, 48), "unknown": None}
    assert run.questions[0].also == {"b": (AlsoAt("shipping", 12, 49, 1),)}
    assert store.load(saved.id, rankings=False).questions[0].places == {}


def test_a_passage_that_comes_again_has_the_first_of_its_ranks(root: Path) -> None:
    result = one(root, "shipping#1", "shipping#1", "refunds#1")
    assert (result.repeated, result.ranks) == (1, (3,))
    assert [(rank, hit.chunk_id) for rank, hit in result.placed] == [(1, "shipping#1"), (3, "refunds#1")]
