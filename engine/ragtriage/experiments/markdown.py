"""A sweep's table in Markdown, for a pull request or a wiki."""

from __future__ import annotations

from typing import Any

from ragtriage.experiments.columns import columns_of
from ragtriage.experiments.confirm import Confirmed
from ragtriage.experiments.table import Row, Table, not_filled
from ragtriage.experiments.words import confirmed_sentence, winner_sentence
from ragtriage.markup import code, escape

__all__ = ["to_markdown"]

_MOST_ROWS = 60
_SHOWN = (
    "recall@k", "change", "won", "lost", "recall@250_tokens", "recall@500_tokens", "recall@1000_tokens", "recall@2000_tokens",
    "recall@4000_tokens", "mrr", "p_holm", "context_tokens", "chunks", "texts", "build_s", "query_ms",
)  # fmt: skip


def to_markdown(table: Table, confirmed: Confirmed | None = None) -> str:
    """Two sentences, the table with the rows that are not dominated first, what stands beside them."""
    columns = [column for column in columns_of(table) if column.key in _SHOWN]
    rows = sorted(table.rows, key=lambda row: bool(row.dominated))
    lines = [escape(winner_sentence(table), 600), ""]
    if confirmed is not None:
        lines += [escape(confirmed_sentence(confirmed), 600), ""]
    lines.append("| configuration | " + " | ".join(column.head for column in columns) + " | |")
    lines.append("|---|" + "---:|" * len(columns) + "---|")
    for row in rows[:_MOST_ROWS]:
        values = " | ".join(_shown(column.value(row)) for column in columns)
        lines.append(f"| {_cell(row.name)} | {values} | {_mark(table, row)} |")
    if len(rows) > _MOST_ROWS:
        lines += ["", f"and {len(rows) - _MOST_ROWS} more"]
    return "\n".join([*lines, ""])


def _mark(table: Table, row: Row) -> str:
    said = ["**in use**"] if row is table.current else ["**winner**"] if row is table.winner else []
    said += [f"dominated by {_cell(row.dominated)}"] if row.dominated else []
    others = [budget for budget in table.budgets if budget != table.budget]  # of the one that decides a note speaks
    notes = [*row.notes, *filter(None, [not_filled(row, others)])]
    return "; ".join([*said, *(escape(note, 200) for note in notes)])


def _cell(name: str) -> str:
    """A name as code; a bar in it would end the cell, in code as well."""
    return code(name).replace("|", "\\|")


def _shown(value: Any) -> str:
    if value is None:
        return "–"
    return f"{value:.3f}" if isinstance(value, float) else f"{value:,}"
