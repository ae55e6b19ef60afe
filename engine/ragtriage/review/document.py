"""A review as the JSON that `review --json` prints. Its keys are stable."""

from __future__ import annotations

from typing import Any

from ragtriage.compare.document import to_json as compared_json
from ragtriage.review.decisions import Decision
from ragtriage.review.differences import Differences
from ragtriage.review.review import Review
from ragtriage.revisions.naming import Revision

__all__ = ["to_json"]


def to_json(review: Review) -> dict[str, Any]:
    """JSON values only; the keys of `compare --json`, and what a review knows besides."""
    document = compared_json(review.comparison)
    gate = review.gate.to_dict()
    for name, gated in gate["metrics"].items():
        if name in document["metrics"]:
            document["metrics"][name]["tolerance"] = gated["tolerance"]
    for side, revision in (("base", review.base), ("head", review.head)):
        document[side] = {**document[side], **_revision(revision)}
    for flip in document["flips"]:
        flip["decision"] = _decision(review.decisions[flip["qid"]]) if flip["qid"] in review.decisions else None
    return {
        **document,
        "outcome": gate["outcome"],
        "reasons": gate["reasons"],
        "warnings": gate["warnings"],
        "gate": gate,
        "differences": _differences(review.differences),
        "to_review": len(review.to_review),
        "reviewed": review.reviewed,
        "notes": list(review.notes),
        "incomplete": list(review.incomplete),
        "encoded": review.encoded,
    }


def _revision(revision: Revision) -> dict[str, Any]:
    return {
        "name": revision.name,
        "commit": revision.commit or None,
        "working_tree": revision.working,
        "why": revision.why or None,
    }


def _decision(decision: Decision) -> dict[str, Any]:
    verdict = decision.verdict
    found: dict[str, Any] = {"state": decision.state, "reviewed": decision.reviewed}
    if verdict is not None:
        found |= {
            "id": verdict.id,
            "category": verdict.category or None,
            "decision": verdict.decision,
            "note": verdict.note,
            "by": verdict.by,
            "at": verdict.at,
            "expires": verdict.expires,
        }
    return found


def _differences(found: Differences) -> dict[str, Any]:
    return {
        "config": [change._asdict() for change in found.config],
        "documents": {"added": list(found.added), "removed": list(found.removed), "edited": list(found.edited)},
        "chunks": found.chunks._asdict(),
        "labels": {name: list(qids) for name, qids in found.labels._asdict().items()} if found.labels is not None else None,
        "known": found.known,
    }
