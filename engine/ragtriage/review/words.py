"""The sentences that every form of a review shares."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import orjson

from ragtriage.compare.comparison import Flip
from ragtriage.gate.results import MetricResult
from ragtriage.review.decisions import Decision
from ragtriage.review.differences import Differences
from ragtriage.review.review import Review

__all__ = [
    "decision_text",
    "difference_lines",
    "gate_sentences",
    "happened",
    "nothing_differs",
    "plain_sentences",
    "quantity",
    "some",
    "stand_in",
    "value_text",
]

_NAMED = 8
_LONGEST = 200
_BY = "the extractive stand-in gave, not a model of yours"


def plain_sentences(review: Review) -> tuple[str, ...]:
    """What happened, for somebody who knows nothing of retrieval: counts and no other figure.

    A third sentence says how much of it the extractive stand-in did, which is nobody's product.
    """
    found = review.comparison
    broken, fixed, errored = (len(found.of(change)) for change in ("broken", "fixed", "errored"))
    first = (
        f"This change was tried on {quantity(len(found.pairs), 'question')}: {broken} that worked before no longer "
        f"{'works' if broken == 1 else 'work'}, and {fixed} that did not work before {'does' if fixed == 1 else 'do'} now."
    )
    same = len(found.pairs) - broken - fixed - errored
    rest = f"{same} {'comes' if same == 1 else 'come'} out as before"
    rest += f", and {errored} could not be compared" if errored else ""
    aside = sum(map(len, found.apart))
    rest += (
        f"; {aside} more {'was' if aside == 1 else 'were'} new or changed and {'does' if aside == 1 else 'do'} not count"
        if aside
        else ""
    )
    picked = sum(flip.half == "answer" for change in ("broken", "fixed") for flip in found.of(change))
    said: tuple[str, ...] = ()
    if picked and stand_in(review):
        of = "It" if broken + fixed == 1 else f"{picked} of these {broken + fixed}"
        said = (f"{of} changed in {'its answer' if picked == 1 else 'their answers'} alone, which {_BY}.",)
    return first, rest[:1].upper() + rest[1:] + ".", *said


def stand_in(review: Review) -> bool:
    """Whether the head's answers were picked from the passages by the extractive stand-in."""
    config = review.comparison.head.manifest.get("config") or {}
    return bool(config.get("answers", {}).get("generator") == "extractive")


def gate_sentences(review: Review) -> list[str]:
    """The gate's sentences as they stand beside counts of questions that work: each names its metric and what it counts.

    `ok: recall@5, 5 questions with less of their evidence, 2 with more, of 50, within 2 net.`
    """
    return [_counting(sentence, review.gate.metrics) for sentence in review.gate.sentences]


def _counting(sentence: str, metrics: Sequence[MetricResult]) -> str:
    for one in metrics:
        if not one.says or not sentence.endswith(f": {one.says}"):
            continue
        outcome = sentence.removesuffix(one.says)
        says = one.says if one.says.startswith(f"{one.metric} ") else f"{one.metric}, {one.says}"
        less, more = ("with less of their evidence", "with more") if one.metric.startswith("recall") else ("lower", "higher")
        counted = f"{quantity(one.lost, 'question')} {less}, {one.won} {more}, of {one.n}"
        return outcome + says.replace(f"{one.lost} lost, {one.won} won of {one.n}", counted, 1)
    return sentence


def difference_lines(found: Differences) -> list[str]:
    """What differs, one kind a line; empty where nothing does. Names and values stand as they are."""
    lines = [f"{change.key}: {value_text(change.old)} → {value_text(change.new)}" for change in found.config]
    for names, verb in ((found.added, "added"), (found.removed, "removed"), (found.edited, "edited")):
        if names:
            lines.append(f"{quantity(len(names), 'document')} {verb}: {some(names)}")
    chunks = found.chunks
    if chunks.base != chunks.head or chunks.moved:
        moved = f"; {chunks.moved} of unchanged documents are cut elsewhere" if chunks.moved else ""
        lines.append(f"{quantity(chunks.head, 'chunk')}, {'was' if chunks.base == 1 else 'were'} {chunks.base:,}{moved}")
    if found.labels is not None:
        for name, qids in found.labels._asdict().items():
            if qids:
                verb = "with other expectations of the answer" if name == "regraded" else name
                lines.append(f"{quantity(len(qids), 'question')} {verb}: {some(qids)}")
    if not found.known:
        lines.append("which documents differ is not known: the cache has lost one side")
    return lines


def nothing_differs(review: Review) -> str:
    """What is said in the place of `difference_lines` where there are none."""
    if review.base.commit != review.head.commit:
        return "nothing: documents, configuration and labels are the same"
    return (
        f"nothing: both sides are {review.base.short}, and no uncommitted work touches documents, configuration "
        "or labels; name another base, as in ragtriage review HEAD~1"
    )


def happened(flip: Flip, *, k: int, picked: bool = False) -> str:
    """`bm25 2 → 31; #3 (97 tokens) is now part of #2 (241 tokens)`: why a question flipped, "" where nothing is known.

    `picked` says that no model answered, but the stand-in.
    """
    if flip.change == "errored":
        failed = next((side for side in (flip.base, flip.head) if side.status == "failed"), None)
        unanswered = flip.base.unanswered.get("live") or flip.head.unanswered.get("live", "")
        where = "before" if failed is flip.base or (failed is None and "live" in flip.base.unanswered) else "now"
        return f"could not be measured {where}: {(failed.reason if failed else unanswered) or 'no reason given'}"
    if flip.half == "answer":
        said = flip.head.suggested or flip.base.suggested
        answer = "the stand-in's answer" if picked else "the answer"
        return f"{answer}: {'now' if flip.head.suggested else 'was'} {said.replace('-', ' ')}" if said else answer
    parts = [f"evidence {_rank(flip.base_rank)} → {_rank(flip.head_rank)}, k = {k}"]
    if flip.rung:
        ranks = flip.rung_base is not None or flip.rung_head is not None
        parts.append(f"{flip.rung} {_rank(flip.rung_base)} → {_rank(flip.rung_head)}" if ranks else flip.rung)
    if flip.because:
        parts.append(flip.because)
    return "; ".join(parts)


def decision_text(decision: Decision) -> str:
    """What somebody said about a flip, "" where nobody has."""
    verdict = decision.verdict
    if verdict is None:
        return ""
    by = f" by {verdict.by}" if verdict.by else ""
    if verdict.decision:
        until = f" until {verdict.expires}" if verdict.expires else ""
        state = {"expired": "was intended", "old": "was intended as it looked then"}.get(decision.state, "intended")
        return f"{state}{until}{by}: {verdict.note}"
    old = ", of what it looked like then" if decision.state == "old" else ""
    return f"labelled {verdict.category.replace('-', ' ')}{by}{old}{': ' + verdict.note if verdict.note else ''}"


def quantity(number: int, noun: str) -> str:
    """`1 document`, `2 documents`."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def some(names: Sequence[str], most: int = _NAMED) -> str:
    """The first names, and how many there are besides."""
    return ", ".join(names[:most]) + (f" and {len(names) - most} more" if len(names) > most else "")


def value_text(value: Any) -> str:
    """A configured value as TOML has it, `(none)` where a side does not have the key."""
    if value is None:
        return "(none)"
    text = orjson.dumps(value, default=str).decode() if not isinstance(value, str) else value or '""'
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"


def _rank(rank: int | None) -> str:
    return "–" if rank is None else str(rank)
