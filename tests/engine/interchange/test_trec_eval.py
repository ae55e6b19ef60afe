"""What trec_eval printed and what its code says today: the same values for every measure that both have."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import pytest
import pytrec_eval
from hypothesis import given
from hypothesis import strategies as st
from tests.shared_data import shared

from ragtriage.errors import UsageError
from ragtriage.interchange.measures import parse_measure
from ragtriage.interchange.scoring import Rules, score, score_files
from ragtriage.metrics.base import Metric


class Printed(NamedTuple):
    qrels: str
    run: str
    output: str
    values: int
    rules: Rules = Rules()


PRINTED = [
    Printed("trec_eval/qrels.test", "trec_eval/results.test", "trec_eval/out.test", 1),
    Printed("trec_eval/qrels.test", "trec_eval/results.test", "trec_eval/out.test.a", 24),
    Printed("trec_eval/qrels.test", "trec_eval/results.test", "trec_eval/out.test.aq", 96),
    Printed("trec_eval/qrels.test", "trec_eval/results.test", "trec_eval/out.test.meas_params", 32),
    Printed("trec_eval/qrels.test", "trec_eval/results.trunc", "trec_eval/out.test.aqc", 96, Rules(complete=True)),
    Printed("trec_eval/qrels.test", "trec_eval/results.trunc", "trec_eval/out.test.aqcM", 96, Rules(complete=True, depth=100)),
    Printed("trec_eval/qrels.rel_level", "trec_eval/results.test", "trec_eval/out.test.aql", 96, Rules(level=2)),
    Printed("cacm-solr/cacm.qrels", "cacm-solr/cacm_core_1", "cacm-solr/trec_eval_result_1.txt", 52),
    Printed("cacm-solr/cacm.qrels", "cacm-solr/cacm_core_2", "cacm-solr/trec_eval_result_2.txt", 53),
    Printed("cacm-solr/cacm.qrels", "cacm-solr/cacm_core_3", "cacm-solr/trec_eval_result_3.txt", 53),
    Printed("cranfield-graded/qrels.txt", "cranfield-graded/bm25.run", "cranfield-graded/expected.tsv", 3164),
]


def printed_values(path: Path) -> dict[tuple[str, Metric], str]:
    """The values of the measures that ragtriage has, as they stand there, by question (or "all") and measure."""
    out = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        name, qid, value = map(str.strip, line.split("\t"))
        try:
            out[qid, parse_measure(name)] = value
        except UsageError:  # a measure that ragtriage does not have
            continue
    return out


@pytest.mark.parametrize("case", PRINTED, ids=lambda case: case.output)
def test_every_printed_value_is_reproduced(case: Printed) -> None:
    folder = shared("trec-eval-fixtures")
    printed = printed_values(folder / case.output)
    assert len(printed) == case.values
    metrics = sorted({metric for _, metric in printed}, key=repr)
    found = score_files(folder / case.qrels, folder / case.run, metrics=metrics, rules=case.rules)
    ours = {(one.qid, metric): value for one in found.questions for metric, value in zip(metrics, one.values, strict=True)}
    ours |= {("all", metric): found.means[repr(metric)] for metric in metrics}
    said = {key: f"{ours[key]:.{len(value.partition('.')[2])}f}" for key, value in printed.items()}
    assert said == printed
    assert found.problems == ()


DOCS = st.sampled_from(["a", "b", "B", "b1", "b10", "c", "d#2", "ü", "z"])
CUTS = (1, 2, 3, 5, 100)
MEASURES = {f"{family}_{cut}" for family in ("recall", "success", "ndcg_cut") for cut in CUTS} | {
    "recip_rank", "set_recall", "ndcg",
}  # fmt: skip
# nothing but negative grades has trec_eval's ndcg read what it has not written, and now and then go on for ever
GRADES = st.dictionaries(DOCS, st.integers(-1, 4), min_size=1).filter(lambda grades: max(grades.values()) >= 0)
QRELS = st.dictionaries(st.sampled_from("123"), GRADES, min_size=1)
SCORE = st.one_of(st.integers(-2, 2).map(float), st.floats(-1e9, 1e9), st.sampled_from([0.1, 0.1 + 1e-9, 0.1 + 1e-8, 1e-40]))
RUN = st.dictionaries(st.sampled_from("1234"), st.dictionaries(DOCS, SCORE, min_size=1), min_size=1)


@given(QRELS, RUN, st.integers(1, 3))
def test_the_code_of_trec_eval_says_the_same(
    qrels: dict[str, dict[str, int]], run: dict[str, dict[str, float]], level: int
) -> None:
    if not qrels.keys() & run.keys():
        return
    names = sorted(MEASURES)
    evaluator = pytrec_eval.RelevanceEvaluator(
        qrels,
        {f"{family}.{','.join(map(str, CUTS))}" for family in ("recall", "success", "ndcg_cut")}
        | {"recip_rank", "set_recall", "ndcg"},
        relevance_level=level,
    )
    theirs = evaluator.evaluate(run)
    found = score(qrels, run, metrics=tuple(map(parse_measure, names)), rules=Rules(level=level))
    ours = {one.qid: dict(zip(names, one.values, strict=True)) for one in found.questions}
    assert ours.keys() == theirs.keys()
    for qid, values in ours.items():
        assert values == pytest.approx({name: theirs[qid][name] for name in names}, abs=1e-12), qid
