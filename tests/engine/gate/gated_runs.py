"""Runs written out by hand, or drawn at random with all that can be wrong with one."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from typing import Any

from ragtriage.measure.answer_results import AnswerResult
from ragtriage.measure.results import ItemResult, QuestionResult, Run
from ragtriage.metrics.reciprocal_rank import reciprocal_rank
from ragtriage.types import Grade, Judged, Split

__all__ = ["answer", "item", "question", "random_run", "run"]


def item(rank: int | None, *, how: str = "exact", doc_rank: int | None = None, gain: float = 1.0) -> ItemResult:
    kind = "chunk" if how in ("chunk", "stale") else "quote"
    return ItemResult(
        kind, "d", (), "x", gain, how, False, how == "stale", (), rank, "", (), stage_ranks={"bm25": rank}, doc_rank=doc_rank
    )  # fmt: skip


def answer(correct: bool | None, *, judged: Judged | None = None) -> AnswerResult:
    return AnswerResult("Within 30 days [1].", ("d#1",), Grade(correct, False), judged)


def question(
    qid: str,
    *ranks: int | None,
    failed: bool = False,
    text: str = "",
    label: str = "a",
    split: Split = "dev",
    items: Sequence[ItemResult] = (),
    **more: Any,
) -> QuestionResult:
    """A question with one item a rank; `text` and `label` make its identity, which is otherwise that of its qid."""
    found = tuple(items or map(item, ranks))
    inside = sum(one.rank is not None and one.rank <= 5 for one in found)
    status = "failed" if failed else "unlabelled" if not found else ("missed", "partly")[bool(inside)]
    status = "found" if inside and inside == len(found) and not failed else status
    rr = None if failed or not found else reciprocal_rank([one.rank for one in found])
    given: dict[str, Any] = {
        "identity": f"{text or qid}.{label}.x",
        "suggested": "ranked-too-low" if status in ("missed", "partly") else "",
        **more,
    }
    return QuestionResult(qid, given.pop("kind", "exact"), split, "all", status, found, rr=rr, **given)  # type: ignore[arg-type]


def run(*questions: QuestionResult, k: int = 5, name: str = "r", **manifest: Any) -> Run:
    made = {"k": k, "split": "dev", "kind": None, "only": None, "fingerprints": {"golden": name}, **manifest}
    return Run(name, made, questions)


def random_run(rng: random.Random, questions: Sequence[QuestionResult], *, name: str) -> Run:
    """What may have become of `questions`: better, worse, failed, gone, renamed, edited, relabelled, damaged, twice."""
    lost, won = rng.choice([0, 0, 0.02, 0.1]), rng.choice([0, 0, 0.1])
    wrong = rng.choice([0, 0, 0, 0.02, 0.2, 1.0])
    gone = rng.choice([0, 0, 0, 0.1, 0.8])
    out: list[QuestionResult] = []
    for one in questions:
        chance = rng.random()
        rank = one.items[0].rank if one.items else None
        if rng.random() < gone:
            continue
        if chance < lost:
            rank = rng.choice([None, 9])
        elif chance < lost + won:
            rank = 1
        kept: dict[str, Any] = {"text": one.identity.split(".")[0], "label": one.identity.split(".")[1]}
        if rng.random() < wrong:
            out.append(_wrong(rng, one.qid, rank, kept))
        else:
            out.append(question(one.qid, rank, **kept) if one.items else question(one.qid, **kept))
    if out and rng.random() < 0.03:
        out.append(out[0])  # twice
    manifest: dict[str, Any] = {"only": [one.qid for one in out[: len(out) // 2]]} if rng.random() < 0.03 else {}
    return run(*out, k=rng.choice([5] * 12 + [8, 3]), name=name, **manifest)


def _wrong(rng: random.Random, qid: str, rank: int | None, kept: dict[str, Any]) -> QuestionResult:
    how = rng.choice(["failed", "renamed", "edited", "relabelled", "gain", "stale", "holdout", "unlabelled", "no identity"])
    if how == "failed":
        return question(qid, rank, failed=True, **kept)
    if how == "renamed":
        return question(f"new-{qid}", rank, **kept)
    if how == "edited":
        return question(qid, rank, text=f"other {qid}", label=kept["label"])
    if how == "relabelled":
        return question(qid, rank, text=kept["text"], label="b")
    if how == "gain":
        return question(qid, items=[item(rank, gain=rng.choice([0.0, 2.0, math.inf, math.nan]))], **kept)
    if how == "stale":
        return question(qid, items=[item(rank, how="stale")], **kept)
    if how == "holdout":
        return question(qid, rank, split="holdout", **kept)
    if how == "unlabelled":
        return question(qid, **kept)
    return question(qid, rank, identity="")
