"""At most three sentences that follow from the figures. Each names the questions it rests on; none is a guess."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from ragtriage.measure.results import ItemResult, QuestionResult
from ragtriage.metrics.base import Metric

__all__ = ["MOST", "Advice", "advise"]

MOST = 3

_ENOUGH = 20
"""Fewer questions cannot tell that a smaller k is as good."""


class Advice(NamedTuple):
    """A sentence and the questions it speaks of. `lever` is a short name: retriever, pool, reranker, prompt, distraction,
    smaller-k."""

    lever: str
    sentence: str
    qids: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        return {"lever": self.lever, "sentence": self.sentence, "qids": list(self.qids)}


def advise(
    questions: Sequence[QuestionResult], k: int, *, generator: str = "", foreign: bool = False, ends_at: int | None = None
) -> list[Advice]:
    """The sentences, the one that concerns most questions first; a smaller k, which only saves, last.

    `generator` is what answered, as `answers.generator` names it. `foreign`: the system is not ours, which stands beside it;
    `ends_at` is the rank at which its lists end though more was asked for.
    """
    measured = [question for question in questions if question.measured]
    found = [
        _missed(measured, ends_at) if foreign else _unseen(measured),
        _headroom(measured, k, ends_at),
        _dropped(measured),
        _prompt(measured, generator),
    ]
    found.append(_distraction(measured, generator))
    said = sorted((advice for advice in found if advice), key=lambda advice: -len(advice.qids))
    smaller = _smaller_k(measured, k)
    return [*said, *([smaller] if smaller else [])][:MOST]


def _unseen(questions: Sequence[QuestionResult]) -> Advice | None:
    qids = tuple(question.qid for question in questions if question.suggested == "not-retrieved")
    if not qids:
        return None
    what = f"Evidence of {_count(qids)} is in no retriever's pool: a reranker cannot help there."
    return Advice("retriever", f"{what} Look at extraction, boundaries, access and the embedding model.", qids)


def _missed(questions: Sequence[QuestionResult], ends_at: int | None) -> Advice | None:
    """What a system that is not ours did not return at all, and how much of that the embedded engine has."""
    missed = [question for question in questions if question.suggested == "not-retrieved"]
    if not missed:
        return None
    qids = tuple(question.qid for question in missed)
    what = f"Your system did not return the evidence of {_count(qids)}"
    if ends_at is None:
        what += ": a reranker cannot help there."
    else:
        what += f" among the first {ends_at}, where its lists end: whether it has it further down cannot be told."
    counts = []
    for name, shown in (("bm25", "BM25"), ("dense", "dense")):
        ran = any(rung.name == name for question in missed for item in question.items for rung in item.rungs)
        has = sum(all(_probed(item, name) for item in question.items if item.lost_at) for question in missed)
        counts += [f"{shown} here has that of {has}"] if ran else []
    return Advice("retriever", " ".join([what, *([f"{', '.join(counts)}."] if counts else [])]), qids)


def _probed(item: ItemResult, name: str) -> bool:
    return any(rung.name == name and rung.rank is not None for rung in item.rungs)


def _headroom(questions: Sequence[QuestionResult], k: int, ends_at: int | None) -> Advice | None:
    """Those of which some lost evidence is in the pool: a reranker sees it."""
    low = [question for question in questions if question.suggested == "ranked-too-low"]
    qids = tuple(question.qid for question in low if any(rank is not None and rank > k for rank in question.ranks))
    if not qids:
        return None
    at_k, at_pool = Metric("recall", k), Metric("recall", "pool")
    gains = [at_pool.of(question.ranks, question.gains) - at_k.of(question.ranks, question.gains) for question in questions]
    headroom = sum(gains) / len(gains)
    what = f"Evidence of {_count(qids)} is in the pool but below k = {k}."
    of = "" if ends_at is None else f"of the {ends_at} that came "
    return Advice("reranker", f"{what} A reranker {of}could raise recall@{k} by at most {headroom:.2f}.", qids)


def _dropped(questions: Sequence[QuestionResult]) -> Advice | None:
    """Those that a retriever had and fusion left out: nothing after fusion sees them."""
    low = [question for question in questions if question.suggested == "ranked-too-low"]
    qids = tuple(q.qid for q in low if all(item.rank is None for item in q.items if item.lost_at))
    if not qids:
        return None
    what = f"Evidence of {_count(qids)} was retrieved and left out of the fused pool: a reranker cannot see it."
    return Advice("pool", f"{what} Raise pool, or try zscore.", qids)


def _prompt(questions: Sequence[QuestionResult], generator: str) -> Advice | None:
    wrong = [q for q in questions if q.status == "found" and q.live and q.live.correct is False]
    qids = tuple(q.qid for q in wrong if q.oracle and q.oracle.correct is False)
    if not qids:
        return None
    what = f"{_count(qids)} had the evidence inside k and the oracle answer is wrong too"
    if generator == "extractive":  # nobody's prompt or model had a part in it
        return Advice("prompt", f"{what}: retrieval is not the cause, what answers is (extractive stand-in).", qids)
    return Advice("prompt", f"{what}: retrieval is not the cause, look at the prompt or the model.", qids)


def _distraction(questions: Sequence[QuestionResult], generator: str) -> Advice | None:
    """Those that are answered right from their evidence alone, and wrong from the k passages that hold it."""
    wrong = [q for q in questions if q.status == "found" and q.live and q.live.correct is False]
    qids = tuple(q.qid for q in wrong if q.oracle and q.oracle.correct)
    if not qids:
        return None
    what = f"{_count(qids)} had the evidence inside k and only the oracle answer is right: the passages beside it distract"
    if generator == "extractive":
        return Advice("distraction", f"{what} what answers (extractive stand-in); a smaller k or a reranker.", qids)
    return Advice("distraction", f"{what}; a smaller k, a reranker or the prompt.", qids)


def _smaller_k(questions: Sequence[QuestionResult], k: int) -> Advice | None:
    """The smallest k that leaves no item behind that the configured one finds."""
    inside = [(rank, question) for question in questions for rank in question.ranks if rank is not None and rank <= k]
    if not inside or len(questions) < _ENOUGH:
        return None
    needed = max(rank for rank, _ in inside)
    if needed >= k:
        return None
    tokens = [question.context_tokens for question in questions]
    saved = sum(tokens) / len(tokens) * (k - needed) / k
    qids = tuple(dict.fromkeys(question.qid for rank, question in inside if rank == needed))
    return Advice(
        "smaller-k",
        f"k = {needed} finds as much as k = {k} (n {len(questions)}) and saves about {saved:.0f} tokens of context a question.",
        qids,
    )


def _count(qids: Sequence[str]) -> str:
    return "1 question" if len(qids) == 1 else f"{len(qids)} questions"
