"""What would have found it, as text: a row a lever, the cheapest that works first. 80 columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ragtriage_tui.estimates import duration, embedding_s
from ragtriage_tui.figures import clip_text, count, wrapped
from ragtriage_tui.text import clip_middle, fit, one_line

if TYPE_CHECKING:
    from ragtriage.experiments.what_if import Tried, WhatIf
    from ragtriage.measure.results import QuestionResult

__all__ = ["all_lines", "cost_text", "question_lines", "rank_text"]

_NAME = 26
_MOST_PER_LIST = 6


def question_lines(found: WhatIf, qid: str, question: str) -> list[str]:
    """The levers for one question: those that bring it inside k first, the cheapest in front."""
    from ragtriage.experiments.advice import advice_for
    from ragtriage.experiments.what_if import cheapest, in_order_for

    result = found.current.get(qid)
    if result is None:
        return [f"{one_line(qid)}: not measured"]
    k = int(found.current.manifest["k"])
    now = rank_text(result, k)
    lines = [f"{one_line(qid)}  {clip_text(question, 76 - len(one_line(qid)))}", f"today: {now}, k = {k}"]
    if result.status == "found":
        lines.append("Its evidence is inside k: nothing has to be found.")
    if result.status not in ("found", "partly", "missed", "failed"):
        return [*lines, "It has no evidence to be found, so no lever can be told from another."]
    lines += ["", _fields("", "lever", "rank", "cost", "mends", "breaks")]
    best = cheapest(found, qid) if result.status in ("partly", "missed") else None
    for tried in in_order_for(found, qid):
        mark = "▸" if tried is best else "✓" if tried.finds(qid) and result.status != "found" else ""
        measured = tried.result(qid)
        rank = rank_text(measured, k) if measured is not None else ""
        lines.append(_row(mark, tried, rank))
    lines.append("")
    if result.status in ("partly", "missed"):
        lines += wrapped(advice_for(found, qid))
    return lines


def all_lines(found: WhatIf, *, embed: bool = False) -> list[str]:
    """Over everything that is lost: which lever mends most, and what it breaks."""
    from ragtriage.experiments.advice import advice_for_all
    from ragtriage.experiments.what_if import most_mending

    lost = found.lost
    lines = [f"{count(len(lost), 'question')} lost of {len(found.current.questions)}", ""]
    lines.append(_fields("", "lever", "", "cost", "mends", "breaks"))
    tried = most_mending(found)
    best = tried[0] if tried and tried[0].versus is not None and tried[0].versus.won else None
    lines += [_row("▸" if one is best else "", one, "") for one in tried]
    lines += [_row("", one, "") for one in found.tried if one.versus is None]
    lines.append("")
    for sentence in advice_for_all(found):
        lines += wrapped(sentence)
    if best is not None and best.versus is not None:
        lines += wrapped(f"{best.lever.name} mends {_some(best.versus.won)}.")
        if best.versus.lost:
            lines += wrapped(f"It breaks {_some(best.versus.lost)}.")
    if not embed and any(one.cost.texts for one in found.tried):
        lines.append("--embed tries the levers that need texts embedded.")
    return lines


def rank_text(result: QuestionResult, k: int) -> str:
    """`3`, `2, 41` for two items, `–` for what no pool holds."""
    if result.status == "failed":
        return "failed"
    return ", ".join("–" if rank is None else str(rank) for rank in result.ranks) or "no evidence"


def cost_text(tried: Tried) -> str:
    """What a lever costs in a few words."""
    if tried.reason:
        return tried.reason
    if tried.cost.texts:
        return f"embed {tried.cost.texts:,} texts, about {duration(embedding_s(tried.cost.texts))}"
    said = ["all embedded already"] if tried.cost.all_texts else []
    said += [f"{tried.cost.pairs} pairs a question"] if tried.cost.pairs else []
    return ", ".join(said) or "none"


def _row(mark: str, tried: Tried, rank: str) -> str:
    mends = str(len(tried.versus.won)) if tried.versus else ""
    breaks = str(len(tried.versus.lost)) if tried.versus else ""
    return _fields(mark, clip_middle(one_line(tried.lever.name), _NAME), rank, clip_text(cost_text(tried), 28), mends, breaks)


def _fields(mark: str, name: str, rank: str, cost: str, mends: str, breaks: str) -> str:
    row = f"{fit(mark, 1)} {fit(name, _NAME)} {rank.rjust(6)}  {fit(cost, 28)} {mends.rjust(5)} {breaks.rjust(6)}"
    return row.rstrip()


def _some(qids: Sequence[str]) -> str:
    shown = ", ".join(one_line(qid) for qid in qids[:_MOST_PER_LIST])
    return shown + (f" and {len(qids) - _MOST_PER_LIST} more" if len(qids) > _MOST_PER_LIST else "")
