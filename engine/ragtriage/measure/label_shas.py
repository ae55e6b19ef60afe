"""The hashes of chunks that labels name by id alone: they tell when such a label went stale.

Every run carries on what the one before it knew. A hash once known stays: it is what the label was made on.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ragtriage.measure.results import QuestionResult
from ragtriage.project import Project

__all__ = ["carried_on", "known_label_shas"]


def known_label_shas(project: Project) -> Mapping[str, str]:
    """Chunk id -> hash, as the newest run has them; empty where no label needs one."""
    if project.beir or not any(
        place.chunk and not place.chunk_sha
        for question in project.golden.questions
        for evidence in question.evidence
        for place in evidence.places
    ):
        return {}
    runs = project.runs.all()
    return dict(runs[0].manifest.get("label_shas", {})) if runs else {}


def carried_on(known: Mapping[str, str], questions: Iterable[QuestionResult]) -> dict[str, str]:
    """What is known, and the hashes of labels that were measured for the first time."""
    out = dict(known)
    for question in questions:
        for item in question.items:
            if item.kind == "chunk" and item.label_sha:
                out.setdefault(item.chunk_id, item.label_sha)
    return out
