"""What a reranker was given, what it made of it, and what no reranker could have: per pool, and question by question.

before    recall@k of the list as it came, cut at `pool`
after     recall@k of the same list in the reranker's order
ceiling   recall@k in the best order there is: what the pool holds, of which k items at most can stand inside k
headroom  ceiling - before
used      (after - before) / headroom; below 0 where it does harm
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from ragtriage.measure.results import QuestionResult
from ragtriage.metrics.base import Metric

__all__ = ["Account", "Alarm", "Move", "Ranked", "account", "account_of_run", "alarms_of", "recalls", "to_json"]

_BASES = ("fused", "bm25", "dense")
_SAME = 1e-9
_DIGITS = 6


class Ranked(NamedTuple):
    """The rank (from 1) of each item of a question's evidence in the list cut at the pool, before and after reranking; None
    where the pool does not hold it."""

    qid: str
    before: tuple[int | None, ...]
    after: tuple[int | None, ...]


class Move(NamedTuple):
    """An item of evidence, counted from 1, that went over the edge of k."""

    qid: str
    item: int
    before: int | None
    after: int | None


class Account(NamedTuple):
    """Means over the `n` questions that have evidence; None where there are none. `used` is None where headroom is 0.

    `held` is the recall of the pool whatever k is, `outside` are the questions of which the pool lacks evidence.
    """

    k: int
    pool: int
    n: int
    before: float | None
    after: float | None
    ceiling: float | None
    held: float | None
    headroom: float | None
    used: float | None
    promoted: tuple[Move, ...]
    demoted: tuple[Move, ...]
    outside: tuple[str, ...]


class Alarm(NamedTuple):
    """`name` is a slug: pool-is-k, no-headroom, pool-is-the-limit, does-harm."""

    name: str
    says: str


def recalls(rows: Sequence[Ranked], k: int) -> tuple[list[float], list[float]]:
    """recall@k of each question, before and after."""
    metric = Metric("recall", k)
    before = [metric.of(row.before, [1.0] * len(row.before)) for row in rows]
    return before, [metric.of(row.after, [1.0] * len(row.after)) for row in rows]


def account(rows: Sequence[Ranked], *, k: int, pool: int) -> Account:
    """The account of one pool. Ranks beyond the pool count as None; a question without items raises ValueError."""
    rows = [Ranked(row.qid, _within(row.before, pool), _within(row.after, pool)) for row in rows]
    before, after = recalls(rows, k)
    found = [sum(rank is not None for rank in row.before) for row in rows]
    best = [max(_best(row, k), was, now) for row, was, now in zip(rows, before, after, strict=True)]
    sizes = [len(row.before) for row in rows]
    mean_before, mean_after = _mean(before), _mean(after)
    ceiling = _mean(best)
    headroom = used = None
    if mean_before is not None and mean_after is not None and ceiling is not None:
        headroom = max(0.0, ceiling - mean_before)
        used = (mean_after - mean_before) / headroom if headroom > _SAME else None
    moves = [
        Move(row.qid, item, *ranks) for row in rows for item, ranks in enumerate(zip(row.before, row.after, strict=True), 1)
    ]
    return Account(
        k=k,
        pool=pool,
        n=len(rows),
        before=mean_before,
        after=mean_after,
        ceiling=ceiling,
        held=_mean([held / size for held, size in zip(found, sizes, strict=True)]),
        headroom=headroom,
        used=used,
        promoted=tuple(move for move in moves if not _inside(move.before, k) and _inside(move.after, k)),
        demoted=tuple(move for move in moves if _inside(move.before, k) and not _inside(move.after, k)),
        outside=tuple(row.qid for row in rows if None in row.before),
    )


def account_of_run(questions: Sequence[QuestionResult], *, k: int, pool: int) -> Account | None:
    """The account of a stored run, from its ladders; None where nothing was reranked."""
    rows = []
    reranked = False
    for question in questions:
        if not question.measured or not question.items:
            continue
        reranked = reranked or any("reranked" in item.stages for item in question.items)
        rows.append(Ranked(question.qid, tuple(_before(item.stages) for item in question.items), question.ranks))
    return account(rows, k=k, pool=pool) if reranked else None


def to_json(found: Account) -> dict[str, Any]:
    """The figures, the moves and the alarms. JSON values only."""
    names = ("before", "after", "ceiling", "held", "headroom", "used")
    values = {name: getattr(found, name) for name in names}
    return {
        "pool": found.pool,
        **{name: None if value is None else round(value, _DIGITS) for name, value in values.items()},
        "promoted": [move._asdict() for move in found.promoted],
        "demoted": [move._asdict() for move in found.demoted],
        "outside": list(found.outside),
        "alarms": [alarm._asdict() for alarm in alarms_of(found)],
    }


def alarms_of(found: Account) -> tuple[Alarm, ...]:
    """What the figures say against this reranker, or against reranking.

    `pool-is-the-limit`: more than half of what recall@k lacks is evidence that the pool does not hold at all.
    """
    if found.before is None or found.after is None or found.held is None or found.headroom is None:
        return ()
    if found.pool <= found.k:
        return (Alarm("pool-is-k", f"The pool of {found.pool} is k: a reranker can win nothing. Raise retrieval.pool."),)
    alarms = []
    lacks, outside = 1 - found.before, 1 - found.held
    if outside > _SAME and 2 * outside > lacks:
        questions = "1 question" if len(found.outside) == 1 else f"{len(found.outside)} questions"
        alarms.append(
            Alarm(
                "pool-is-the-limit",
                f"Of the {lacks:.3f} that recall@{found.k} lacks, {outside:.3f} is evidence outside of the pool of {found.pool}"
                f" ({questions}): reranking is the wrong fix. Look at retrieval, or at a larger pool.",
            )
        )
    elif found.headroom <= _SAME:
        alarms.append(Alarm("no-headroom", "All evidence that the pool holds is inside k already: there is nothing to win."))
    if found.after < found.before - _SAME:
        lost = found.before - found.after
        alarms.append(Alarm("does-harm", f"It puts more evidence out of k than into it: recall@{found.k} falls by {lost:.3f}."))
    return tuple(alarms)


def _best(row: Ranked, k: int) -> float:
    """recall of the k passages that hold most items; items that came at the same rank came with the same passage."""
    shared = Counter(rank for rank in row.before if rank is not None)
    return sum(count for _, count in shared.most_common(k)) / len(row.before)


def _before(stages: Mapping[str, int | None]) -> int | None:
    """The rank in the last stage before the reranker."""
    return next((stages[name] for name in _BASES if name in stages), None)


def _within(ranks: Sequence[int | None], pool: int) -> tuple[int | None, ...]:
    return tuple(rank if rank is not None and rank <= pool else None for rank in ranks)


def _inside(rank: int | None, k: int) -> bool:
    return rank is not None and rank <= k


def _mean(values: Sequence[float]) -> float | None:
    return math.fsum(values) / len(values) if values else None
