from __future__ import annotations

import math
from pathlib import Path

import pytest

from ragtriage.errors import InputError, UsageError
from ragtriage.interchange.measures import file_metrics, parse_measure, trec_name
from ragtriage.interchange.scoring import Rules, score, score_files
from ragtriage.metrics.base import Metric, parse_metric

QRELS = {"1": {"a": 2.0, "b": 1.0, "c": 0.0, "d": -1.0}, "2": {"a": 1.0}, "3": {"a": 0.0}}
RUN = {"1": {"c": 5.0, "b": 4.0, "x": 4.0, "a": 3.0}, "3": {"a": 1.0}, "9": {"a": 1.0}}
METRICS = tuple(map(parse_metric, ("recall@2", "hit@3", "mrr", "ndcg@4", "recall@pool")))


def test_the_arithmetic() -> None:
    found = score(QRELS, RUN, metrics=METRICS)
    # trec_eval puts x before b: c x b a
    dcg = 1 / math.log2(4) + 2 / math.log2(5)
    ideal = 2 / math.log2(2) + 1 / math.log2(3)
    assert [one.qid for one in found.questions] == ["1", "3"]
    assert found.questions[0].values == pytest.approx((0.0, 1.0, 1 / 3, dcg / ideal, 1.0))
    assert found.questions[0][1:4] == (4, 2, 2)
    assert found.questions[1].values == (0.0,) * 5
    assert found.means["mrr"] == pytest.approx((1 / 3 + 0) / 2)
    assert (found.missing, found.unknown, found.unanswerable) == (("2",), 1, 1)


def test_the_other_rules() -> None:
    ours = score(QRELS, RUN, metrics=METRICS, rules=Rules(ties="ours"))
    assert ours.questions[0].values[:3] == (0.5, 1.0, 0.5)  # c b x a
    assert score(QRELS, RUN, metrics=METRICS, rules=Rules(complete=True)).means["mrr"] == pytest.approx((1 / 3 + 0 + 0) / 3)
    strict = score(QRELS, RUN, metrics=METRICS, rules=Rules(level=2))
    assert strict.questions[0].values[2] == 1 / 4
    cut = score(QRELS, RUN, metrics=METRICS, rules=Rules(depth=3))
    assert cut.questions[0].values[4] == 1 / 2
    assert cut.questions[0].retrieved == 3


@pytest.mark.parametrize("rules", [Rules(level=0), Rules(depth=0)])
def test_rules_without_sense_are_refused(rules: Rules) -> None:
    with pytest.raises(UsageError):
        score(QRELS, RUN, rules=rules)


def test_what_cannot_be_scored_is_an_error() -> None:
    with pytest.raises(InputError, match="no question"):
        score(QRELS, {"9": {"a": 1.0}})
    with pytest.raises(InputError, match="1: a score"):
        score(QRELS, {"1": {"a": math.nan}})
    with pytest.raises(UsageError):
        score(QRELS, RUN, metrics=())


def test_files_say_the_same_as_what_is_in_memory(tmp_path: Path) -> None:
    qrels, run = tmp_path / "q", tmp_path / "r"
    qrels.write_text("".join(f"{q} 0 {d} {g:g}\n" for q, of in QRELS.items() for d, g in of.items()), encoding="utf-8")
    lines = [f"{q} Q0 {d} 1 {s} t\n" for q, of in RUN.items() for d, s in of.items()]
    run.write_text("".join(lines), encoding="utf-8")
    memory = score(QRELS, RUN, metrics=METRICS)
    files = score_files(qrels, run, metrics=METRICS)
    assert (files.questions, files.missing, files.unknown, files.lines) == (memory.questions, ("2",), 1, 6)
    run.write_text("".join([*lines[::2], *lines[1::2], lines[0], "1 Q0 e\n"]), encoding="utf-8")  # mixed, one twice, one bad
    mixed = score_files(str(qrels), str(run), metrics=METRICS)
    assert (mixed.questions, mixed.repeated, mixed.lines) == (memory.questions, 1, 7)
    assert [str(problem) for problem in mixed.problems] == [f"{run}:8: 6 columns are needed, this line has 3"]


def test_files_without_a_question_in_common(tmp_path: Path) -> None:
    qrels, run = tmp_path / "q", tmp_path / "r"
    qrels.write_text("1 0 a 1\n", encoding="utf-8")
    run.write_text("2 Q0 a 1 1 t\n", encoding="utf-8")
    with pytest.raises(InputError, match="has no question of"):
        score_files(qrels, run)
    assert score_files(qrels, run, rules=Rules(complete=True)).means["mrr"] == 0.0


def test_measures_may_be_named() -> None:
    qrels, run = {"1": {"a": 1}}, {"1": {"b": 2.0, "a": 1.0}}
    assert score(qrels, run, metrics=["mrr", "recall_1"]).means == {"mrr": 0.5, "recall@1": 0.0}
    assert score(qrels, run, metrics="recip_rank").means == {"mrr": 0.5}
    with pytest.raises(UsageError, match="unknown metric"):
        score(qrels, run, metrics=["recal@5"])


def test_names_of_measures() -> None:
    assert [trec_name(metric) for metric in METRICS] == ["recall_2", "success_3", "recip_rank", "ndcg_cut_4", "set_recall"]
    assert trec_name(Metric("mrr", 10)) == trec_name(Metric("hit", "pool")) == ""
    for metric in file_metrics(7):
        if name := trec_name(metric):
            assert parse_measure(name) == metric
    assert parse_measure("ndcg_cut.10") == parse_measure(" ndcg@10 ") == Metric("ndcg", 10)
    assert parse_measure("recall@k", k=3) == Metric("recall", 3)
    for unknown in ("map", "P_5", "success", "recall_0"):
        with pytest.raises(UsageError):
            parse_measure(unknown)
