"""Why questions of a trial have no value, in a few words: what lacks some of them must not look like what has all."""

from __future__ import annotations

from ragtriage.measure.results import Run

__all__ = ["not_measured"]

_MOST_REASON = 120  # characters of what a program says


def not_measured(run: Run) -> str:
    """`2 not measured (q001: reranker: timed out)`: how many questions failed, and why the first did; empty where none did."""
    failed = int(run.manifest["failed"])
    if not failed:
        return ""
    first = next((one for one in run.questions if one.status == "failed" and one.reason), None)
    why = f" ({first.qid}: {' '.join(first.reason[:_MOST_REASON].split())})" if first else ""
    return f"{failed} not measured{why}"
