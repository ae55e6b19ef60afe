"""An audit of a reranker as the JSON that `ragtriage rerank --json` prints; its keys are stable."""

from __future__ import annotations

from typing import Any

from ragtriage.experiments.accountant import Audit, PoolRow
from ragtriage.measure.rerank_account import to_json as account_json

__all__ = ["to_json"]

_DIGITS = 6
_MS = 3


def to_json(audit: Audit) -> dict[str, Any]:
    """JSON values only; times in milliseconds."""
    return {
        "format": 1,
        "reranker": audit.reranker,
        "k": audit.k,
        "questions": max((row.account.n for row in audit.rows), default=0),
        "failed": [{"qid": qid, "reason": reason} for qid, reason in audit.failed],
        "rows": [_row(row) for row in audit.rows],
        "budget_ms": audit.budget_ms,
        "within_budget": audit.within_budget,
    }


def _row(row: PoolRow) -> dict[str, Any]:
    latency, step = row.latency, row.step
    return {
        **account_json(row.account),
        "interval": [_rounded(row.interval.low), _rounded(row.interval.high)],
        "p50_ms": _rounded(latency.p50_ms, _MS) if latency else None,
        "p95_ms": _rounded(latency.p95_ms, _MS) if latency else None,
        "timed": latency.n if latency else 0,
        "passages": _rounded(latency.passages, 1) if latency else None,
        "ms_per_point": _rounded(row.ms_per_point, _MS),
        "step": {
            "from": step.smaller,
            "gain": _rounded(step.gain),
            "ms": _rounded(step.ms, _MS),
            "gain_per_doubling": _rounded(step.gain / step.doublings),
            "ms_per_doubling": _rounded(step.ms / step.doublings, _MS) if step.ms is not None else None,
        }
        if step
        else None,
    }


def _rounded(value: float | None, digits: int = _DIGITS) -> float | None:
    return None if value is None else round(value, digits)
