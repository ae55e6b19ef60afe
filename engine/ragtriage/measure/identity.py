"""What makes a question the same one in two runs: its words and its labels, as hashes that a run keeps of it.

A run holds no golden set. Its hashes tell whether a question was asked with the same words, whether its evidence was labelled
alike, and whether its answer is graded by the same expectations.
"""

from __future__ import annotations

from typing import Any, Literal

from ragtriage.ids import fingerprint
from ragtriage.types import Place, Question

__all__ = ["Sameness", "identity_of", "sameness"]

Sameness = Literal["same", "regraded", "edited", "relabelled", "unknown"]
"""`regraded`: words and evidence are the same, what its answer has to say is not. `unknown`: a run does not say."""

_LENGTH = 8


def identity_of(question: Question) -> str:
    """Hashes of words, labels and expectations joined by dots; a fourth one where a chunk label carries its text's hash."""
    access = list(question.access) if question.access is not None else None
    evidence = [[item.gain, [_place(place) for place in item.places]] for item in question.evidence]
    parts: list[list[Any]] = [
        [question.question, question.sent],
        [question.answerable, question.needs, access, evidence],
        [question.expected_answer, question.must_mention, question.must_not_mention],
    ]
    shas = [place.chunk_sha for item in question.evidence for place in item.places]
    if any(shas):
        parts.append(shas)
    return ".".join(fingerprint(part)[:_LENGTH] for part in parts)


def sameness(base: str, head: str) -> Sameness:
    """How two identities differ; where words and labels both do, the question is edited.

    A hash that only one side has was added to a label, which names the same chunk as before.
    """
    old, new = base.split("."), head.split(".")
    if len(old) < 3 or len(new) < 3:
        return "unknown"
    if old[0] != new[0]:
        return "edited"
    if old[1] != new[1] or any(one != other for one, other in zip(old[3:], new[3:], strict=False)):
        return "relabelled"
    return "same" if old[2] == new[2] else "regraded"


def _place(place: Place) -> list[object]:
    """A place without its chunk's hash."""
    return [place.doc, place.quote, place.prefix, place.suffix, place.at, place.section, place.page, place.chunk]
