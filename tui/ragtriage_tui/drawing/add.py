"""Add as a whole: question, results, record and preview put together for a size. No Textual in here."""

from __future__ import annotations

from ragtriage_tui.add_state import AddState
from ragtriage_tui.drawing.add_record import record_rows, record_title
from ragtriage_tui.drawing.add_results import preview_rows, preview_title, result_rows, result_title
from ragtriage_tui.rows import BLANK, Drawing, Line, Rule, Seg, between, columns, header, joined, rule
from ragtriage_tui.text import wrap

__all__ = ["SIDE", "add_header", "draw_add", "result_height"]

SIDE = 47
_TYPING_ROWS = 6


def _single(width: int, height: int) -> bool:
    return width < 60 or height < 15


def draw_add(state: AddState, width: int, height: int) -> Drawing:
    """Header and body in `height` rows (without the footer)."""
    lines = [add_header(state, width)]
    words = _words(state, width, height)
    lines += [_question_title(state, width), *words]
    rest = height - len(lines)
    if _single(width, height + 1) or state.zoomed:
        if state.active == "record":
            return Drawing((*lines, record_title(state, width), *_pad(record_rows(state, width, rest - 1), rest - 1)))
        return Drawing((*lines, result_title(state, width), *_pad(result_rows(state, width, rest - 1), rest - 1)))
    if width >= 100:
        return _wide(state, width, lines, rest)
    record = record_rows(state, width, rest)
    below = len(record) + 1
    results = [result_title(state, width), *_pad(result_rows(state, width, rest - below - 1), rest - below - 1)]
    return Drawing((*lines, *results, record_title(state, width), *record))


def _wide(state: AddState, width: int, lines: list[Line], rest: int) -> Drawing:
    left = width - SIDE - 1
    record = record_rows(state, SIDE, rest)
    free = rest - len(record) - 2
    right = [record_title(state, SIDE), *record]
    if free > 2:
        right += [preview_title(state, SIDE), *_pad(preview_rows(state, SIDE, free), free)]
    results = [result_title(state, left), *_pad(result_rows(state, left, rest - 1), rest - 1)]
    return Drawing((*lines, *columns(results, _pad(right, rest), left, SIDE)), (left,))


def result_height(state: AddState, width: int, height: int) -> int:
    """Rows that a page of the results has on a screen of this size."""
    return max(height - 8, 1) if width >= 100 else max(height - 14, 1)


def add_header(state: AddState, width: int) -> Line:
    """Row 0: project and golden file at the left, the draft and the configuration at the right."""
    name = "Fix evidence" if state.draft.qid else "Add question"
    start = state.start
    if start is None:
        return header(name, [BLANK], [], width)
    left = [between([(Seg(start.project),), (Seg(start.golden, "dim"),)]), (Seg(start.project),), BLANK]
    long, short = _kept(state)
    forms = [f"{long}   {setup}" for setup in start.setup[:1]]
    right = [(Seg(text, "dim"),) for text in (*forms, long, short) if text]
    return header(name, left, right, width)


def _kept(state: AddState) -> tuple[str, str]:
    if state.phase == "saved" and state.saved:
        line = f"saved on line {state.saved.line}"
        return line, "saved"
    return "draft kept as you type", "draft kept"


def _question_title(state: AddState, width: int) -> Line:
    facts = "the words are being changed" if state.phase == "typing" and state.draft.fixed else "as the user wrote it"
    if state.phase != "typing" and state.draft.first != state.draft.text:
        facts = "reworded; the first words are kept"
    ref = f"from {state.draft.ref}" if state.draft.ref else ""
    forms = [Rule("Question", facts, ref), Rule("Question", facts), Rule("Question")]
    return rule(forms, width, active=state.phase == "typing")


def _words(state: AddState, width: int, height: int) -> list[Line]:
    """Two rows of the words; while they are first typed as many as they need, within reason."""
    state.editor.lines = 2
    typing = state.phase == "typing"
    if typing and not state.draft.fixed:
        most = max(min(_TYPING_ROWS, height - 12), 2)
        state.editor.lines = min(max(len(wrap(state.editor.text, width - 3, most)), 2), most)
    if _single(width, height + 1):
        state.editor.lines = 2 if height >= 12 else 1
        if state.editor.lines == 1:
            flat = " ".join((state.editor.text or "").split("\n"))
            return [joined(" ", Seg(flat[-(width - 3) :], "strong"), Seg(" ", "caret" if typing else "text"))]
    rows = state.editor.draw(width - 2, caret=typing, empty="")
    return [joined(" ", row) for row in rows]


def _pad(rows: list[Line], height: int) -> list[Line]:
    return (rows + [BLANK] * height)[: max(height, 0)]
