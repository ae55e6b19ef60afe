"""When a question fails, and the category the machine suggests. List, counts, flips and gates all use this one function.

The order of the tests is the order in which a question was lost: a label that no longer fits first, then retrieval, then
the answer. A refusal without the evidence in context is right, so retrieval owns it.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import NamedTuple

from ragtriage.measure.answer_results import AnswerResult
from ragtriage.measure.results import PROBE, ItemResult
from ragtriage.types import Axis, Needs, Status

__all__ = ["ItemState", "judged_alone", "state_of", "status_of", "suggest"]


_NOT_THERE = ("missing-quote", "missing-anchor", "missing-chunk", "no-text")  # its document is


class ItemState(NamedTuple):
    """What the decision needs to know of one item of evidence.

    `inside` whether its rank is at most k; `in_pool` whether any retriever returned it; `bad_label` whether its document
    is there and the place in it is not.
    """

    inside: bool
    in_pool: bool
    bad_label: bool


def state_of(item: ItemResult, k: int) -> ItemState:
    """The state of a measured item."""
    in_pool = item.rank is not None or any(
        rung.rank is not None for rung in item.rungs if rung.name in ("bm25", "dense") and rung.note != PROBE
    )
    return ItemState(item.rank is not None and item.rank <= k, in_pool, item.how in _NOT_THERE)


def status_of(items: Sequence[ItemState], needs: Needs, *, answerable: bool) -> Status:
    """`found` when what the question needs is inside k, `partly` when some of it is, else `missed`."""
    if not answerable:
        return "unanswerable"
    if not items:
        return "unlabelled"
    inside = sum(item.inside for item in items)
    if inside == len(items) or (needs == "any" and inside):
        return "found"
    return "partly" if inside else "missed"


def suggest(status: Status, items: Sequence[ItemState], needs: Needs, live: AnswerResult | None) -> str:
    """The slug of the suggested category, "" where nothing is wrong or nothing can be said."""
    if status in ("partly", "missed"):
        return _retrieval(items, needs)
    if live is None:
        return ""
    if status == "unanswerable":
        return "" if live.grade.refused else "should-have-refused"
    if status == "found":
        return _answer(live)
    return ""


def judged_alone(status: Status, live: AnswerResult | None) -> Axis | None:
    """What the judge was asked that alone makes the suggested cause what it is; None where the grade or retrieval does."""
    if status != "found" or live is None:
        return None
    cause = _answer(live)
    if not cause or cause == _answer(dataclasses.replace(live, judged=None)):
        return None
    return "grounded" if cause == "made-up" else "correct"


def _retrieval(items: Sequence[ItemState], needs: Needs) -> str:
    lost = [item for item in items if not item.inside]
    enough = all if needs == "any" else any  # one reading is enough for "any": all of them must be lost in that way
    if enough(item.bad_label for item in lost):
        return "bad-label"
    if enough(not item.in_pool for item in lost if not item.bad_label):
        return "not-retrieved"
    return "ranked-too-low"


def _answer(live: AnswerResult) -> str:
    if live.grade.invalid or live.grade.unsupported or (live.judged is not None and live.judged.grounded is False):
        return "made-up"
    if live.grade.refused:
        return "refused-wrongly"
    return "misused" if live.correct is False else ""
