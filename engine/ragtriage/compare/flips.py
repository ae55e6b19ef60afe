"""What became of one question between two runs: broken, fixed, moved, measured on one side only, or the same.

Retrieval decides first, and without a model: a question breaks when what it needs was inside k and no longer is. Only where
retrieval did not flip can its answer have flipped.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal, NamedTuple

from ragtriage.measure.results import QuestionResult
from ragtriage.types import Needs

__all__ = ["Change", "Flip", "Half", "Verdict", "changed", "deciding_item"]

Change = Literal["broken", "fixed", "better", "worse", "same", "errored"]
"""`errored`: one side could not be measured. `better` and `worse`: its ranks moved, and it passes or fails as before."""

Half = Literal["retrieval", "answer"]

_LOST = ("partly", "missed")


class Verdict(NamedTuple):
    """What a question's change is, and whether retrieval or the answer made it."""

    change: Change
    half: Half


class Flip(NamedTuple):
    """One question that changed.

    `base_rank` and `head_rank` are those of the item of evidence `item` (an index) that decides, None where the pool does not
    hold it. `rung` is the step of the ladder that made the difference, "" where none did, with the evidence's rank in it on
    both sides. `because` says in plain words what happened to the passage, "" where that is not known. `qid` is the head's.
    """

    qid: str
    change: Change
    base: QuestionResult
    head: QuestionResult
    base_rank: int | None
    head_rank: int | None
    rung: str = ""
    rung_base: int | None = None
    rung_head: int | None = None
    half: Half = "retrieval"
    because: str = ""
    item: int | None = None


def changed(base: QuestionResult, head: QuestionResult, *, k_base: int, k_head: int, answers: bool = True) -> Verdict:
    """The change from `base` to `head`, each side at its own k. `answers`: whether the two answers can be compared."""
    failed = base.status == "failed", head.status == "failed"
    if any(failed):
        return Verdict("same" if all(failed) else "errored", "retrieval")
    lost = base.status in _LOST, head.status in _LOST
    if lost[0] != lost[1]:
        return Verdict("broken" if lost[1] else "fixed", "retrieval")
    if answers and not any(lost) and (said := _answer(base, head)) is not None:
        return Verdict(said, "answer")
    before, after = _standing(base, k_base), _standing(head, k_head)
    if before == after:
        return Verdict("same", "retrieval")
    return Verdict("better" if after < before else "worse", "retrieval")


def deciding_item(base: QuestionResult, head: QuestionResult, change: Change, *, k_base: int, k_head: int) -> int | None:
    """The item of evidence that the change is about, by its place in the label; None without evidence.

    Of the items that crossed k, else of those that moved, each in the direction of the change: the worst one where all are
    needed, the best one where any will do. The same for both directions of a comparison.
    """
    items = range(min(len(base.items), len(head.items)))
    if not items:
        return None
    before = [_number(item.rank) for item in base.items]
    after = [_number(item.rank) for item in head.items]
    sign = 1 if change in ("broken", "worse") else -1 if change in ("fixed", "better") else 0
    moved = [at for at in items if (after[at] > before[at]) - (after[at] < before[at]) == sign]
    crossed = [at for at in items if (before[at] <= k_base) - (after[at] <= k_head) == sign] if sign else []
    candidates = crossed or moved or list(items)
    if base.needs == "any":
        return min(candidates, key=lambda at: (min(before[at], after[at]), max(before[at], after[at]), at))
    return min(candidates, key=lambda at: (-max(before[at], after[at]), -min(before[at], after[at]), at))


def _answer(base: QuestionResult, head: QuestionResult) -> Change | None:
    """A flip of the answer, where retrieval failed on neither side."""
    if base.live is None or head.live is None:
        failed = "live" in base.unanswered, "live" in head.unanswered
        one_sided = (base.live is None) != (head.live is None)
        return "errored" if one_sided and (failed[0] if base.live is None else failed[1]) else None
    fails = bool(base.suggested), bool(head.suggested)
    if fails[0] == fails[1]:
        return None
    return "broken" if fails[1] else "fixed"


def _standing(question: QuestionResult, k: int) -> tuple[float, ...]:
    """What ranks amount to, smaller is better: items outside k, then the ranks, the one that decides first."""
    ranks = [_number(rank) for rank in question.ranks]
    return sum(rank > k for rank in ranks), *_in_order(ranks, question.needs)


def _in_order(ranks: Sequence[float], needs: Needs) -> list[float]:
    return sorted(ranks, reverse=needs == "all")


def _number(rank: int | None) -> float:
    return math.inf if rank is None else rank
