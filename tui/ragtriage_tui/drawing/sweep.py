"""Sweep as a whole: the table above, chart and flips below. No Textual in here."""

from __future__ import annotations

import math
from collections.abc import Sequence

from ragtriage_tui.drawing.chart import Series, drawn
from ragtriage_tui.drawing.lists import body_rows, busy_forms, pad, pane, sentence
from ragtriage_tui.drawing.sweep_flips import flip_rows, flips_title
from ragtriage_tui.drawing.sweep_table import is_short, table_need, table_rows, table_title
from ragtriage_tui.geometry import Geometry, geometry
from ragtriage_tui.rows import BLANK, Drawing, Line, Role, Rule, Seg, between, columns, fill, header, joined, rule
from ragtriage_tui.sweep_state import CHARTS, WIDE, SweepState
from ragtriage_tui.sweep_views import SweepRow
from ragtriage_tui.text import clip

__all__ = ["draw_sweep", "round_ticks", "table_height"]

_LEAST = 6  # rows of the table, title and heads included
_MOST_MS = 4  # ticks of the chart by latency


def draw_sweep(state: SweepState, cells: int, height: int, *, field: Line = BLANK) -> Drawing:
    """Header and body in `height` rows (without the footer). `field` is the filter while it is typed."""
    geo = geometry(cells, height + 1)
    lines = [_header(state, cells)]
    if state.notice:
        lines.append(fill(joined(" ", Seg("! ", "warn"), clip(state.notice, cells - 4)), cells))
    body = height - len(lines)
    if geo.single or state.zoomed or not _lower(state):
        return Drawing((*lines, *_alone(state, cells, body, field)))
    top = _top(state, geo, body)
    lines += pane(table_title(state, cells, field), table_rows(state, cells, top - 1), top)
    under = body - top
    short = is_short(state, cells)
    if cells < WIDE:
        lower = _chart(state, cells, under) if state.charted else _flips(state, cells, under, names=False, short=short)
        return Drawing((*lines, *lower))
    left = cells // 2 - 1
    flips = _flips(state, cells - left - 1, under, names=True, short=short)
    both = columns(_chart(state, left, under), flips, left, cells - left - 1)
    return Drawing((*lines, *both), (left,))


def table_height(state: SweepState, cells: int, height: int) -> int:
    """Rows that the table has at a size of the screen, for paging."""
    geo = geometry(cells, height)
    body = body_rows(state, geo)
    return max((body if geo.single or state.zoomed else _top(state, geo, body)) - 2, 1)


def _lower(state: SweepState) -> bool:
    return bool(state.listing.rows)


def _top(state: SweepState, geo: Geometry, body: int) -> int:
    """Rows of the table, as many as it needs; what is under it has at least so much that one can read it."""
    under = body * 48 // 100 if geo.height >= 30 else body * 41 // 100
    return max(min(table_need(state), body - under), min(_LEAST, body))


def _header(state: SweepState, cells: int) -> Line:
    view = state.view
    left: list[Line] = [BLANK]
    if view:
        name, setup = Seg(view.project), Seg(view.setup, "dim")
        left = [between([(name,), (setup,)]), (name,), joined(clip(view.project, max(cells // 3, 8))), BLANK]
    measured: Line = (Seg(f"dev n {view.n}", "dim"),) if view and view.n else BLANK
    if state.busy:
        forms = busy_forms(state.busy)
        return header("Sweep", left, [*(between([measured, form], "   ") for form in forms[:1]), *forms], cells)
    return header("Sweep", left, [between([measured, _chosen(state)], "   "), measured], cells)


def _chosen(state: SweepState) -> Line:
    view = state.view
    return (Seg(f"best by {view.by}", "dim"),) if view and view.by and view.rows else BLANK


def _alone(state: SweepState, cells: int, body: int, field: Line) -> list[Line]:
    if state.active == "list" or not _lower(state):
        return pane(table_title(state, cells, field), table_rows(state, cells, body - 1), body)
    return _chart(state, cells, body) if state.active == "chart" else _flips(state, cells, body, names=True)


def _flips(state: SweepState, cells: int, height: int, *, names: bool, short: bool = False) -> list[Line]:
    return pane(flips_title(state, cells), flip_rows(state, cells, height - 1, names=names, short=short), height)


# the charts


def _chart(state: SweepState, cells: int, height: int) -> list[Line]:
    by = ("tokens of context", "milliseconds of a search")[state.chart]
    forms = [
        Rule("Evidence recall", f"by {by}", f"{state.chart + 1} of {CHARTS} charts"),
        Rule("Evidence recall", f"by {by}"), Rule(f"Recall by {by}"),
    ]  # fmt: skip
    rows = list((_by_tokens if state.chart == 0 else _by_latency)(state, cells, height - 1))
    if not rows:
        rows = sentence("Nothing to draw here." if state.listing.visible else "", cells, height - 1)
    return pad([rule(forms, cells, active=state.active == "chart"), *rows], height)


def _by_tokens(state: SweepState, cells: int, height: int) -> tuple[Line, ...]:
    budgets = state.view.budgets if state.view else ()
    ticks = tuple((float(tokens), f"{tokens // 1000}k" if tokens >= 1000 else str(tokens)) for tokens in budgets)
    series = [Series(_budget_points(row, budgets), mark, role) for row, mark, role in _two(state)]
    return drawn(tuple(series), ticks, cells, height)


def _budget_points(row: SweepRow, budgets: Sequence[int]) -> tuple[tuple[float, float], ...]:
    return tuple((float(tokens), value) for tokens, value in zip(budgets, row.budgets, strict=True) if value is not None)


def _by_latency(state: SweepState, cells: int, height: int) -> tuple[Line, ...]:
    two = _two(state)
    known = {row.id for row, *_ in two}
    others = [point for row in state.listing.visible if row.id not in known and (point := _latency(row))]
    series = [Series(tuple(others), "·", "dim", line=False)]
    series += [Series((point,), mark, role, line=False) for row, mark, role in two if (point := _latency(row))]
    found = sorted(x for one in series for x, _ in one.points)
    if not found:
        return ()
    return drawn(tuple(series), round_ticks(found[0], found[-1]), cells, height)


def round_ticks(low: float, high: float) -> tuple[tuple[float, str], ...]:
    """Round numbers of milliseconds inside low..high, each with how it is written."""
    wide = high - low
    if wide < 1e-9:
        return ((low, f"{low:.1f}"),)
    power = 10.0 ** math.floor(math.log10(wide))
    step = next(size * power for size in (0.2, 0.5, 1, 2, 5) if wide / (size * power) <= _MOST_MS + 1)
    places = max(0, -math.floor(math.log10(step) + 1e-9))
    found = range(math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9) + 1)
    return tuple((number * step, f"{number * step:,.{places}f}") for number in found)


def _latency(row: SweepRow) -> tuple[float, float] | None:
    x, y = row.values.get("query_ms"), row.values.get("recall@k")
    return None if x is None or y is None else (x, y)


def _two(state: SweepState) -> list[tuple[SweepRow, str, Role]]:
    """The marked row and, over it, the one under the cursor."""
    found: list[tuple[SweepRow, str, Role]] = []
    if state.marked is not None:
        found.append((state.marked, "■", "active"))
    if state.current is not None and state.current is not state.marked:
        found.append((state.current, "▸", "mark"))
    return found
