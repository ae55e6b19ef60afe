"""The table of a sweep: one row a configuration, the sort column bold. No Textual in here."""

from __future__ import annotations

from collections.abc import Sequence

from ragtriage_tui.drawing.lists import cursor, field_rule, filtered_forms, list_row, no_match, sentence
from ragtriage_tui.rows import BLANK, Line, Role, Rule, Seg, clip_line, joined, rule
from ragtriage_tui.short_names import short_names
from ragtriage_tui.sweep_cells import cell, column_cells, fitting
from ragtriage_tui.sweep_state import SweepState
from ragtriage_tui.sweep_views import SweepColumn, SweepRow
from ragtriage_tui.text import fit, width

__all__ = ["is_short", "shown_columns", "table_need", "table_rows", "table_title"]

_LOOKED_AT = 300  # rows whose names decide how wide their column is


def shown_columns(state: SweepState, cells: int) -> tuple[list[SweepColumn], int]:
    """The columns in view and the cells of the name."""
    if state.view is None:
        return [], 0
    names = [row.name for row in state.listing.rows[:_LOOKED_AT]]
    return fitting(state.view.columns, state.sort, names, cells)


def is_short(state: SweepState, cells: int) -> bool:
    """Whether the row under the cursor has a `?` in one of the columns in view."""
    row = state.current
    return row is not None and any(column.key in row.short for column in shown_columns(state, cells)[0])


def table_need(state: SweepState) -> int:
    """Rows that the table would take, title and heads included."""
    return 2 + len(state.listing.visible) + (1 if state.running else 0)


def table_title(state: SweepState, cells: int, field: Line = BLANK) -> Line:
    if field:
        return field_rule(field, cells)
    active = state.active == "list"
    if state.view is None:
        return rule([Rule("Configurations", "" if state.failed else "reading")], cells, active=active)
    if state.listing.text:
        return rule(filtered_forms("Configurations", state.listing, cells), cells, active=active)
    if not state.listing.rows:
        return rule([Rule("Configurations")], cells, active=active)
    forms = [Rule("Configurations", "compared with ■", state.listing.position), Rule("Configurations", "with ■")]
    return rule([*forms, Rule("Configurations")], cells, active=active)


def table_rows(state: SweepState, cells: int, height: int) -> list[Line]:
    """Heads and rows; in their place a sentence where there are none."""
    view = state.view
    if view is None:
        return sentence(state.failed, cells, height) if state.failed else []
    running = _running(state.running, cells) if state.running else None
    if not state.listing.visible:
        if state.listing.text:
            return sentence(no_match(state.listing), cells, height)
        return [running] if running else sentence(state.failed or _empty(state), cells, height)
    columns, name = shown_columns(state, cells)
    room = height - 1 - (1 if running else 0)
    shown = state.listing.window.show(state.listing.cursor, len(state.listing.visible), max(room, 1))
    # of all rows, so that a name reads the same wherever one scrolls
    names = dict(zip((row.id for row in view.rows), short_names(tuple(row.name for row in view.rows), name), strict=True))
    visible, cursor_at = state.listing.visible, state.listing.cursor
    rows = [_row(state, visible[at], columns, fit(names[visible[at].id], name), cells, here=at == cursor_at) for at in shown]
    return [_heads(state, columns, name, cells), *rows, *([running] if running and not state.listing.text else [])]


def _empty(state: SweepState) -> str:
    view = state.view
    if view is not None and view.again:
        return f"No sweep yet. ctrl+r measures the {view.again}."
    return "No sweep yet. Name values under [sweep] in ragtriage.toml, or run `ragtriage sweep --size 128,256,512`."


def _running(name: str, cells: int) -> Line:
    return clip_line(joined("   ", Seg(name, "dim"), "  ", Seg("… running", "dim")), cells)


def _heads(state: SweepState, columns: Sequence[SweepColumn], name: int, cells: int) -> Line:
    parts: list[Seg | str] = ["   "]
    for column in columns:
        by = column.key == state.sort
        text = f"{column.head}▾" if by else column.head
        role: Role = "strong" if by else "dim"
        if column.form == "name":
            parts.append(Seg(fit(text, name), role))
        else:
            # the sign hangs over the numbers' edge, so that heads and numbers end in one column
            parts += [" ", Seg(fit(text, column_cells(column, sorted_by=by), right=column.form != "note"), role)]
    return clip_line(joined(*parts), cells)


def _mark(state: SweepState, row: SweepRow) -> Seg:
    if row.id == state.base:
        return Seg("■", "mark")
    if row.best:
        return Seg("*", "strong")
    if row.barred:
        return Seg("!", "warn")
    return Seg("<", "dim") if row.dominated else Seg(" ")


def _row(state: SweepState, row: SweepRow, columns: Sequence[SweepColumn], name: str, cells: int, *, here: bool) -> Line:
    weak = bool(row.dominated or row.barred) and not row.in_use
    role: Role = "strong" if row.in_use or row.best else "dim" if weak else "text"
    beside = state.against.get(row.id) if row.id != state.base else None
    parts: list[Seg | str] = [cursor(here=here), _mark(state, row), " "]
    for column in columns:
        if column.form == "name":
            parts.append(Seg(name, role))
            continue
        text = cell(column, row, beside)
        by = column.key == state.sort
        size = column_cells(column, sorted_by=by)
        if column.form == "flips" and width(text) > size - by:
            text = text.replace(" ", "")
        if column.form == "note":
            parts += [" ", Seg(fit(text, size), "dim")]
        else:
            figure: Role = "dim" if weak else "strong" if by else "text"
            parts += [" ", Seg(f"{fit(text, size - 1, right=True)} " if by else fit(text, size, right=True), figure)]
    return list_row(clip_line(joined(*parts), cells), cells, lit=here and state.active == "list")
