"""A sweep as one JSON document and as CSV. Stable keys; the rows of the same trials are the same bytes but for the times."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from typing import Any

from ragtriage.experiments.columns import Column, columns_of
from ragtriage.experiments.confirm import Confirmed
from ragtriage.experiments.table import Row, Table, not_filled
from ragtriage.experiments.versus import Versus

__all__ = ["to_csv", "to_json", "versus_json"]


def to_json(table: Table, confirmed: Confirmed | None = None) -> dict[str, Any]:
    """The document that `sweep --json` prints. `rows` have `metrics` by column and what versus the one in use flips."""
    columns = columns_of(table)
    return {
        "format": 1,
        "by": table.by,
        "budget": table.budget,
        "current": table.current.name,
        "winner": table.winner.name if table.winner else None,
        "winners": {model: row.name for model, row in table.winners.items()},
        "rows": [_row(columns, row) for row in table.rows],
        "unusable": [{"settings": dict(one.settings), "reason": one.reason} for one in table.unusable],
        "confirmed": _confirmed(confirmed),
    }


def to_csv(table: Table) -> str:
    """One line a configuration, a header first. A name that a spreadsheet would take for a formula is kept from that."""
    columns = columns_of(table)
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["configuration", *(column.key for column in columns), "dominated", "winner", "notes"])
    for row in table.rows:
        values = ["" if value is None else value for column in columns for value in [column.value(row)]]
        winner = "yes" if table.winner is row else ""
        others = [budget for budget in table.budgets if budget != table.budget]  # of the one that decides a note speaks
        notes = "; ".join(filter(None, [*row.notes, not_filled(row, others)]))
        writer.writerow([_cell(row.name), *values, _cell(row.dominated), winner, _cell(notes)])
    return out.getvalue()


def _cell(text: str) -> str:
    """`text` on one line, never a formula. The writer of Python 3.11 leaves a lone carriage return as it is."""
    flat = "".join(character if character.isprintable() else " " for character in text).strip()
    return f"'{flat}" if flat[:1] in tuple("=+-@") else flat


def _row(columns: Sequence[Column], row: Row) -> dict[str, Any]:
    return {
        "config": row.name,
        "settings": dict(row.candidate.settings),
        "k": row.k,
        "metrics": {column.key: column.value(row) for column in columns if not column.timed},
        "timings": {column.key: column.value(row) for column in columns if column.timed},
        "n": row.run.manifest["metrics"].get(f"recall@{row.k}", {}).get("n", 0),
        "coarse": row.figures["coarse"],
        "short": row.figures["short"],
        "dominated": row.dominated or None,
        "barred": row.barred,
        "notes": list(row.notes),
        "versus_current": versus_json(row.versus) if row.versus else None,
        "versus_current_in_budget": versus_json(row.inside) if row.inside else None,
        "trial": row.run.id,
    }


def versus_json(found: Versus) -> dict[str, Any]:
    """A comparison with the configuration in use as JSON values."""
    return {**found._asdict(), "won": list(found.won), "lost": list(found.lost)}


def _confirmed(found: Confirmed | None) -> dict[str, Any] | None:
    if found is None:
        return None
    return {"holds": found.holds, "again": found.again, "look": found.look, "budget": found.budget, **versus_json(found.versus)}
