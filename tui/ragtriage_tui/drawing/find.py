"""Find as lines: the words, what they match in which document, and the document itself. No Textual in here."""

from __future__ import annotations

from ragtriage_tui.drawing.document import doc_rows
from ragtriage_tui.drawing.lists import pane, sentence
from ragtriage_tui.find_state import FindMark, FindRow, FindState
from ragtriage_tui.rows import BLANK, Drawing, Line, Rule, Seg, bar, columns, fill, header, highlight, joined, length, rule
from ragtriage_tui.text import clip, clip_middle, fit, one_line, snippet, width

__all__ = ["draw_find", "find_sizes"]

_TOP = 2  # the rule of the words, and the words
_MARKS = 3


def _single(cells: int, height: int) -> bool:
    return cells < 60 or height < 15


def find_sizes(state: FindState, cells: int, height: int) -> tuple[int, int, int, int]:
    """Cells and rows of the list, cells and rows of the document beside or under it, their rules left out; 0: not shown.

    `height` counts header and footer.
    """
    body = height - 2 - _TOP - 1 - _strip_rows(state, cells, height)
    if state.zoomed or _single(cells, height):
        return (cells, body, 0, 0) if state.active == "list" else (0, 0, cells, body)
    if cells >= 100:
        left = cells * 11 // 25
        return left, body, cells - left - 1, body
    rows = max((body - 1) * 2 // 5, 3)
    return cells, rows, cells, body - 1 - rows


def draw_find(state: FindState, cells: int, height: int) -> Drawing:
    """Header and body in `height` rows (without the footer)."""
    state.preview.active = "doc" if state.active == "doc" and not state.typing else "side"
    top = [_header(state, cells), _field_title(state, cells), joined(" ", state.editor.draw(cells - 2, caret=state.typing)[0])]
    list_cells, list_rows, doc_cells, doc_height = find_sizes(state, cells, height + 1)
    left = pane(_list_title(state, list_cells), _rows(state, list_cells, list_rows), list_rows + 1) if list_cells else []
    right = pane(_doc_title(state, doc_cells), _document(state, doc_cells, doc_height), doc_height + 1) if doc_cells else []
    strip = _strip(state, cells, _strip_rows(state, cells, height + 1))
    if left and right and cells >= 100:
        return Drawing((*top, *columns(left, right, list_cells, doc_cells), *strip), (list_cells,))
    return Drawing((*top, *left, *right, *strip))


def _header(state: FindState, cells: int) -> Line:
    project = f"{state.library.project}  " if state.library else ""
    total: Line = (Seg(f"{len(state.library.documents)} documents", "dim"),) if state.library else BLANK
    name = f"evidence for {state.asked}" if state.asked else "no question yet"
    if not state.words:
        return header("Find", [joined(project, name), (Seg(name),)], [total], cells)
    words = one_line(state.words)
    room = cells - width("Find") - width(f"{project}{name}") - length(total) - 9
    least = min(width(words), 16)
    forms = [joined(project, f"{name}: {clip(words, room)}")] if room >= least else []
    forms.append((Seg(f"{name}: {clip(words, max(room + width(project), least))}"),))
    return header("Find", [*forms, (Seg(name),)], [total], cells)


def _strip_rows(state: FindState, cells: int, height: int) -> int:
    """Rows at the bottom for what is marked: its rule, and one for each sentence."""
    if not state.marks:
        return 0
    return 1 if _single(cells, height) else 1 + min(len(state.marks), _MARKS)


def _strip(state: FindState, cells: int, rows: int) -> list[Line]:
    """`Marked  2 sentences, not saved yet`, and the newest of them."""
    if rows <= 0:
        return []
    number = len(state.marks)
    facts = f"{number} sentence{'' if number == 1 else 's'}, not saved yet"
    if rows == 1:
        return [joined(" ", Seg(clip(f"marked: {one_line(state.marks[-1].text)}", cells - 2), "strong"))]
    title = rule([Rule("Marked", facts), Rule("Marked", str(number)), Rule("Marked")], cells)
    return [title, *(_marked(mark, cells) for mark in state.marks[-rows + 1 :])]


def _marked(mark: FindMark, cells: int) -> Line:
    name = clip_middle(mark.doc_id, max(cells // 4, 8))
    return joined(" ", Seg("●", "mark"), " ", clip(one_line(mark.text), cells - width(name) - 6), "  ", Seg(name, "dim"))


def _field_title(state: FindState, cells: int) -> Line:
    how = "as it stands, or /regular expression/"
    return rule([Rule("Text", f"{how}, in every document"), Rule("Text", how), Rule("Text")], cells, active=state.typing)


def _list_title(state: FindState, cells: int) -> Line:
    active = not state.typing and state.active == "list"
    rows = state.rows
    place = f"{state.cursor + 1}/{len(rows)}" if rows else ""
    if not state.pattern.text:
        facts = "with their headings" if state.library else "reading"
        return rule([Rule("Documents", facts, place), Rule("Documents", "", place)], cells, active=active)
    if state.searching or state.found is None:
        return rule([Rule("Matches", "searching"), Rule("Matches")], cells, active=active)
    total = f"{len(rows)}{' and more' if state.found.capped else ''}"
    documents = len({row.doc_id for row in rows})
    facts = f"{total} in {documents} document{'' if documents == 1 else 's'}"
    return rule([Rule("Matches", facts, place), Rule("Matches", total, place), Rule("Matches", total)], cells, active=active)


def _rows(state: FindState, cells: int, height: int) -> list[Line]:
    rows = state.rows
    if not rows:
        return _why_empty(state, cells, height)
    names = min(max((width(row.doc_id) for row in rows[:500]), default=0), max(cells * 2 // 5, 10))
    active = not state.typing and state.active == "list"
    shown = state.window.show(state.cursor, len(rows), height)
    return [_row(state, rows[index], index == state.cursor, active, names, cells) for index in shown]


def _why_empty(state: FindState, cells: int, height: int) -> list[Line]:
    if state.found and state.found.problem:
        text = state.found.problem
    elif state.pattern.text and state.found and not state.searching:
        text = f"Nothing holds {state.editor.text.strip()}. esc clears."
    elif state.library is not None and not state.library.documents:
        text = "There are no documents."
    else:
        return []
    return sentence(text, cells, height)


def _row(state: FindState, row: FindRow, here: bool, active: bool, names: int, cells: int) -> Line:
    mark = Seg("●", "mark") if state.marked(row) else Seg(" ")
    head = joined(Seg("▸" if here else " "), mark, " ")
    if row.match is not None:
        line = _match(row, head, names, cells)
    elif row.kind == "document":
        name = clip_middle(row.doc_id, cells - 4)
        title = Seg("  " + clip(one_line(row.text), cells - width(name) - 6), "dim") if row.text != row.doc_id else Seg("")
        line = joined(head, Seg(name, "text"), title if width(name) + 9 < cells else Seg(""))
    else:
        indent = "  " * min(row.level, 4)
        line = joined(head, indent, Seg(clip(one_line(row.text), cells - len(indent) - 4), "dim"))
    return bar(line, cells) if here and active else line


def _match(row: FindRow, head: Line, names: int, cells: int) -> Line:
    match = row.match
    if match is None:
        return BLANK
    number = str(match.line)
    room = cells - 4 - names - 2 - len(number) - 1
    name = Seg(fit(clip_middle(match.doc_id, names), names))
    if room < 8:
        return joined(
            fill(joined(head, Seg(clip_middle(match.doc_id, cells - 4 - len(number)))), cells - len(number) - 1), number
        )
    heading_cells = room if room < 40 else min(room * 2 // 5, 24)
    heading = Seg(fit(one_line(match.heading) or "–", heading_cells), "dim")
    body = joined(head, name, "  ", heading)
    if room - heading_cells > 10:
        text, places = snippet(match.context, (match.inside,), room - heading_cells - 3)
        body = joined(body, "  ", highlight(text, places, "text", "strong"))
    return joined(fill(body, cells - len(number) - 1), Seg(number, "dim"), " ")


def _doc_title(state: FindState, cells: int) -> Line:
    active = not state.typing and state.active == "doc"
    view, row = state.preview.view, state.current
    if view is None or row is None:
        return rule([Rule("Document")], cells, active=active)
    line = f"line {state.preview.line_of(state.preview.cursor)} of {state.preview.lines}"
    name = clip_middle(view.doc_id, max(cells - 4, 4))
    title = view.title if view.title != view.doc_id else ""
    return rule([Rule(name, title, line), Rule(name, "", line), Rule(name)], cells, active=active)


def _document(state: FindState, cells: int, height: int) -> list[Line]:
    if state.current is None or state.preview.view is None:
        return []
    return doc_rows(state.preview, cells - 4, height)
