"""The cells of a sweep's table: how values are written, how rows are ordered, which columns there is room for. No Textual."""

from __future__ import annotations

from collections.abc import Sequence

from ragtriage_tui.sweep_views import Against, SweepColumn, SweepRow
from ragtriage_tui.text import width

__all__ = ["cell", "change_text", "column_cells", "fitting", "p_text", "share_text", "sort_key", "value_of"]

_CELLS = {"share": 4, "budget": 5, "change": 6, "flips": 6, "count": 6, "ms": 5, "s": 6, "MB": 6, "p": 4}
_NOTE = 10
_MARKS = 3  # cursor, mark, blank
_LEAST_NAME, _FULL_NAME = 24, 36


def share_text(value: float | None) -> str:
    """`.88`, `1.00`; a dash where there is none."""
    return "–" if value is None else f"{value:.2f}".removeprefix("0")


def change_text(value: float | None) -> str:
    """`+.06`, `−.02`, `.00`."""
    if value is None:
        return "–"
    text = f"{abs(value):.2f}".removeprefix("0")
    if float(f"{value:.2f}") == 0:
        return text
    return f"{'+' if value > 0 else '−'}{text}"


def p_text(value: float) -> str:
    """`.45`, `<.01`."""
    return "<.01" if value < 0.01 else share_text(value)


def value_of(column: SweepColumn, row: SweepRow, beside: Against | None) -> float | str | None:
    """What a row is sorted by in a column."""
    if column.form == "name":
        return row.name.casefold()
    if column.form == "change":
        return beside.change if beside else 0.0
    if column.form == "flips":
        return float(beside.won - beside.lost) if beside else 0.0
    if column.form == "p":
        return beside.p if beside else None
    return row.values.get(column.key)


def sort_key(column: SweepColumn, value: float | str | None) -> tuple[bool, float | str]:
    """The best first; what has no value last."""
    if value is None:
        return True, 0.0
    if isinstance(value, str):
        return False, value
    return False, -value if column.higher and column.form != "p" else value


def cell(column: SweepColumn, row: SweepRow, beside: Against | None) -> str:
    """What stands in a cell. `beside` None: it is the row that all are compared with, or was not compared yet."""
    form = column.form
    if form == "name":
        return row.name
    if form == "note":
        return row.note
    if form in ("change", "flips", "p"):
        if beside is None:
            return ""
        if form == "p":
            return p_text(beside.p)
        return change_text(beside.change) if form == "change" else f"+{beside.won} −{beside.lost}"
    value = row.values.get(column.key)
    if value is None:
        return "–"
    if form == "share":
        return share_text(value)
    if form == "budget":
        return share_text(value) + ("?" if column.key in row.short else " ")
    if form == "MB":
        return f"{value / 1e6:.1f}"
    if form == "count":
        return f"{value:,.0f}"
    return f"{value:.1f}" if value < 100 else f"{value:,.0f}"


def column_cells(column: SweepColumn, *, sorted_by: bool = False) -> int:
    """How wide a column is, without the blank before it; not of the name, which takes what is left."""
    if column.form == "note":
        return _NOTE
    return max(_CELLS[column.form], width(column.head) + (1 if sorted_by else 0))


def fitting(columns: Sequence[SweepColumn], sort: str, names: Sequence[str], cells: int) -> tuple[list[SweepColumn], int]:
    """The columns there is room for in `cells`, by their rank, and what is left for the name. The one that rows are sorted by
    is always among them."""
    wanted = max(map(width, names), default=_LEAST_NAME)
    name = min(max(wanted, _LEAST_NAME), max(_FULL_NAME, cells // 3))
    room = cells - _MARKS - name
    kept: list[str] = []
    for column in sorted(columns, key=lambda one: (one.key != sort, one.rank)):
        if column.form == "name":
            continue
        size = column_cells(column, sorted_by=column.key == sort) + 1
        if size <= room or not kept:
            kept.append(column.key)
            room -= size
        else:
            break
    out = [column for column in columns if column.form == "name" or column.key in kept]
    return out, name + max(room, 0)
