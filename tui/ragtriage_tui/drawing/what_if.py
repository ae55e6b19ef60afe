"""What if as a whole: the question, the levers, and what follows from them. No Textual in here."""

from __future__ import annotations

from ragtriage_tui.drawing.lists import busy_forms, cursor, list_row, pad, pane, sentence
from ragtriage_tui.rows import BLANK, Drawing, Line, Role, Rule, Seg, between, clip_line, header, joined, rule
from ragtriage_tui.sweep_views import LeverRow, LeverView
from ragtriage_tui.text import clip, fit, width, wrap
from ragtriage_tui.what_if_state import WhatIfState

__all__ = ["draw_what_if"]

_MARKS = 3  # cursor, mark, blank
_RANK, _MENDS, _BREAKS = 7, 6, 7
_NAME, _COST = 24, 30
_MOST_WORDS = 3  # rows of the question


def draw_what_if(state: WhatIfState, cells: int, height: int) -> Drawing:
    """Header and body in `height` rows (without the footer)."""
    lines = [_header(state, cells)]
    body = height - 1
    question = _question(state, cells) if not state.zoomed else []
    if body - len(question) < 6:
        question = []
    advice = _advice(state, cells, max((body - len(question)) // 3, 1)) if not state.zoomed else []
    rows = body - len(question) - len(advice)
    if state.view is not None and state.view.rows:
        rows = min(rows, len(state.view.rows) + 2)  # title and heads; what follows stands right under them
    lines += [*question, *pane(_title(state, cells), _rows(state, cells, rows - 1), rows), *advice]
    return Drawing(tuple(pad(lines, height)))


def _header(state: WhatIfState, cells: int) -> Line:
    view = state.view
    left: list[Line] = [BLANK]
    if view:
        name, setup = Seg(view.project), Seg(view.setup, "dim")
        left = [between([(name,), (setup,)]), (name,), joined(clip(view.project, max(cells // 3, 8))), BLANK]
    if state.busy:
        return header("What if", left, busy_forms(state.busy), cells)
    lost = (Seg(f"{view.lost} of {view.n} lost", "dim"),) if view and view.n else BLANK
    return header("What if", left, [lost], cells)


def _question(state: WhatIfState, cells: int) -> list[Line]:
    """The question whose evidence is looked for, and where it is today."""
    asked = state.view.asked if state.view else None
    if asked is None:
        return []
    where = f"evidence at {asked.ranks}, k = {state.view.k}" if state.view else ""
    title = rule([Rule(asked.qid, where), Rule(asked.qid)], cells)
    words = [joined(" ", asked.text[start:end]) for start, end in wrap(asked.text, cells - 2, _MOST_WORDS)]
    if not asked.lost:
        words.append(joined(" ", Seg("✓ ", "pass"), Seg("Its evidence is inside k: nothing has to be found.", "dim")))
    return [title, *words]


def _title(state: WhatIfState, cells: int) -> Line:
    view = state.view
    if view is None:
        return rule([Rule("Levers", "" if state.failed else "reading")], cells, active=True)
    place = state.listing.position
    untried = sum(row.texts > 0 for row in view.rows)
    if view.todo:
        facts = f"{view.todo} still to be tried" if view.todo > 0 else "the first is tried"
    elif untried:
        facts = f"{len(view.rows) - untried} tried, {untried} need texts embedded"
    else:
        facts = f"{len(view.rows)} tried"
    return rule([Rule("Levers", facts, place), Rule("Levers", facts), Rule("Levers")], cells, active=True)


def _rows(state: WhatIfState, cells: int, height: int) -> list[Line]:
    view = state.view
    if view is None or not view.rows:
        return sentence(state.failed, cells, height) if state.failed else []
    name, rank, cost = _widths(view, cells)
    shown = state.listing.window.show(state.listing.cursor, len(view.rows), max(height - 1, 1))
    lines = [_heads(name, rank, cost, cells)]
    for at in shown:
        lines.append(_row(view.rows[at], name, rank, cost, cells, lit=at == state.listing.cursor))
    return lines


def _widths(view: LeverView, cells: int) -> tuple[int, int, int]:
    """Cells of name, rank and cost; what is too wide for the screen is taken from the cost, then from the name."""
    name = min(max([width(row.id) for row in view.rows] + [len("lever")]), max(_NAME, cells // 3))
    rank = min(max([width(row.rank) for row in view.rows] + [_RANK]), 14) if view.asked else 0
    left = cells - _MARKS - name - rank - _MENDS - _BREAKS - 4
    cost = min(max([width(row.cost) for row in view.rows] + [len("cost")]), max(left, 0), max(_COST, cells // 3))
    if cost < 8:
        name, cost = max(name - (8 - max(cost, 0)), 8), min(8, max(left, 0))
    return name, rank, cost


def _heads(name: int, rank: int, cost: int, cells: int) -> Line:
    parts: list[Seg | str] = ["   ", Seg(fit("lever", name), "dim")]
    if rank:
        parts += [" ", Seg(fit("rank", rank, right=True), "dim")]
    tail = f"  {fit('cost', cost)} {fit('mends', _MENDS, right=True)} {fit('breaks', _BREAKS, right=True)}"
    return clip_line(joined(*parts, Seg(tail, "dim")), cells)


def _row(row: LeverRow, name: int, rank: int, cost: int, cells: int, *, lit: bool) -> Line:
    role: Role = "strong" if row.best else "dim" if row.texts or row.reason else "text"
    mark = Seg("*", "strong") if row.best else Seg("✓", "pass") if row.finds else Seg("!", "warn") if row.reason else Seg(" ")
    parts: list[Seg | str] = [cursor(here=lit), mark, " ", Seg(fit(row.id, name), role)]
    if rank:
        parts += [" ", Seg(fit(row.rank, rank, right=True), role)]
    mends = "" if row.mends is None else str(row.mends)
    breaks = "" if row.breaks is None else str(row.breaks)
    parts += [
        "  ", Seg(fit(row.cost, cost), role if row.best else "dim"), " ", Seg(fit(mends, _MENDS, right=True), role), " ",
        Seg(fit(breaks, _BREAKS, right=True), "fail" if row.breaks and row.best else role),
    ]  # fmt: skip
    return list_row(clip_line(joined(*parts), cells), cells, lit=lit)


def _advice(state: WhatIfState, cells: int, most: int) -> list[Line]:
    """What follows, under a rule of its own."""
    view = state.view
    if view is None or not view.advice:
        return []
    rows = [joined(" ", text[start:end]) for text in view.advice for start, end in wrap(text, cells - 2)]
    if len(rows) > most:
        rows = [*rows[: most - 1], joined(" ", Seg("… o shows all", "dim"))] if most > 1 else rows[:1]
    return [rule([Rule("Advice")], cells), *rows]
