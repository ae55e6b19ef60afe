"""Review as a whole: the panes put together for a size. No Textual in here."""

from __future__ import annotations

from ragtriage_tui.drawing.lists import body_rows, busy_forms, halves, pad, pane
from ragtriage_tui.drawing.review_answers import answer_rows, answers_title, has_answers
from ragtriage_tui.drawing.review_chunks import chunk_pane
from ragtriage_tui.drawing.review_list import (
    differs_rows,
    differs_title,
    flip_rows,
    flips_title,
    state_rows,
    verdict_rows,
    verdict_title,
)
from ragtriage_tui.drawing.review_question import flip_title, question_rows
from ragtriage_tui.drawing.triage import number
from ragtriage_tui.geometry import Geometry, geometry
from ragtriage_tui.review_state import ReviewState
from ragtriage_tui.review_views import FigureChange
from ragtriage_tui.rows import BLANK, Drawing, Line, Rule, Seg, clip_line, header, joined, rule
from ragtriage_tui.text import clip

__all__ = ["chunk_height", "draw_review", "review_header"]

_VERDICTS = 10  # the rule and nine rows


def review_header(state: ReviewState, width: int) -> Line:
    """Row 0: which revisions, what differs in a few words, and the figures of both sides; a running job instead of them."""
    view = state.view
    left: list[Line] = [BLANK]
    if view:
        names = joined(Seg(view.head.name), Seg(f" against {view.base.name}", "dim"))
        short = joined(Seg(clip(view.head.name, max(width // 4, 8))), Seg(" against ", "dim"),
                       Seg(clip(view.base.name, max(width // 6, 8)), "dim"))  # fmt: skip
        differs = [joined(names, Seg(f"   {form}", "dim")) for form in view.short]
        left = [*differs, names, short, (Seg(clip(view.head.name, max(width // 3, 8))),), BLANK]
    if state.busy:
        return header("Review", left[-4:], busy_forms(state.busy), width)
    if view is None:
        return header("Review", left, [], width)
    if width < 60:
        place, total = state.position(state.detail.qid) if state.detail else (0, len(view.to_review))
        words = f"flip {place} of {total}" if place else f"{view.reviewed} of {total} reviewed"
        return header("Review", [BLANK], [(Seg(words, "dim"),)], width)
    tree = [Seg("working tree   ", "dim")] if view.head.working else []
    figures = [_figures(view.figures[:count]) for count in (3, 2, 1)]
    tails = [joined(*tree, figures[0]), *figures] if tree else figures
    forms = [(head, tail) for tail in tails[: 2 if tree else 1] for head in left[:-3]]
    for head, tail in forms:  # the figures are what one came for; what differs has a view of its own
        if _fits("Review", head, tail, width):
            return header("Review", [head], [tail], width)
    return header("Review", left[-4:], tails, width)


def _fits(name: str, head: Line, tail: Line, width: int) -> bool:
    used = sum(len(seg.text) for seg in (*head, *tail))
    return used + len(name) + 6 <= width


def _figures(figures: tuple[FigureChange, ...]) -> Line:
    if not figures:
        return BLANK
    shown = "  ".join(f"{one.name} {number(one.base)} → {number(one.head)}" for one in figures)
    return (Seg(f"{shown}  n {figures[-1].n}", "dim"),)


def draw_review(state: ReviewState, width: int, height: int, *, field: Line = BLANK) -> Drawing:
    """Header and body in `height` rows (without the footer)."""
    head = review_header(state, width)
    if state.view is None:
        title = flips_title(state, geometry(width, height + 1), width)
        return Drawing((head, *pane(title, state_rows(state, width, height - 2), height - 1)))
    return halves(
        state, head, width, height,
        left=lambda geo, body: _left(state, geo, body, field), right=lambda geo, body: _right(state, geo, body),
        alone=lambda geo, body: _one_pane(state, geo, width, body, field),
    )  # fmt: skip


def _left(state: ReviewState, geo: Geometry, body: int, field: Line) -> list[Line]:
    verdicts = _VERDICTS if body >= _VERDICTS + 4 else 0
    rows = body - verdicts - 1
    cells = geo.left
    out = pane(flips_title(state, geo, cells, field=field), flip_rows(state, geo, cells, rows), rows + 1)
    if not verdicts:
        return out
    if "differs" in state.views:
        return out + pane(differs_title(state, cells), differs_rows(state, cells, verdicts - 1), verdicts)
    return out + pane(verdict_title(state, cells), verdict_rows(state, geo, cells), verdicts)


def _heights(state: ReviewState, geo: Geometry, body: int) -> tuple[int, int, int]:
    """Rows of question, chunks and answers, their titles included; 0: not shown."""
    words = len(question_rows(state, geo, geo.right, body)) if state.detail else 6
    question = 1 + min(words, max(body // 2, 4))
    if not geo.answers:
        rest = body - question
        return (question, 0, rest) if "answers" in state.views else (question, rest, 0)
    answers = 7 if geo.side else 6
    if state.detail and state.detail.half == "answer":
        answers = max(answers, body // 3)
    elif state.detail and not has_answers(state):
        answers = 2
    answers = min(answers, max(body - question - 7, 0))
    if answers < 2:
        answers = 0
    return question, body - question - answers, answers


def chunk_height(state: ReviewState, width: int, height: int) -> int:
    """Rows that the ranked chunks have at a size of the screen, for moving among those in view."""
    geo = geometry(width, height)
    body = body_rows(state, geo)
    return body - 1 if geo.single or state.zoomed else max(_heights(state, geo, body)[1] - 1, 0)


def _right(state: ReviewState, geo: Geometry, body: int) -> list[Line]:
    cells = geo.right
    if state.detail is None and not state.listing.visible:
        return pane(rule([Rule("What differs")], cells), differs_rows(state, cells, body - 1), body)
    question, chunks, answers = _heights(state, geo, body)
    out = pane(flip_title(state, cells), question_rows(state, geo, cells, question - 1), question)
    if chunks:
        out += pad(chunk_pane(state, geo, cells, chunks), chunks)
    if answers:
        out += pane(answers_title(state, cells), answer_rows(state, geo, cells, answers - 1), answers)
    return out


def _one_pane(state: ReviewState, geo: Geometry, width: int, body: int, field: Line) -> list[Line]:
    """The active pane alone: zoomed, or on a screen too narrow for two."""
    rows = body - 1
    if state.active == "list":
        return _list_alone(state, geo, width, body, field)
    if state.active == "question":
        lines = question_rows(state, geo, width, rows, whole=True)
        return pane(flip_title(state, width), lines[state.scrolled("question", len(lines), rows) :], body)
    if state.active == "chunks":
        return pad(chunk_pane(state, geo, width, body), body)
    return pane(answers_title(state, width), [clip_line(row, width) for row in answer_rows(state, geo, width, rows)], body)


def _list_alone(state: ReviewState, geo: Geometry, width: int, body: int, field: Line) -> list[Line]:
    if "differs" in state.views or not state.listing.rows:
        return pane(differs_title(state, width), differs_rows(state, width, body - 1, whole=True), body)
    verdicts = _VERDICTS if body >= _VERDICTS + 8 else 0
    shown = body - 1 - verdicts
    out = pane(flips_title(state, geo, width, field=field), flip_rows(state, geo, width, shown), shown + 1)
    return out + (pane(verdict_title(state, width), verdict_rows(state, geo, width), _VERDICTS) if verdicts else [])
