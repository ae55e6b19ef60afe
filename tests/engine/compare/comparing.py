"""Runs made by hand for the comparison: a question by its ranks, and random pairs of runs."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from ragtriage.measure.failing import ItemState, status_of, suggest
from ragtriage.measure.results import AnswerResult, ItemResult, QuestionResult, Run, Rung
from ragtriage.metrics.reciprocal_rank import reciprocal_rank
from ragtriage.types import Grade

GOOD = AnswerResult("30 days [1]", ("d#1",), Grade(True, False))
WRONG = AnswerResult("a year [1]", ("d#1",), Grade(False, False, ("30 days",)))


def item(rank: int | None, *, k: int = 5, stages: dict[str, int | None] | None = None, **more: Any) -> ItemResult:
    """An item at `rank`; one outside k carries its stages as rungs, as a run has them."""
    inside = rank is not None and rank <= k
    stages = {"bm25": rank} if stages is None else stages
    rungs = () if inside else tuple(Rung(name, "absent" if at is None else "ok", at) for name, at in stages.items())
    fields: dict[str, Any] = {
        "kind": "quote", "doc_id": "d", "heading": (), "quote": "x", "gain": 1.0, "how": "exact", "ambiguous": False,
        "stale": False, "spans": (("d", 0, 1),), "rank": rank, "lost_at": "" if inside else "context", "rungs": rungs,
        "stage_ranks": stages if inside else {},
    }  # fmt: skip
    return ItemResult(**(fields | more))


def asked(qid: str, *ranks: int | ItemResult | None, k: int = 5, needs: Any = "all", **more: Any) -> QuestionResult:
    """A question whose status and category follow from its ranks, as in an evaluation."""
    items = tuple(one if isinstance(one, ItemResult) else item(one, k=k) for one in ranks)
    states = [ItemState(one.rank is not None and one.rank <= k, one.rank is not None, False) for one in items]
    status = status_of(states, needs, answerable=True)
    fields: dict[str, Any] = {
        "kind": "", "split": "dev", "needs": needs, "status": status, "items": items,
        "suggested": suggest(status, states, needs, more.get("live")),
        "rr": reciprocal_rank([one.rank for one in items]) if items else None, "identity": f"{qid}.labels.answers",
    }  # fmt: skip
    return QuestionResult(qid, **(fields | more))


def failed(qid: str, *ranks: int | None, **more: Any) -> QuestionResult:
    return asked(qid, *ranks, **{"status": "failed", "suggested": "", "rr": None, "reason": "timed out", **more})


def run(*questions: QuestionResult, k: int = 5, name: str = "r", **manifest: Any) -> Run:
    return Run(name, {"k": k, "split": "dev", "fingerprints": {}, **manifest}, tuple(questions))


RANKS = st.one_of(st.none(), st.integers(1, 12))
STAGES = st.dictionaries(st.sampled_from(("bm25", "dense", "fused", "reranked")), RANKS)


@st.composite
def _side(draw: st.DrawFn, qid: str, shape: tuple[int, str], k: int) -> QuestionResult:
    count, needs = shape
    more: dict[str, Any] = {"needs": needs}
    if draw(st.booleans()):
        more["live"] = draw(st.sampled_from((GOOD, WRONG)))
    elif draw(st.booleans()):
        more["unanswered"] = {"live": "timed out"}
    if draw(st.integers(0, 5)) == 0:
        identity = [qid, "labels", "answers"]
        identity[draw(st.integers(0, 2))] = f"other {qid}"
        more["identity"] = draw(st.sampled_from((".".join(identity), "")))
    items = [item(draw(RANKS), k=k, stages=draw(STAGES), how=draw(st.sampled_from(("exact", "chunk")))) for _ in range(count)]
    if draw(st.integers(0, 6)) == 0:
        return failed(qid, *items, k=k, **{name: value for name, value in more.items() if name != "live"})
    return asked(qid, *items, k=k, **more)


@st.composite
def pairs_of_runs(draw: st.DrawFn) -> tuple[Run, Run]:
    """Two runs over mostly the same questions: missing, failed, edited, without identity, in another order, of another k."""
    ks = draw(st.sampled_from((5, 5, 3))), draw(st.sampled_from((5, 5, 8)))
    shapes = draw(st.lists(st.tuples(st.integers(0, 3), st.sampled_from(("all", "any"))), max_size=8))
    sides = []
    for side, k in enumerate(ks):
        questions = [draw(_side(f"q{at}", shape, k)) for at, shape in enumerate(shapes) if draw(st.integers(0, 7))]
        order = draw(st.permutations(questions)) if side else questions
        partial = draw(st.sampled_from((None, None, ["q0", "q1"])))
        sides.append(run(*order, k=k, name=f"side{side}", only=partial))
    return sides[0], sides[1]
