"""What follows from the levers, in sentences that say what they rest on: the ladder first, then what was tried."""

from __future__ import annotations

from collections import Counter

from ragtriage.experiments.failures import not_measured
from ragtriage.experiments.what_if import Tried, WhatIf, cheapest, most_mending
from ragtriage.measure.results import QuestionResult

__all__ = ["advice_for", "advice_for_all"]

_NO_LEVER = {
    "corpus": "its document or quote is not in the corpus: no lever of retrieval can find it",
    "access": "its document is hidden from this question: no lever of retrieval may find it",
}


def advice_for(found: WhatIf, qid: str) -> str:
    """What would have found one lost question."""
    result = found.current.get(qid)
    if result is None:
        return f"{qid} was not measured."
    if result.lost_at in _NO_LEVER:
        return f"Lost at {result.lost_at}: {_NO_LEVER[result.lost_at]}."
    best = cheapest(found, qid)
    if best is not None:
        return f"{_capital(best.lever.name)} brings it inside k, {_able(found, qid)}.{_beside(best)}"
    untried = [tried for tried in found.tried if tried.run is None and tried.cost.texts]
    need = "needs" if len(untried) == 1 else "need"
    rest = f" {_levers(len(untried))} {need} texts embedded first." if untried else ""
    why = " No retriever's pool holds it (RR = 0): a reranker cannot help." if _unseen(result) else ""
    return f"None of the levers that were tried brings it inside k.{why}{rest}"


def advice_for_all(found: WhatIf) -> list[str]:
    """What would help most of what is lost, and what cannot."""
    lost = found.lost
    failed = not_measured(found.current)
    out = [f"Of {len(found.current.questions)} questions {failed}: what these lose is not known."] if failed else []
    if not lost:
        if any(question.status == "found" for question in found.current.questions):
            every = "every question" if not failed else "every question that was measured"
            return [*out, f"Nothing is lost: the evidence of {every} is inside k."]
        return out or ["No question has evidence to be found, so no lever can be told from another."]
    mending = most_mending(found)
    best = mending[0] if mending else None
    if best is not None and best.versus is not None and best.versus.won:
        sure = f"p {best.versus.p:.2g} before any correction for having tried {len(mending)} levers"
        out.append(
            f"{_capital(best.lever.name)} mends most: {len(best.versus.won)} of {len(lost)}, and breaks "
            f"{len(best.versus.lost)} ({sure}). ragtriage sweep measures it with its neighbours."
        )
    else:
        out.append("No single lever that was tried mends any of them.")
    if unseen := [question for question in lost if _unseen(question)]:
        out.append(f"{len(unseen)} of {len(lost)} are in no retriever's pool (RR = 0): reranking cannot help these.")
    for rung, number in sorted(Counter(question.lost_at for question in lost).items()):
        if rung in _NO_LEVER:
            out.append(f"{number} of {len(lost)} lost at {rung}: {_NO_LEVER[rung]}.")
    return out


def _unseen(result: QuestionResult) -> bool:
    """Whether no item of its evidence is in the pool."""
    return bool(result.items) and all(rank is None for rank in result.ranks)


def _able(found: WhatIf, qid: str) -> str:
    able = sum(tried.finds(qid) for tried in found.tried)
    if able > 1:
        return f"the cheapest of {able} levers that do"
    untried = sum(tried.run is None for tried in found.tried)
    return "the only lever that does" + (f" of the {_levers(len(found.tried) - untried)} tried" if untried else "")


def _levers(number: int) -> str:
    return "1 lever" if number == 1 else f"{number} levers"


def _beside(best: Tried) -> str:
    if best.versus is None:
        return ""
    others = max(0, len(best.versus.won) - 1)
    return f" Of the other questions it mends {others} and breaks {len(best.versus.lost)}."


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
