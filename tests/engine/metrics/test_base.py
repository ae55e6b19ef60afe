from __future__ import annotations

from math import log2

import pytest

from ragtriage.errors import UsageError
from ragtriage.metrics.base import Metric, parse_metric, standard_metrics


@pytest.mark.parametrize("text", ["recall@5", "hit@5", "mrr", "ndcg@10", "recall@pool", "recall@1", "mrr@10", "ndcg@pool"])
def test_a_metric_is_its_repr(text: str) -> None:
    metric = parse_metric(text)
    assert repr(metric) == str(metric) == text
    assert metric == parse_metric(text)
    assert hash(metric) == hash(parse_metric(text))


def test_the_configured_k_is_filled_in() -> None:
    assert parse_metric("recall@k", k=7) == Metric("recall", 7)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("precision@5", "known are recall@5, hit@5, mrr, ndcg@5"),
        ("recall", "for example recall@5"),
        ("", "unknown metric"),
        ("recall@0", "whole number from 1"),
        ("recall@-1", "whole number from 1"),
        ("recall@5.0", "whole number from 1"),
        ("recall@٥", "whole number from 1"),
        ("recall@5@5", "whole number from 1"),
        ("recall@9999999", "whole number from 1"),
        ("recall@k", "whole number from 1"),
        ("recall@[/x]", "whole number from 1"),
        ("mrr@", "whole number from 1"),
    ],
)
def test_what_is_no_metric_says_what_is(text: str, says: str) -> None:
    if text == "mrr@":
        assert parse_metric("mrr") == Metric("mrr")
    with pytest.raises(UsageError, match=says.replace(".", r"\.")):
        parse_metric(text)


def test_each_kind_measures_what_its_name_says() -> None:
    ranks, gains = [2, None, 30], [1.0, 1.0, 2.0]
    ideal = 2 / log2(2) + 1 / log2(3) + 1 / log2(4)
    expected = {
        "recall@1": 0 / 3, "recall@3": 1 / 3, "recall@pool": 2 / 3, "hit@1": 0.0, "hit@3": 1.0, "mrr": 1 / 2, "mrr@1": 0.0,
        "ndcg@3": (1 / log2(3)) / ideal, "ndcg@pool": (1 / log2(3) + 2 / log2(31)) / ideal,
    }  # fmt: skip
    assert {text: parse_metric(text).of(ranks, gains) for text in expected} == pytest.approx(expected, abs=1e-15)


def test_the_standard_set_holds_the_configured_k_once() -> None:
    names = [repr(metric) for metric in standard_metrics(7)]
    assert len(names) == len(set(names)) == 6 * 3 + 2
    assert {"recall@7", "hit@7", "ndcg@7", "recall@20", "mrr", "recall@pool"} <= set(names)
    assert len(standard_metrics(5)) == 5 * 3 + 2
