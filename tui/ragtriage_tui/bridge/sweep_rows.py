"""A table of the engine as the rows and columns that Sweep shows, and one row beside another."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ragtriage_tui.sweep_views import Against, FailLine, FlipLine, Form, SweepColumn, SweepDetail, SweepRow
from ragtriage_tui.text import one_line, scrub

if TYPE_CHECKING:
    from ragtriage.experiments.table import Row, Table
    from ragtriage.experiments.versus import Versus
    from ragtriage.measure.results import QuestionResult
    from ragtriage.project import Project

__all__ = ["columns", "detail", "read", "rows", "said"]

_WORDS = 400  # characters of a question that a row may show

# The engine's columns as they are shown, from left to right, and which of them are left out last where there is no room.
_SHOWN: tuple[tuple[str, Form, int], ...] = (
    ("recall@k", "share", 1), ("change", "change", 2), ("flips", "flips", 3), ("accuracy", "share", 4), ("hit@k", "share", 7),
    ("mrr", "share", 8), ("recall@5", "share", 15), ("recall@10", "share", 15), ("recall@20", "share", 16),
    ("recall@250_tokens", "share", 9), ("recall@500_tokens", "share", 9), ("recall@1000_tokens", "share", 9),
    ("recall@2000_tokens", "share", 5), ("recall@4000_tokens", "share", 10),
    ("p_holm", "p", 14), ("context_tokens", "count", 17), ("token_precision", "share", 20), ("token_iou", "share", 21),
    ("chunks", "count", 11), ("unembedded", "share", 18), ("index_bytes", "MB", 19), ("build_s", "s", 12),
    ("query_ms", "ms", 6), ("query_ms_p95", "ms", 22),
)  # fmt: skip
_DECIDES = 4  # how long stays what rows are chosen by, or what a larger k costs
_NAME = SweepColumn("name", "configuration", "name", 0)
_NOTE = SweepColumn("note", "", "note", 13)


def columns(table: Table) -> tuple[SweepColumn, ...]:
    """The columns there are for a table, from left to right."""
    from ragtriage.experiments.columns import columns_of
    from ragtriage.experiments.figures import budget_name

    found = {column.key: column for column in columns_of(table)}
    at = budget_name(table.budget) if table.budget else ""
    decides = f"recall@{table.budget}_tokens"
    out = [_NAME]
    for key, form, rank in _SHOWN:
        if key == "flips":
            out.append(SweepColumn("flips", "flips@k" if at else "flips", form, rank))
        elif (column := found.get(key)) is not None:
            head = {"change": f"+/-{at}", "p_holm": f"p{at}"}.get(key, column.head) if at else column.head
            telling = key == decides or (key == "context_tokens" and not table.one_k)
            shape: Form = "budget" if any(key in _short(row, table.budgets) for row in table.rows) else form
            out.append(SweepColumn(key, head, shape, _DECIDES if telling else rank, column.higher is True))
    return (*out, _NOTE)


def rows(table: Table, in_use: str) -> tuple[SweepRow, ...]:
    """The rows of a table in its order. `in_use` identifies today's configuration."""
    from ragtriage.experiments.columns import columns_of

    shown = [column for column in columns_of(table) if any(column.key == key for key, *_ in _SHOWN)]
    several = len(table.winners) > 1
    best = {id(row) for row in table.winners.values()} if several else {id(table.winner)}
    return tuple(_row(row, shown, table.budgets, row.candidate.identity == in_use, id(row) in best) for row in table.rows)


def _row(row: Row, shown: Sequence[Any], budgets: Sequence[int], in_use: bool, best: bool) -> SweepRow:
    return SweepRow(
        id=row.run.id, name=scrub(one_line(row.name)), values={column.key: _number(column.value(row)) for column in shown},
        budgets=tuple(_number(row.budget(tokens)) for tokens in budgets), in_use=in_use, best=best,
        dominated=scrub(one_line(row.dominated)), barred=row.barred, notes=tuple(scrub(one_line(note)) for note in row.notes),
        short=_short(row, budgets),
    )  # fmt: skip


def _short(row: Row, budgets: Sequence[int]) -> frozenset[str]:
    """The keys of the columns whose budget the pool of a row does not fill."""
    return frozenset(f"recall@{tokens}_tokens" for tokens in budgets if tokens in row.figures["short"])


def _number(value: Any) -> float | None:
    """A figure that can be drawn: somebody may have edited what a trial says."""
    good = isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
    return float(value) if good else None


def read(found: Versus) -> Against:
    """What the columns show of a comparison."""
    return Against(found.change, len(found.won), len(found.lost), found.p_holm)


def detail(
    row: Row,
    base: Row,
    found: Versus,
    project: Project,
    *,
    compared: int,
    holdout: tuple[str, bool] | None = None,
    budget: int | None = None,
    at_k: float | None = None,
) -> SweepDetail:
    """One row beside another; `compared` rows were. `budget` is what `found` compares by, None for recall@k; `at_k` what
    changes at k beside it."""
    from ragtriage.experiments.table import cut_alike

    texts = {question.qid: question.question for question in project.golden.questions}
    flips = [_flip(qid, texts, base, row, won=True) for qid in found.won]
    flips += [_flip(qid, texts, base, row, won=False) for qid in found.lost]
    measured = [result for result in row.run.questions if result.enters]
    failing = tuple(
        FailLine(scrub(one.qid), _words(texts, one.qid), _last(one), one.status)
        for one in measured
        if one.status in ("partly", "missed", "failed")
    )  # fmt: skip
    return SweepDetail(
        row_id=row.run.id, base_id=base.run.id, k=row.k, change=found.change, low=found.low, high=found.high,
        p=found.p_holm, more=found.more, rows=compared, flips=tuple(flips), failing=failing, n=len(measured), holdout=holdout,
        budget=budget, at_k=at_k, base_k=base.k, resized=not cut_alike(row, base),
        sent=(row.sent, base.sent) if row.sent is not None and base.sent is not None else None,
    )  # fmt: skip


def _flip(qid: str, texts: Mapping[str, str], base: Row, row: Row, *, won: bool) -> FlipLine:
    before, after = base.run.get(qid), row.run.get(qid)
    ranks = _turned(before, after, base.k, row.k) or (_last(before), _last(after))
    return FlipLine(scrub(qid), _words(texts, qid), *ranks, won)


def _turned(
    before: QuestionResult | None, after: QuestionResult | None, k_before: int, k_after: int
) -> tuple[int | None, int | None] | None:
    """The ranks of the first item that is inside k on one side only."""
    if before is None or after is None or len(before.ranks) != len(after.ranks):
        return None
    for one, other in zip(before.ranks, after.ranks, strict=True):
        if (one is not None and one <= k_before) != (other is not None and other <= k_after):
            return one, other
    return None


def _words(texts: Mapping[str, str], qid: str) -> str:
    return scrub(one_line(texts.get(qid, "")[:_WORDS]))


def _last(result: QuestionResult | None) -> int | None:
    """The rank of the item that came last, None where the pool does not hold one of them."""
    ranks = result.ranks if result is not None else ()
    known = [rank for rank in ranks if rank is not None]
    return max(known) if known and len(known) == len(ranks) else None


def said(table: Table) -> str:
    """What was left out of the grid, in a sentence."""
    if not table.unusable:
        return ""
    first = table.unusable[0]
    settings = ", ".join(f"{key.partition('.')[2]}={value}" for key, value in first.settings.items())
    more = f", and {len(table.unusable) - 1} more" if len(table.unusable) > 1 else ""
    return scrub(one_line(f"left out: {settings}: {first.reason}{more}"))
