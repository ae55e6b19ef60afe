"""What new labels and what the retriever made of a change, over the questions whose words are the same."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.engine.measure.test_evaluate import make, question, ranking, scripted

from ragtriage.compare.comparison import compare
from ragtriage.compare.document import to_json
from ragtriage.compare.label_change import LabelChange, Unsplit
from ragtriage.compare.labels import label_splits
from ragtriage.measure.evaluate import evaluate
from ragtriage.measure.results import Run
from ragtriage.project import Project

REFUNDS = {"doc": "refunds", "quote": "within 30 days of delivery"}
SHIPPING = {"doc": "shipping", "quote": "We ship to Norway."}


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("RAGTRIAGE_HOME", str(tmp_path / "home"))
    return tmp_path / "handbook"


def measured(root: Path, golden: list[dict[str, object]], first: str) -> tuple[Run, Project]:
    project = make(root, golden, retrieval__k="1")
    scripted(project, {str(one["question"]): ranking(first) for one in golden})
    return evaluate(project, answers="none"), project


def test_a_relabelled_question_decides_nothing_and_has_its_share(root: Path) -> None:
    old, _ = measured(root, [question("a", "one", REFUNDS), question("b", "two", REFUNDS), question("c", "x", REFUNDS)],
                      "refunds#1")  # fmt: skip
    golden = [question("a", "one", REFUNDS), question("b", "two", SHIPPING), question("c", "other words", SHIPPING)]
    new, project = measured(root, golden, "refunds#1")
    found = compare(old, new)
    assert (found.common, found.apart.relabelled, found.apart.edited) == (("a",), ("b",), ("c",))
    assert found.flips == ()
    splits = label_splits(found, project)
    hit = splits["hit@1"]
    assert isinstance(hit, LabelChange)
    assert (hit.labels, hit.retriever, hit.n) == (-0.5, 0.0, 2)
    assert to_json(found, splits)["metrics"]["hit@1"]["split"]["labels"] == -0.5


def test_no_label_differs_so_nothing_is_split(root: Path) -> None:
    run, project = measured(root, [question("a", "one", REFUNDS)], "refunds#1")
    assert label_splits(compare(run, run), project) == {}


def test_a_head_that_is_not_of_today_says_why(root: Path) -> None:
    old, _ = measured(root, [question("a", "one", REFUNDS)], "refunds#1")
    new, _ = measured(root, [question("a", "one", SHIPPING)], "refunds#1")
    project = make(root, [question("a", "one", REFUNDS), question("b", "two", REFUNDS)])
    found = compare(old, new)
    splits = label_splits(found, project)
    assert all(isinstance(one, Unsplit) for one in splits.values())
    assert "golden set has changed" in to_json(found, splits)["metrics"]["mrr"]["split"]["why"]
