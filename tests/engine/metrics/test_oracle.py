"""Metrics against trec_eval: on random rankings, and on the outputs that its authors and others committed."""

from __future__ import annotations

import random
from collections import defaultdict
from pathlib import Path

import pytest
from tests.engine.metrics.rankings import ORACLE, oracle, ranks_of
from tests.shared_data import shared
from tests.soak import rounds

from ragtriage.metrics.base import parse_metric


def test_random_rankings_equal_trec_eval() -> None:
    generator = random.Random(11)
    for _ in range(rounds(60, 3_000)):
        docs = [f"d{number}" for number in range(generator.randint(1, 60))]
        qrels, rankings = {}, {}
        for qid in ("q1", "q2", "q3"):
            judged = generator.sample(docs, generator.randint(1, len(docs)))
            qrels[qid] = {doc: generator.choice((0, 1, 1, 2, 4)) for doc in judged}
            qrels[qid][judged[0]] = generator.choice((1, 3))
            retrieved = generator.choice((0, 1, len(docs), generator.randint(0, len(docs))))
            rankings[qid] = generator.sample(docs, retrieved)
        expected = oracle(rankings, qrels)
        for qid in qrels:
            for metric, name in ORACLE.items():
                got = metric.of(*ranks_of(rankings[qid], qrels[qid]))
                assert got == pytest.approx(expected[qid][name], abs=5e-5), (metric, rankings[qid], qrels[qid])


def _qrels(path: Path) -> dict[str, dict[str, int]]:
    qrels: dict[str, dict[str, int]] = defaultdict(dict)
    for line in path.read_text(encoding="utf-8").splitlines():
        qid, _, doc, grade = line.split()
        qrels[qid][doc] = int(grade)
    return qrels


def _run(path: Path) -> dict[str, list[str]]:
    """Rankings as trec_eval orders them: by score, ties by id descending, whatever the rank column says."""
    scored: dict[str, list[tuple[float, str]]] = defaultdict(list)
    for line in path.read_text(encoding="utf-8").splitlines():
        qid, _, doc, _, score, *_ = line.split()
        scored[qid].append((float(score), doc))
    return {qid: [doc for _, doc in sorted(pairs, reverse=True)] for qid, pairs in scored.items()}


NAMES = {
    "recall_5": "recall@5", "recall_10": "recall@10", "recall_20": "recall@20", "success_1": "hit@1", "success_5": "hit@5",
    "success_10": "hit@10", "recip_rank": "mrr", "ndcg_cut_5": "ndcg@5", "ndcg_cut_10": "ndcg@10", "ndcg_cut_20": "ndcg@20",
    "ndcg": "ndcg@pool",
}  # fmt: skip


def _compare(qrels: dict[str, dict[str, int]], run: dict[str, list[str]], expected: Path) -> int:
    compared = 0
    for line in expected.read_text(encoding="utf-8").splitlines():
        columns = line.split()
        if len(columns) != 3 or columns[1] == "all" or columns[0] not in NAMES:
            continue
        name, qid, value = columns
        ranks, gains = ranks_of(run.get(qid, []), qrels[qid])
        got = parse_metric(NAMES[name]).of(ranks, gains) if ranks else 0.0
        assert got == pytest.approx(float(value), abs=5.1e-5), (name, qid)
        compared += 1
    return compared


@pytest.mark.parametrize(
    ("qrels", "run", "expected"),
    [("qrels.test", "results.test", "out.test.aq"), ("qrels.test", "results.trunc", "out.test.aqc")],
)
def test_the_official_trec_eval_outputs(qrels: str, run: str, expected: str) -> None:
    folder = shared("trec-eval-fixtures") / "trec_eval"
    assert _compare(_qrels(folder / qrels), _run(folder / run), folder / expected) >= 3 * len(NAMES)


def test_graded_cranfield() -> None:
    folder = shared("trec-eval-fixtures") / "cranfield-graded"
    assert _compare(_qrels(folder / "qrels.txt"), _run(folder / "bm25.run"), folder / "expected.tsv") >= 225


@pytest.mark.parametrize("number", [1, 2, 3])
def test_three_runs_of_a_search_engine_with_the_output_its_author_committed(number: int) -> None:
    folder = shared("trec-eval-fixtures") / "cacm-solr"
    run = _run(folder / f"cacm_core_{number}")
    assert _compare(_qrels(folder / "cacm.qrels"), run, folder / f"trec_eval_result_{number}.txt") >= 51
