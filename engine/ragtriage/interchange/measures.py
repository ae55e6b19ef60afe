"""Which measure of trec_eval each of ours is."""

from __future__ import annotations

import re

from ragtriage.errors import UsageError
from ragtriage.metrics.base import Metric, parse_metric, standard_metrics

__all__ = ["file_metrics", "parse_measure", "trec_name"]

_CUT = {"recall": "recall", "hit": "success", "ndcg": "ndcg_cut"}
_WHOLE = {Metric("mrr"): "recip_rank", Metric("recall", "pool"): "set_recall", Metric("ndcg", "pool"): "ndcg"}


def trec_name(metric: Metric) -> str:
    """trec_eval's name of a measure; empty where it has none. `pool` means all that the run lists."""
    if isinstance(metric.at, int):
        return f"{_CUT[metric.name]}_{metric.at}" if metric.name in _CUT else ""
    return _WHOLE.get(metric, "")


def parse_measure(text: str, *, k: int | None = None) -> Metric:
    """A measure by our name (`ndcg@10`; `ndcg@k` where `k` is given) or trec_eval's (`ndcg_cut_10`). Raises UsageError."""
    for metric, name in _WHOLE.items():
        if text.strip() == name:
            return metric
    found = re.fullmatch(r"(recall|success|ndcg_cut)[_.]([1-9][0-9]{0,5})", text.strip())
    if found:
        return Metric(next(ours for ours, theirs in _CUT.items() if theirs == found[1]), int(found[2]))
    try:
        return parse_metric(text, k=k)
    except UsageError as error:
        if "unknown metric" not in str(error):
            raise
        cuts = (f"{name}_N" for name in _CUT.values())
        ours = ", ".join(repr(f"{name}@N") for name in _CUT)
        theirs = ", ".join(map(repr, (*cuts, *_WHOLE.values())))
        raise UsageError(
            f"{text}: unknown metric; known are {ours}, each also @pool (all that the run lists), 'mrr', "
            f"and trec_eval's {theirs}"
        ) from None


def file_metrics(k: int) -> tuple[Metric, ...]:
    """What is measured of files where nothing else is asked for: what every run measures, and recall@100."""
    return (*standard_metrics(k), Metric("recall", 100))
