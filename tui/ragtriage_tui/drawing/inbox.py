"""Inbox as a whole: reports and labels at the left, what is under the cursor at the right. No Textual in here."""

from __future__ import annotations

from ragtriage_tui.drawing.inbox_label import label_rows, label_title, safe_rows, safe_title
from ragtriage_tui.drawing.inbox_report import (
    candidate_rows,
    candidate_title,
    question_rows,
    question_title,
    report_rows,
    report_title,
    similar_rows,
    similar_title,
)
from ragtriage_tui.geometry import Geometry, geometry
from ragtriage_tui.inbox_state import InboxState
from ragtriage_tui.inbox_views import InboxRow, LabelRow, ReportRow, SafeRow
from ragtriage_tui.rows import (
    BLANK,
    Drawing,
    Line,
    Role,
    Rule,
    Seg,
    bar,
    between,
    clip_line,
    columns,
    fill,
    header,
    joined,
    rule,
)
from ragtriage_tui.text import clip, fit, one_line, width, wrap

__all__ = ["candidate_height", "draw_inbox", "list_top"]

_LEAST_CANDIDATES = 4
_LOOKED_AT = 300  # rows whose sources decide how wide their column is
_MARKS = {
    "open": Seg("·", "text"), "done": Seg("✓", "pass"), "dismissed": Seg("-", "dim"), "duplicate": Seg("=", "dim"),
}  # fmt: skip


def draw_inbox(state: InboxState, cells: int, height: int, *, field: Line = BLANK) -> Drawing:
    """Header and body in `height` rows (without the footer). `field` is the filter while it is typed."""
    geo = geometry(cells, height + 1)
    lines = [_header(state, cells)]
    if state.view and state.view.problem:
        lines.append(fill(joined(" ", Seg("! ", "warn"), clip(state.view.problem, cells - 4)), cells))
    body = height - len(lines)
    if state.zoomed or geo.single:
        return Drawing((*lines, *_one_pane(state, geo, cells, body, field)))
    left = [_list_title(state, geo, geo.left, field), *_pad(_list_rows(state, geo, geo.left, body - 1), body - 1)]
    return Drawing((*lines, *columns(left, _right(state, geo, body), geo.left, geo.right)), (geo.left,))


def list_top(state: InboxState) -> int:
    """The row of the screen at which the list begins."""
    return 2 + (1 if state.view and state.view.problem else 0)


def candidate_height(state: InboxState, cells: int, height: int) -> int:
    """Rows that the candidates have at a size of the screen, for paging."""
    geo = geometry(cells, height)
    body = geo.body - (1 if state.view and state.view.problem else 0)
    return body - 1 if geo.single or state.zoomed else max(_heights(state, geo, body)[3] - 1, 1)


def _header(state: InboxState, cells: int) -> Line:
    view = state.view
    left: list[Line] = [BLANK]
    if view:
        left = [(Seg(view.project),), joined(clip(view.project, max(cells // 3, 8))), BLANK]
    if state.busy:
        full = joined(Seg(state.busy.text), Seg("   c", "strong"), Seg(" cancels", "dim"))
        return header("Inbox", left, [full, joined(Seg(state.busy.text))], cells)
    if view is None:
        return header("Inbox", left, [], cells)
    reports = f"{state.open} {'report' if state.open == 1 else 'reports'} open"
    labels = f"{state.to_anchor} {'label' if state.to_anchor == 1 else 'labels'} to re-anchor"
    if not view.looked:
        labels = "labels are looked at"
    elif not state.to_anchor:
        labels = "all labels fit"
    long = between([(Seg(reports, "dim"),), (Seg(labels, "dim"),)], "   ")
    return header("Inbox", left, [long, (Seg(reports, "dim"),)], cells)


def _pad(rows: list[Line], height: int) -> list[Line]:
    return (rows + [BLANK] * height)[: max(height, 0)]


# the list


def _list_title(state: InboxState, geo: Geometry, cells: int, field: Line) -> Line:
    active = state.active == "list"
    if field:
        return joined(Seg("━ " if active else "─ ", "active" if active else "rule"), Seg("/", "strong"), field)
    if state.view is None:
        return rule([Rule("Reports", "reading")], cells, active=active)
    position = f"{state.cursor + 1}/{len(state.rows)}" if state.rows else ""
    words = f"/{state.text}" if state.text else f"{state.open} open"
    forms = [Rule("Reports", words, position), Rule("Reports", words), Rule("Reports")]
    return rule(forms, cells, active=active)


def _list_rows(state: InboxState, geo: Geometry, cells: int, height: int) -> list[Line]:
    view = state.view
    if view is None:
        return []
    if not state.rows:
        return _sentence(_empty(state), cells, height)
    fold = [_folded(state, cells)] if state.closed and not state.text else []
    shown = state.window.show(state.cursor, len(state.rows), max(height - len(fold), 1))
    sources = _source_cells(state, geo)
    rows = [_row(state, state.rows[at], at == state.cursor, sources, cells) for at in shown]
    return [*rows, *fold]


def _empty(state: InboxState) -> str:
    view = state.view
    if state.text:
        return f"Nothing matches /{state.text}. esc clears."
    if view and view.reports:
        return f"All {len(view.reports)} reports are dealt with. / with is:done shows them."
    return "No reports. `ragtriage import FILE` takes them in, a in Triage adds a question by itself."


def _folded(state: InboxState, cells: int) -> Line:
    return joined("  ", Seg(clip(f"⋯ {state.closed} done with: / is:done", cells - 3), "dim"))


def _sentence(text: str, cells: int, height: int) -> list[Line]:
    return [joined(" ", Seg(text[start:end], "dim")) for start, end in wrap(text, cells - 2, height)]


def _source(row: ReportRow, geo: Geometry) -> str:
    return row.source if geo.ids else row.source.partition(" ")[0]


def _source_cells(state: InboxState, geo: Geometry) -> int:
    names = [width(_source(row, geo)) for row in state.rows[:_LOOKED_AT] if isinstance(row, ReportRow)]
    return min(max(names, default=0), 13 if geo.full else 11 if geo.ids else 6)


def _row(state: InboxState, row: InboxRow, here: bool, sources: int, cells: int) -> Line:
    geo_ids = sources > 6 or cells >= 32
    cursor = Seg("▸" if here else " ")
    if isinstance(row, ReportRow):
        role: Role = "text" if row.state == "open" else "dim"
        mark = Seg("!", "warn") if row.synthetic and row.state == "open" else _MARKS[row.state]
        name = row.source if geo_ids else row.source.partition(" ")[0]
        line = joined(cursor, mark, " ", Seg(fit(name, sources), "dim"), " ", Seg(one_line(row.text), role))
    elif isinstance(row, SafeRow):
        count = len(row.labels)
        text = "1 safe label" if count == 1 else f"{count} safe labels"
        line = joined(cursor, Seg("✓", "pass"), " ", Seg(text, "strong"), Seg("  s mends them", "dim"))
    else:
        line = _label_row(cursor, row)
    line = clip_line(line, cells)
    return bar(line, cells) if here and state.active == "list" else line


def _label_row(cursor: Seg, row: LabelRow) -> Line:
    mark = Seg("✗", "fail") if row.state == "gone" else Seg("!", "warn")
    return joined(cursor, mark, " ", Seg(row.qid, "dim"), " ", Seg(row.state, "strong"), " ", Seg(one_line(row.text)))


# the right half


def _heights(state: InboxState, geo: Geometry, body: int) -> tuple[int, int, int, int]:
    """Rows of report, question, similar questions and candidates, titles included."""
    report = state.report
    if report is None:
        return body, 0, 0, 0
    question = 1 + len(question_rows(state, geo.right, 3 if body >= 28 else 2))
    similar = 1 + max(len(report.twins), 1)
    most = body - question - similar - _LEAST_CANDIDATES - 1
    words = 1 + len(report_rows(state, geo, geo.right, max(most - 1, 3)))
    candidates = body - words - question - similar
    if candidates < 3:
        return body - question, question, 0, 0
    return words, question, similar, candidates


def _right(state: InboxState, geo: Geometry, body: int) -> list[Line]:
    cells, row = geo.right, state.current
    if isinstance(row, SafeRow):
        return [safe_title(state, row, cells), *_pad(safe_rows(state, row, cells, body - 1), body - 1)]
    if isinstance(row, LabelRow):
        return [label_title(state, row, cells), *_pad(label_rows(state, cells, body - 1), body - 1)]
    if state.report is None:
        return _pad([report_title(state, cells)], body)
    words, question, similar, candidates = _heights(state, geo, body)
    out = [report_title(state, cells), *_pad(report_rows(state, geo, cells, words - 1), words - 1)]
    out += [question_title(state, cells), *_pad(question_rows(state, cells, question - 1), question - 1)]
    if similar:
        out += [similar_title(state, cells), *_pad(similar_rows(state, cells, similar - 1), similar - 1)]
    if candidates:
        out += [candidate_title(state, cells), *_pad(candidate_rows(state, geo, cells, candidates - 1), candidates - 1)]
    return _pad(out, body)


def _one_pane(state: InboxState, geo: Geometry, cells: int, body: int, field: Line) -> list[Line]:
    """The active pane alone: zoomed, or on a screen too narrow for two."""
    rows = body - 1
    row = state.current
    if state.active == "list":
        return [_list_title(state, geo, cells, field), *_pad(_list_rows(state, geo, cells, rows), rows)]
    if isinstance(row, SafeRow):
        return [safe_title(state, row, cells), *_pad(safe_rows(state, row, cells, rows), rows)]
    if isinstance(row, LabelRow):
        return [label_title(state, row, cells), *_pad(label_rows(state, cells, rows), rows)]
    if state.active == "similar":
        return [similar_title(state, cells), *_pad(similar_rows(state, cells, rows), rows)]
    if state.active == "candidates":
        return [candidate_title(state, cells), *_pad(candidate_rows(state, geo, cells, rows), rows)]
    question = question_rows(state, cells, 3)
    words = max(rows - len(question) - 1, 1)
    out = [report_title(state, cells), *_pad(report_rows(state, geo, cells, words), words)]
    return _pad([*out, question_title(state, cells), *question], body)
