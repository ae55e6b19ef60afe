"""Which step of the ladder made the difference for one item of evidence: was BM25 2, now 31.

Steps that hold an item back whatever its rank (no such document, cut in two, hidden) come first. Then the last stage that
ranks is followed back to the one where the rank began to move.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from ragtriage.measure.results import ItemResult, Rung

__all__ = ["RungChange", "changed_rung"]

_HELD_BACK = ("corpus", "chunk", "window", "access")
_RETRIEVERS = ("bm25", "dense")
_RRF_K = 60  # how fast a rank loses weight on its way down, as in reciprocal rank fusion; only the order matters here


class RungChange(NamedTuple):
    """The step, "" where none made a difference, and the evidence's rank in it on both sides.

    `note`: what held it back where that is no rank, as `split over #3, #4`, `was split over #3, #4`; "" for the corpus.
    """

    rung: str
    base: int | None = None
    head: int | None = None
    note: str = ""


def changed_rung(base: ItemResult, head: ItemResult, *, k_base: int, k_head: int) -> RungChange:
    """The step that moved the item from its base rank to its head rank. Turned round, the same step with its ranks turned."""
    before, after = _number(base.rank), _number(head.rank)
    if before == after and (before <= k_base) == (after <= k_head):
        return RungChange("")
    worse = after > before or (after == before and after > k_head)
    winner, loser = (base, head) if worse else (head, base)
    if held := _held_back(winner, loser):
        note = held.note if held.name != "corpus" else ""  # there it is a word of `ItemResult.how`
        return RungChange(held.name, note=note if worse or not note else f"was {note}")
    name = _moved(winner, loser, *((k_base, k_head) if worse else (k_head, k_base)))
    if name == "context":
        return RungChange("context", base.rank, head.rank)
    return RungChange(name, base.stages.get(name), head.stages.get(name))


def _held_back(winner: ItemResult, loser: ItemResult) -> Rung | None:
    """The first step that holds the loser back and not the winner."""
    won = {rung.name for rung in winner.rungs if rung.state == "broken"} | ({"chunk"} if winner.in_parts else set())
    for rung in loser.rungs:
        if rung.name in _HELD_BACK and rung.state == "broken" and rung.name not in won:
            return rung
    return None


def _moved(winner: ItemResult, loser: ItemResult, k_winner: int, k_loser: int) -> str:
    good, bad = winner.stages, loser.stages

    def sank(name: str) -> bool:
        """Whether the stage ranks the loser lower; where the final rank crossed k, whether this one did too."""
        high, low = _number(good.get(name)), _number(bad.get(name))
        crossed = _number(winner.rank) <= k_winner and _number(loser.rank) > k_loser
        return low > high and (not crossed or (high <= k_winner and low > k_loser))

    if "system" in good or "system" in bad:  # it has no stages that are known
        return "system" if ("system" in good) != ("system" in bad) or sank("system") else "context"
    reranked = "reranked" in good or "reranked" in bad
    fused = "fused" in good or "fused" in bad
    ran = [name for name in _RETRIEVERS if name in good or name in bad]
    if reranked and not (sank("fused") if fused else any(map(sank, ran))):
        return "reranked"
    losses = [(_weight(good.get(name)) - _weight(bad.get(name)), name) for name in ran]
    loss, name = max(losses, key=lambda one: one[0], default=(0.0, ""))
    if loss > 0:
        return name
    on_one_side = ("fused" in good) != ("fused" in bad)
    if on_one_side or (fused and _number(bad.get("fused")) > _number(good.get("fused"))):
        return "fused"
    return "context"


def _weight(rank: int | None) -> float:
    return 0.0 if rank is None else 1 / (_RRF_K + rank)


def _number(rank: int | None) -> float:
    return math.inf if rank is None else rank
