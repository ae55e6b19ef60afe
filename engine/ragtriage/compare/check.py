"""Whether a run is one that can be compared: a stored one is a file, and may have been edited."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ragtriage.errors import StorageError
from ragtriage.measure.results import QuestionResult, Run

__all__ = ["check_run"]

_STATUSES = frozenset(("found", "partly", "missed", "unanswerable", "unlabelled", "failed"))
_MEASURED = frozenset(("found", "partly", "missed"))
_TEXTS = ("qid", "suggested", "lost_at", "identity", "needs", "kind", "split", "reason")


def check_run(run: Run) -> None:
    """Raise StorageError where what a comparison reckons with is not there, or not of its kind."""
    if not _whole(run.manifest.get("k")):
        raise StorageError(f"{run.id}: this run does not say its k; `ragtriage eval` measures again")
    if not _manifest(run.manifest):
        raise StorageError(f"{run.id}: the run.json of this run cannot be read; `ragtriage eval` measures again")
    for question in run.questions:
        if not _readable(question):
            raise StorageError(f"{run.id}: {question.qid} cannot be read in this run; `ragtriage eval` measures again")


def _manifest(manifest: Mapping[str, Any]) -> bool:
    fingerprints, only = manifest.get("fingerprints", {}), manifest.get("only")
    return (
        isinstance(fingerprints, Mapping)
        and all(isinstance(one, str) for one in fingerprints.values())
        and (only is None or (isinstance(only, list | tuple) and all(isinstance(qid, str) for qid in only)))
        and all(isinstance(manifest.get(name) or "", str) for name in ("note", "kind", "split", "chunk_fingerprint", "project"))
        and isinstance(manifest.get("config", {}), Mapping)
    )


def _readable(question: QuestionResult) -> bool:
    if not all(isinstance(getattr(question, name), str) for name in _TEXTS) or not isinstance(question.status, str):
        return False
    if question.status not in _STATUSES:
        return False
    if not isinstance(question.unanswered, Mapping) or not all(isinstance(why, str) for why in question.unanswered.values()):
        return False
    if question.measured != (question.status in _MEASURED) or (question.measured and not question.items):
        return False
    if not all(isinstance(item.stages, Mapping) for item in question.items):
        return False
    ranks = (rank for item in question.items for rank in (item.rank, item.doc_rank, *item.stages.values()))
    numbers = (*question.gains, *([] if question.rr is None else [question.rr]))
    return all(rank is None or _whole(rank) for rank in ranks) and all(isinstance(one, int | float) for one in numbers)


def _whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value > 0
