"""The answers of both sides of a review as lines: beside each other, or under each other. No Textual in here."""

from __future__ import annotations

from ragtriage_tui.answer_views import AnswerView
from ragtriage_tui.drawing.answer_marks import good_mark, mark_line, whole_marks
from ragtriage_tui.drawing.answer_rows import cut_row, new_words, wrapped_answer
from ragtriage_tui.drawing.lists import sentence
from ragtriage_tui.geometry import Geometry
from ragtriage_tui.review_state import ReviewState
from ragtriage_tui.review_views import Side
from ragtriage_tui.rows import BLANK, Line, Rule, Seg, clip_line, columns, joined, rule
from ragtriage_tui.text import clip, fit, wrap

__all__ = ["answer_rows", "answers_title", "has_answers"]

_SIDES: tuple[Side, ...] = ("base", "head")
_STACKED = 7  # cells before a stacked answer


def has_answers(state: ReviewState) -> bool:
    """Whether there is anything to show of an answer, or that one failed."""
    detail = state.detail
    return detail is not None and any(detail.side(side).answer or detail.side(side).failed for side in _SIDES)


def answers_title(state: ReviewState, cells: int) -> Line:
    """The rule above the answers."""
    active = state.active == "answers"
    same = _same(state)
    words = "word for word the same" if same else ""
    position = "A the other" if active and has_answers(state) else ""
    return rule([Rule("Answers", words, position), Rule("Answers", words), Rule("Answers")], cells, active=active)


def _same(state: ReviewState) -> bool:
    detail = state.detail
    if detail is None or detail.base.answer is None or detail.head.answer is None:
        return False
    return detail.base.answer.text == detail.head.answer.text


def answer_rows(state: ReviewState, geo: Geometry, cells: int, height: int) -> list[Line]:
    """The pane's body: two columns from 100 cells of screen on, else under each other; zoomed, both whole."""
    detail = state.detail
    if detail is None or height <= 0:
        return []
    if not has_answers(state):
        why = f"No answers: {detail.head.no_answer or 'none in this review'}."
        return sentence(why, cells, height)
    if geo.side:
        left = cells // 2
        right = cells - left - 1
        sides = [_column(state, side, room, height) for side, room in zip(_SIDES, (left, right), strict=True)]
        if state.zoomed:
            rows = max(map(len, sides))
            top = state.scrolled("answers", rows, height)
            sides = [(side + [BLANK] * rows)[:rows][top : top + height] for side in sides]
        base, head = ((side + [BLANK] * height)[:height] for side in sides)
        return columns(base, head, left, right, top=False)
    return _stacked(state, cells, height)


def _name(state: ReviewState, side: Side) -> str:
    view = state.view
    return (view.base.name if side == "base" else view.head.name) if view else side


def _lead(state: ReviewState, side: Side) -> Seg:
    return Seg("▸" if state.active == "answers" and state.arm == side and state.answer else " ")


def _new(state: ReviewState, side: Side) -> set[int] | None:
    """Words of the head that the base does not say, where both have an answer and they differ."""
    detail = state.detail
    if detail is None or side == "base" or _same(state):
        return None
    base, head = detail.base.answer, detail.head.answer
    if base is None or head is None or not state.zoomed:
        return None
    return new_words(head.text, base.text)


def _column(state: ReviewState, side: Side, cells: int, height: int) -> list[Line]:
    room = cells - 2
    found = state.detail.side(side) if state.detail else None
    answer = found.answer if found else None
    if answer is None:
        return _absent(state, side, room, height)
    head = joined(_lead(state, side), good_mark(answer.good), " ", clip_line((Seg(_name(state, side), "strong"),), room - 2))
    if state.zoomed:
        lines = wrapped_answer(answer, room, new=_new(state, side), citation=_citation(state, side)).lines
        marks = whole_marks(answer, room)
        return [head, *(joined(" ", line) for line in [*lines, *([BLANK] if marks else []), *marks])]
    foot = [clip_line(mark_line(answer, room), room)] if answer.marks and height > 2 else []
    space = max(height - 1 - len(foot), 0)
    rows = [head, *(joined(" ", line) for line in _words(state, side, answer, room, space))]
    rows += [BLANK] * (height - len(rows) - len(foot))
    return (rows + [joined(" ", line) for line in foot])[:height]


def _citation(state: ReviewState, side: Side) -> int:
    return state.citation if state.active == "answers" and state.arm == side else 0


def _words(state: ReviewState, side: Side, answer: AnswerView, room: int, space: int) -> list[Line]:
    citation = _citation(state, side)
    lines, starts, at = wrapped_answer(answer, room, citation=citation)
    top = state.sought(f"answers.{side}", len(lines), space, at if citation else None)
    shown = lines[top : top + space]
    if shown and top + space < len(lines):
        shown[-1] = cut_row(answer, starts[top + space - 1], room, citation=citation)
    return shown


def _absent(state: ReviewState, side: Side, room: int, height: int) -> list[Line]:
    found = state.detail.side(side) if state.detail else None
    failed = bool(found and found.failed)
    why = found.no_answer if found else ""
    sign = Seg("!", "warn") if failed else Seg("·", "dim")
    head = joined(
        " ", sign, " ", clip_line((Seg(_name(state, side), "strong"),), room - 12), Seg("  failed" if failed else "", "warn")
    )
    rows = [head, *(joined(" ", Seg(why[start:end], "dim")) for start, end in wrap(why, room))]
    return (rows + [BLANK] * height)[:height]


def _stacked(state: ReviewState, cells: int, height: int) -> list[Line]:
    answer = state.answer
    foot = (
        [joined(" ", clip_line(mark_line(answer, cells - 2, "   "), cells - 2))]
        if answer and answer.marks and height > 3
        else []
    )
    space = height - len(foot)
    if state.zoomed:
        space = height
        foot = []
    first = max(space // 2, 1)
    absent = state.detail is not None and not state.detail.base.answer
    first = 1 if absent and space > 2 else first
    out = [*_under(state, "base", cells, first), *_under(state, "head", cells, space - first), *foot]
    return out[:height]


def _under(state: ReviewState, side: Side, cells: int, rows: int) -> list[Line]:
    if rows <= 0:
        return []
    room = max(cells - _STACKED - 2, 4)
    found = state.detail.side(side) if state.detail else None
    answer = found.answer if found else None
    name = Seg(f" {fit(side, 4)} ", "dim")
    if answer is None:
        sign = Seg("!", "warn") if found and found.failed else Seg("·", "dim")
        why = found.no_answer if found else ""
        return [joined(" ", sign, name, Seg(clip(why, room), "dim")), *[BLANK] * (rows - 1)]
    lines = _words(state, side, answer, room, rows)
    out: list[Line] = []
    for index in range(rows):
        head = joined(_lead(state, side), good_mark(answer.good), name) if index == 0 else joined(" " * (_STACKED + 1))
        out.append(joined(head, lines[index]) if index < len(lines) else head if index == 0 else BLANK)
    return out
