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
from ragtriage_tui.drawing.lists import (
    body_rows,
    busy_forms,
    cursor,
    field_rule,
    halves,
    list_row,
    no_match,
    pad,
    pane,
    sentence,
)
from ragtriage_tui.geometry import Geometry, geometry
from ragtriage_tui.inbox_state import InboxState
from ragtriage_tui.inbox_views import InboxRow, LabelRow, ReportRow, SafeRow
from ragtriage_tui.rows import BLANK, Drawing, Line, Role, Rule, Seg, between, clip_line, header, joined, rule
from ragtriage_tui.text import clip, fit, one_line, width

__all__ = ["candidate_height", "draw_inbox"]

_LEAST_CANDIDATES = 4
_LOOKED_AT = 300  # rows whose sources decide how wide their column is
_MARKS = {
    "open": Seg("·", "text"), "done": Seg("✓", "pass"), "dismissed": Seg("-", "dim"), "duplicate": Seg("=", "dim"),
}  # fmt: skip


def draw_inbox(state: InboxState, cells: int, height: int, *, field: Line = BLANK) -> Drawing:
    """Header and body in `height` rows (without the footer). `field` is the filter while it is typed."""
    return halves(
        state, _header(state, cells), cells, height,
        left=lambda geo, body: _list(state, geo, geo.left, body, field), right=lambda geo, body: _right(state, geo, body),
        alone=lambda geo, body: _one_pane(state, geo, cells, body, field),
    )  # fmt: skip


def candidate_height(state: InboxState, cells: int, height: int) -> int:
    """Rows that the candidates have at a size of the screen, for paging."""
    geo = geometry(cells, height)
    body = body_rows(state, geo)
    return body - 1 if geo.single or state.zoomed else max(_heights(state, geo, body)[3] - 1, 1)


def _header(state: InboxState, cells: int) -> Line:
    view = state.view
    left: list[Line] = [BLANK]
    if view:
        left = [(Seg(view.project),), joined(clip(view.project, max(cells // 3, 8))), BLANK]
    if state.busy:
        return header("Inbox", left, busy_forms(state.busy), cells)
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


# the list


def _list(state: InboxState, geo: Geometry, cells: int, height: int, field: Line) -> list[Line]:
    title = field_rule(field, cells) if field else _list_title(state, cells)
    return pane(title, _list_rows(state, geo, cells, height - 1), height)


def _list_title(state: InboxState, cells: int) -> Line:
    active = state.active == "list"
    if state.view is None:
        return rule([Rule("Reports", "reading")], cells, active=active)
    position = state.listing.position
    words = f"/{state.listing.text}" if state.listing.text else f"{state.open} open"
    forms = [Rule("Reports", words, position), Rule("Reports", words), Rule("Reports")]
    return rule(forms, cells, active=active)


def _list_rows(state: InboxState, geo: Geometry, cells: int, height: int) -> list[Line]:
    view = state.view
    if view is None:
        return []
    if not state.listing.visible:
        return sentence(_empty(state), cells, height)
    fold = [_folded(state, cells)] if state.closed and not state.listing.text else []
    shown = state.listing.window.show(state.listing.cursor, len(state.listing.visible), max(height - len(fold), 1))
    sources = _source_cells(state, geo)
    rows = [_row(state, state.listing.visible[at], at == state.listing.cursor, sources, cells) for at in shown]
    return [*rows, *fold]


def _empty(state: InboxState) -> str:
    view = state.view
    if state.listing.text:
        return no_match(state.listing)
    if view and view.reports:
        return f"All {len(view.reports)} reports are dealt with. / with is:done shows them."
    return "No reports. `ragtriage import FILE` takes them in, a in Triage adds a question by itself."


def _folded(state: InboxState, cells: int) -> Line:
    return joined("  ", Seg(clip(f"⋯ {state.closed} done with: / is:done", cells - 3), "dim"))


def _source(row: ReportRow, geo: Geometry) -> str:
    return row.source if geo.ids else row.source.partition(" ")[0]


def _source_cells(state: InboxState, geo: Geometry) -> int:
    names = [width(_source(row, geo)) for row in state.listing.visible[:_LOOKED_AT] if isinstance(row, ReportRow)]
    return min(max(names, default=0), 13 if geo.full else 11 if geo.ids else 6)


def _row(state: InboxState, row: InboxRow, here: bool, sources: int, cells: int) -> Line:
    geo_ids = sources > 6 or cells >= 32
    first = cursor(here=here)
    if isinstance(row, ReportRow):
        role: Role = "text" if row.state == "open" else "dim"
        mark = Seg("!", "warn") if row.synthetic and row.state == "open" else _MARKS[row.state]
        name = row.source if geo_ids else row.source.partition(" ")[0]
        line = joined(first, mark, " ", Seg(fit(name, sources), "dim"), " ", Seg(one_line(row.text), role))
    elif isinstance(row, SafeRow):
        count = len(row.labels)
        text = "1 safe label" if count == 1 else f"{count} safe labels"
        line = joined(first, Seg("✓", "pass"), " ", Seg(text, "strong"), Seg("  s mends them", "dim"))
    else:
        line = _label_row(first, row)
    return list_row(clip_line(line, cells), cells, lit=here and state.active == "list")


def _label_row(first: Seg, row: LabelRow) -> Line:
    mark = Seg("✗", "fail") if row.state == "gone" else Seg("!", "warn")
    return joined(first, mark, " ", Seg(row.qid, "dim"), " ", Seg(row.state, "strong"), " ", Seg(one_line(row.text)))


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
    cells = geo.right
    if state.report is None or isinstance(state.current, SafeRow | LabelRow):
        return _label_pane(state, cells, body)
    words, question, similar, candidates = _heights(state, geo, body)
    out = pane(report_title(state, cells), report_rows(state, geo, cells, words - 1), words)
    out += pane(question_title(state, cells), question_rows(state, cells, question - 1), question)
    if similar:
        out += pane(similar_title(state, cells), similar_rows(state, cells, similar - 1), similar)
    if candidates:
        out += pane(candidate_title(state, cells), candidate_rows(state, geo, cells, candidates - 1), candidates)
    return pad(out, body)


def _label_pane(state: InboxState, cells: int, body: int) -> list[Line]:
    """What there is of a row that is no report, or of a report that is not there yet."""
    row = state.current
    if isinstance(row, SafeRow):
        return pane(safe_title(state, row, cells), safe_rows(state, row, cells, body - 1), body)
    if isinstance(row, LabelRow):
        return pane(label_title(state, row, cells), label_rows(state, cells, body - 1), body)
    return pane(report_title(state, cells), [], body)


def _one_pane(state: InboxState, geo: Geometry, cells: int, body: int, field: Line) -> list[Line]:
    """The active pane alone: zoomed, or on a screen too narrow for two."""
    rows = body - 1
    if state.active == "list":
        return _list(state, geo, cells, body, field)
    if isinstance(state.current, SafeRow | LabelRow):
        return _label_pane(state, cells, body)
    if state.active == "similar":
        return pane(similar_title(state, cells), similar_rows(state, cells, rows), body)
    if state.active == "candidates":
        return pane(candidate_title(state, cells), candidate_rows(state, geo, cells, rows), body)
    question = question_rows(state, cells, 3)
    words = max(rows - len(question) - 1, 1)
    out = pane(report_title(state, cells), report_rows(state, geo, cells, words), words + 1)
    return pad([*out, question_title(state, cells), *question], body)
