"""A change of a metric, split into what the labels and what the retriever made of it."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

import pytest
from tests.engine.measure.test_evaluate import PAGES, make, question, ranking, scripted

from ragtriage.compare.label_change import LabelChange, Unsplit, split_change
from ragtriage.measure.corpus_then import documents_then
from ragtriage.measure.evaluate import evaluate
from ragtriage.measure.results import Run
from ragtriage.metrics.base import Metric
from ragtriage.project import Project

HIT = Metric("hit", 1)
LABEL = {"doc": "refunds", "quote": "within 30 days of delivery"}
OTHER = {"doc": "shipping", "quote": "We ship to Norway."}


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("RAGTRIAGE_HOME", str(tmp_path / "home"))
    return tmp_path / "handbook"


def measured(root: Path, *labels: object, first: str, pages: dict[str, str] = PAGES, **config: str) -> tuple[Run, Project]:
    """A run in which every question finds the passage `first`; one question a label."""
    golden = [question(f"q{at}", f"text {at}", label) for at, label in enumerate(labels)]
    project = make(root, golden, pages, **config)
    scripted(project, {f"text {at}": ranking(first) for at in range(len(labels))})
    return evaluate(project, answers="none"), project


def split(old: Run, new: Run, project: Project) -> LabelChange:
    found = split_change(old, new, project, HIT)
    assert isinstance(found, LabelChange), found
    return found


def test_a_change_of_labels_alone(root: Path) -> None:
    old, _ = measured(root, LABEL, LABEL, first="refunds#1")
    new, project = measured(root, LABEL, OTHER, first="refunds#1")
    found = split(old, new, project)
    assert (found.old, found.old_with_new_labels, found.new) == (1.0, 0.5, 0.5)
    assert (found.labels, found.retriever, found.n, found.relabelled) == (-0.5, 0.0, 2, 1)


def test_a_change_of_the_retriever_alone(root: Path) -> None:
    old, _ = measured(root, LABEL, first="errors#1")
    new, project = measured(root, LABEL, first="refunds#1")
    found = split(old, new, project)
    assert (found.labels, found.retriever, found.relabelled) == (0.0, 1.0, 0)


def test_both_at_once(root: Path) -> None:
    old, _ = measured(root, LABEL, LABEL, first="refunds#1")
    new, project = measured(root, LABEL, OTHER, first="shipping#1")
    found = split(old, new, project)
    assert (found.old, found.old_with_new_labels, found.new) == (1.0, 0.5, 0.5)
    assert found.labels + found.retriever == found.new - found.old


def test_another_chunking_is_read_from_the_cache(root: Path) -> None:
    old, _ = measured(root, LABEL, OTHER, first="refunds#1", chunking__strategy="whole")
    new, project = measured(root, OTHER, OTHER, first="refunds#1", chunking__size="8")
    assert old.manifest["chunk_fingerprint"] != new.manifest["chunk_fingerprint"]
    found = split(old, new, project)
    assert (found.old, found.old_with_new_labels, found.new, found.relabelled) == (0.5, 0.0, 0.0, 1)
    for path in (project.cache / "chunks").glob("*.chunks"):
        path.unlink()
    found = split(old, new, project)
    assert found.left_out == {"the older run's chunks are no longer in the cache": ("q0",)}


def test_documents_that_changed_are_left_out_where_they_hold_the_evidence(root: Path) -> None:
    old, _ = measured(root, LABEL, LABEL, first="refunds#1")
    pages = {**PAGES, "refunds": PAGES["refunds"].replace("# Refunds", "# Returns")}
    moved = {"doc": "refunds", "quote": "We pay the way back."}
    new, project = measured(root, LABEL, moved, first="refunds#1", pages=pages)
    found = split(old, new, project)
    assert (found.n, found.left_out) == (1, {"a document that holds the evidence has changed since the older run": ("q1",)})
    new, project = measured(root, LABEL, OTHER, first="refunds#1", pages=pages)
    found = split(old, new, project)
    assert (found.n, found.old_with_new_labels) == (2, 0.5), "no passage of its document was in the old ranking that changed"
    assert documents_then(project, "0" * 16) is None


def test_what_cannot_be_split_says_why(root: Path) -> None:
    old, _ = measured(root, LABEL, first="refunds#1")
    new, project = measured(root, OTHER, first="refunds#1")
    older = dataclasses.replace(old, manifest={key: value for key, value in old.manifest.items() if key != "chunk_fingerprint"})
    found = split_change(older, new, project, HIT)
    assert found == Unsplit("the older run does not say how it was chunked (q0)")
    found = split_change(new, old, project, HIT)
    assert isinstance(found, Unsplit)
    assert "golden set has changed" in found.why
    empty = dataclasses.replace(old, questions=())
    assert split_change(empty, new, project, HIT) == Unsplit("no question has a value in both runs")


def test_obsolete_questions_leave_every_mean_and_are_counted(root: Path) -> None:
    golden = [question("q0", "text", LABEL), question("q1", "text", LABEL, obsolete="2026-01-01")]
    project = make(root, golden)
    run = evaluate(project, answers="none")
    assert ([one.qid for one in run.questions], run.manifest["obsolete"]) == (["q0"], 1)
    assert json.loads((root / "evals" / "golden.jsonl").read_text(encoding="utf-8").splitlines()[1])["obsolete"]
