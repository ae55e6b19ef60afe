"""Document as a whole: the text with the borders of its chunks, and at its side or under it what it is read for."""

from __future__ import annotations

from ragtriage_tui.document_state import DocRow, DocumentState
from ragtriage_tui.document_views import DocumentView
from ragtriage_tui.drawing.document_side import chunk_rows, question_rows, quote_rows, strip
from ragtriage_tui.drawing.lists import pad, pane
from ragtriage_tui.rows import (
    BLANK,
    Drawing,
    Line,
    Role,
    Rule,
    Seg,
    between,
    columns,
    fill,
    header,
    highlight,
    joined,
    length,
    rule,
)
from ragtriage_tui.text import Extent, clip_middle

__all__ = ["SIDE", "doc_rows", "doc_title", "document_header", "document_size", "draw_document", "text_line"]

SIDE = 39
_STRIP = 4
_BEFORE = 3  # cursor, mark, blank
_FACTS = 7
_MARKS = {"whole": Seg("●", "mark"), "part": Seg("◐", "mark")}


def document_size(state: DocumentState, width: int, height: int) -> tuple[int, int]:
    """Cells and rows that the text has on a screen of this size (its footer counted)."""
    body = height - 2
    if state.zoomed or width < 60 or height < 15:
        return width - _BEFORE - 1, body - 1
    if width >= 100:
        return width - SIDE - 1 - _BEFORE - 1, body - 1
    return width - _BEFORE - 1, body - 1 - _STRIP - 1


def draw_document(state: DocumentState, width: int, height: int) -> Drawing:
    """Header and body in `height` rows (without the footer)."""
    head = document_header(state.view, width)
    cells, rows = document_size(state, width, height + 1)
    single = width < 60 or height + 1 < 15
    if (single and state.active == "side") or state.view is None:
        side = _side(state, width, height - 1) if state.view else [doc_title(state, width)]
        return Drawing((head, *pad(side, height - 1)))
    left = cells + _BEFORE + 1
    text = pane(doc_title(state, left), doc_rows(state, cells, rows), rows + 1)
    if single or state.zoomed:
        return Drawing((head, *text))
    if width >= 100:
        side = pad(_side(state, SIDE, height - 1), height - 1)
        return Drawing((head, *columns(text, side, left, SIDE)), (left,))
    return Drawing((head, *text, *pad(strip(state, width, _STRIP), _STRIP + 1)))


def document_header(view: DocumentView | None, width: int) -> Line:
    """Row 0: project and file at the left, chunking and retrieval at the right."""
    if view is None:
        return header("Document", [BLANK], [], width)
    name, source = Seg(view.project), Seg(view.source, "dim")
    left = [between([(name,), (source,)]), (source,), BLANK]
    right = [(Seg("  ".join(view.setup[index:]), "dim"),) for index in range(len(view.setup))]
    return header("Document", left, right, width)


def doc_title(state: DocumentState, cells: int) -> Line:
    """The rule above the text: id, title, which chunk of how many."""
    view = state.view
    if view is None:
        return rule([Rule("", "reading")], cells, active=True)
    active = state.active == "doc"
    total = len(view.parts)
    place = f"chunk {state.part + 1} of {total}" if state.part >= 0 else f"{total} chunks"
    name = clip_middle(view.doc_id, max(cells - 4, 4))
    title = view.title if view.title != view.doc_id else ""
    if view.uncut:
        return rule([Rule(name, title, "no chunks"), Rule(name, "", "no chunks"), Rule(name)], cells, active=active)
    return rule([Rule(name, title, place), Rule(name, "", place), Rule(name)], cells, active=active)


def doc_rows(state: DocumentState, cells: int, height: int) -> list[Line]:
    """The rows of the text in view, each with its cursor cell and mark cell."""
    view = state.view
    if view is None:
        return []
    rows = state.rows(cells)
    if not rows and state.unlaid(cells):
        return [joined("   ", Seg("The document is being laid out.", "dim"))]
    if not rows:
        return [joined("   ", Seg("This document has no text.", "dim"))]
    at, part = state.at(cells), state.part
    shown = state.shown(cells, height)
    return [_row(state, view, rows[index], cells, here=index == at, current=rows[index].part == part) for index in shown]


def _row(state: DocumentState, view: DocumentView, row: DocRow, cells: int, *, here: bool, current: bool) -> Line:
    if row.kind == "border":
        return _border(view, row.part, cells, current=current)
    quote = state.quote.span if state.quote else None
    quoted = quote is not None and row.span.start < quote.end and quote.start < row.span.end
    active = state.active == "doc"
    head = joined(Seg("▸" if here else " "), _mark(row, quoted=quoted, current=current), " ")
    line = joined(head, text_line(view, row.span, quote if quoted else None))
    return _bar(line, cells + _BEFORE + 1) if here and active else line


def _mark(row: DocRow, *, quoted: bool, current: bool) -> Seg:
    if quoted:
        return Seg(">", "strong")
    if row.shared:
        return Seg("┆", "active" if current else "rule")
    return Seg("┃", "active") if current else Seg(" ")


def text_line(view: DocumentView, row: Extent, quote: Extent | None = None, role: Role = "text") -> Line:
    """One row of the text with its evidence and its quote marked; a Markdown heading is bold."""
    text = view.text[row.start : row.end]
    role = "strong" if role == "text" and text.lstrip().startswith("#") else role
    places = [_within(place, row) for place in view.evidence if place.start < row.end and row.start < place.end]
    if quote is None:
        return highlight(text, places, role)
    chosen = _within(quote, row)
    rest = [part for place in places for part in _around(place, chosen)]
    before = highlight(text[: chosen.start], [place for place in rest if place.end <= chosen.start], role)
    after = [Extent(place.start - chosen.end, place.end - chosen.end) for place in rest if place.start >= chosen.end]
    return joined(before, Seg(text[chosen.start : chosen.end], "select"), highlight(text[chosen.end :], after, role))


def _around(place: Extent, chosen: Extent) -> list[Extent]:
    """What of `place` lies before and after `chosen`."""
    parts = (Extent(place.start, min(place.end, chosen.start)), Extent(max(place.start, chosen.end), place.end))
    return [part for part in parts if part.end > part.start]


def _within(place: Extent, row: Extent) -> Extent:
    return Extent(max(place.start - row.start, 0), min(place.end, row.end) - row.start)


_ON_BAR: dict[Role, Role] = {"strong": "bar-strong", "evidence": "evidence", "select": "select"}


def _bar(line: Line, cells: int) -> Line:
    """The cursor bar, with evidence and quote still told apart on it."""
    return tuple(Seg(text, _ON_BAR.get(role, "bar")) for text, role in fill(line, cells))


def _border(view: DocumentView, index: int, cells: int, *, current: bool) -> Line:
    """`── #4 ◐ rank 9 · 121 tokens ───`, the current one heavy."""
    part = view.parts[index]
    stroke, style = ("━", "active") if current else ("─", "rule")
    role: Role = "active" if style == "active" else "rule"
    rank = f"rank {part.rank} · " if part.rank else "not in the pool · " if view.ranked else ""
    label = clip_middle(part.label, max(cells - 32, 6))
    mark = joined(" ", _MARKS[part.holds]) if part.holds in _MARKS else BLANK
    if part.judged:
        mark = joined(mark, " ", Seg(part.judged, "pass" if part.judged == "+" else "dim"))
    head = joined(
        " ", Seg(stroke * 2, role), " ", Seg(label, "strong" if current else "dim"), mark,
        Seg(f" {rank}{part.tokens} tokens ", "dim"),
    )  # fmt: skip
    return joined(head, Seg(stroke * max(cells + _BEFORE - length(head), 0), role), " ")  # the line beside it goes through


def _side(state: DocumentState, cells: int, height: int) -> list[Line]:
    """Question, chunk and quote under each other; the chunk's facts go first when there is no room."""
    facts = chunk_rows(state, cells)
    quote = quote_rows(state, cells)
    asked = question_rows(state, cells, 200)
    spare = height - len(asked) - len(facts) - len(quote)
    if spare < 0 and height < 20:
        spare, facts = spare + len(facts), []
    if spare < 0:
        keep = max(len(asked) + spare, 5)
        asked = question_rows(state, cells, keep - 1)
    return [*asked, *facts, *quote]
