"""What the public sets must come to, through whole evaluations. Skipped where a set is not on this machine."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.benchmarks.baselines import PlainBm25, measured_with
from tests.benchmarks.code_pages import FAMILIES, write_pages
from tests.engine.metrics.rankings import ORACLE, oracle
from tests.shared_data import shared
from tests.soak import rounds

from ragtriage.measure.evaluate import evaluate
from ragtriage.metrics.base import Metric, parse_metric
from ragtriage.project import Project

SETS = ("cranfield", "mongodb-faq", "clapnq-dev", "chunking-eval")
FLOORS = {"cranfield": 0.36, "mongodb-faq": 0.69}


@pytest.fixture(autouse=True)
def _home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAGTRIAGE_HOME", str(tmp_path / "home"))


@pytest.mark.parametrize("name", SETS)
def test_bm25_is_as_good_as_a_plain_one(name: str) -> None:
    project = Project.open(shared(name), overrides=["retrieval.mode=bm25"])
    ours = measured_with(project)
    assert ours >= FLOORS.get(name, 0.0)
    project.__dict__["system"] = PlainBm25(project)
    assert ours >= measured_with(project) - 0.01


@pytest.mark.parametrize("family", FAMILIES)
def test_a_code_finds_its_page_among_pages_that_differ_in_nothing_else(tmp_path: Path, family: str) -> None:
    write_pages(tmp_path / "codes", family, rounds(120, 300))
    assert measured_with(Project.open(tmp_path / "codes"), "hit@5") >= 0.98


def test_every_range_of_chunking_eval_is_found_and_no_metric_exceeds_1() -> None:
    project = Project.open(shared("chunking-eval"), overrides=["retrieval.mode=bm25"])
    run = evaluate(project, answers="none", store=False)
    items = [item for question in run.questions for item in question.items]
    assert len(items) == 790
    assert {item.how for item in items} == {"exact"}
    assert sum(not item.ambiguous for item in items) == 693
    assert sum(item.ambiguous for item in items) == run.manifest["ambiguous"] == 97
    names = [f"{family}@{k}" for family in ("recall", "hit", "ndcg") for k in (1, 3, 5, 10, 20)] + ["mrr", "recall@pool"]
    for question in run.questions:
        ranks, gains = [item.rank for item in question.items], [item.gain for item in question.items]
        for name in names:
            value = parse_metric(name).of(ranks, gains)
            assert value is not None
            assert 0 <= value <= 1, (question.qid, name)
    assert all(0 <= mean["value"] <= 1 for mean in run.manifest["metrics"].values())


def test_the_metrics_of_a_whole_run_equal_trec_eval() -> None:
    folder = shared("cranfield")
    run = evaluate(Project.open(folder, overrides=["retrieval.mode=bm25"]), answers="none", store=False)
    qrels: dict[str, dict[str, int]] = {}
    for line in (folder / "qrels.tsv").read_text(encoding="utf-8").splitlines()[1:]:
        qid, doc, grade = line.split("\t")
        qrels.setdefault(qid, {})[doc] = int(grade)
    expected = oracle({question.qid: [hit.chunk_id for hit in question.hits] for question in run.questions}, qrels)
    assert {question.qid for question in run.questions} == set(expected)
    for question in run.questions:
        ranks, gains = [item.rank for item in question.items], [item.gain for item in question.items]
        for metric, name in ORACLE.items():
            assert metric.of(ranks, gains) == pytest.approx(expected[question.qid][name], abs=5e-5), (question.qid, name)
    for metric, name in ORACLE.items():
        if metric == Metric("ndcg", "pool"):
            continue  # compared above; a run does not keep its mean
        mean = sum(values[name] for values in expected.values()) / len(expected)
        assert run.manifest["metrics"][str(metric)]["value"] == pytest.approx(mean, abs=5e-5), name
