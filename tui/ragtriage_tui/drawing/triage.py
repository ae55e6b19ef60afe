"""Triage as a whole: the panes put together for a size. No Textual in here."""

from __future__ import annotations

from ragtriage_tui.drawing.lists import body_rows, busy_forms, halves, pane, sentence
from ragtriage_tui.drawing.triage_answers import answer_rows, answer_title, foot_rows
from ragtriage_tui.drawing.triage_chunks import chunk_rows, chunk_title, hint_rows
from ragtriage_tui.drawing.triage_list import cause_rows, cause_title, list_rows, list_title
from ragtriage_tui.drawing.triage_question import question_rows, question_title
from ragtriage_tui.geometry import Geometry, geometry
from ragtriage_tui.rows import BLANK, Drawing, Line, Rule, Seg, between, clip_line, header, joined, length, rule
from ragtriage_tui.state import TriageState
from ragtriage_tui.text import clip, wrap
from ragtriage_tui.views import Figure

__all__ = ["chunk_height", "draw", "triage_header"]

_CAUSES = 8


def triage_header(state: TriageState, width: int) -> Line:
    """Row 0: project and configuration, and the figures, each with its n; a running job instead of them."""
    overview = state.overview
    left: list[Line] = [BLANK]
    if overview:
        name, setup = Seg(overview.project), Seg(overview.setup, "dim")
        waits = Seg(f"I {overview.reports} {'report' if overview.reports == 1 else 'reports'}", "dim")
        both = between([(name,), (setup,)])
        left = [
            *([between([both, (waits,)], "   ")] if overview.reports else []),
            both,
            (name,),
            joined(clip(overview.project, max(width // 3, 8))),
            BLANK,
        ]
    if state.busy:
        return header("Triage", left, busy_forms(state.busy), width)
    if overview is None:
        return header("Triage", left, [], width)
    if width < 60 and state.detail:
        place, total = state.position(state.detail.qid)
        return header("Triage", [BLANK], [(Seg(f"failure {place} of {total}" if place else f"{total} failing", "dim"),)], width)
    figures = overview.figures
    whole = [_figures(shown, overview.tax) for shown in (figures, figures[:2], figures[:1])]
    for head in left:  # the setup goes before the tax does
        for tail in whole:
            if length(head) + length(tail) + 12 <= width:
                return header("Triage", [head], [tail], width)
    return header("Triage", left, [*whole, _figures(figures[:1], None)], width)


def _figures(figures: tuple[Figure, ...], tax: Figure | None) -> Line:
    out: list[str] = []
    for index, figure in enumerate(figures):
        out.append(f"{figure.name} {number(figure.value)}")
        following = figures[index + 1].n if index + 1 < len(figures) else None
        if figure.n != following:
            out.append(f"n {figure.n}")
    parts = ["  ".join(out)] if out else []
    if tax is not None and tax.value is not None:
        parts.append(f"tax {number(tax.value)}  n {tax.n}{f'  {tax.word}' if tax.word else ''}")
    return (Seg("   ".join(parts), "dim"),) if parts else BLANK


def number(value: float | None) -> str:
    """`.82`, `1.00`, `–`"""
    if value is None:
        return "–"
    text = f"{value:.2f}"
    return text.replace("0.", ".", 1) if text.startswith(("0.", "-0.")) else text


def draw(state: TriageState, width: int, height: int, *, field: Line = BLANK) -> Drawing:
    """Header and body in `height` rows (without the footer)."""
    return halves(
        state, triage_header(state, width), width, height, notice=_notice(state, width),
        left=lambda geo, body: _left(state, geo, body, field), right=lambda geo, body: _right(state, geo, body),
        alone=lambda geo, body: _one_pane(state, geo, width, body, field),
    )  # fmt: skip


def _notice(state: TriageState, width: int) -> Line:
    """What sets the run that is shown apart, and the key that measures today's files; none where that goes on already."""
    keys = BLANK if state.busy else joined(Seg("   ctrl+r", "strong"), Seg(" measures again", "dim"))
    room = max(width - 4 - length(keys), 10)
    return joined(" ", Seg("! ", "warn"), clip(state.notice, room), keys)


def _left(state: TriageState, geo: Geometry, body: int, field: Line) -> list[Line]:
    causes = _CAUSES if body >= _CAUSES + 4 else 0
    rows = body - causes - 1
    out = pane(list_title(state, geo, geo.left, field=field), list_rows(state, geo, geo.left, rows), rows + 1)
    if causes and "advice" in state.views:
        return out + pane(rule([Rule("What the figures say"), Rule("Figures")], geo.left), _advice(state, geo.left), _CAUSES)
    return out + (pane(cause_title(state, geo, geo.left), cause_rows(state, geo, geo.left), _CAUSES) if causes else [])


def _advice(state: TriageState, cells: int) -> list[Line]:
    sentences = state.overview.advice if state.overview else ()
    if not sentences:
        return sentence("The figures say nothing yet.", cells, 1)
    out: list[Line] = []
    for index, advice in enumerate(sentences, start=1):
        for row, (start, end) in enumerate(wrap(advice.text, cells - 4)):
            out.append(joined(Seg(f" {index} " if row == 0 else "   ", "strong"), advice.text[start:end]))
    return out


def _heights(state: TriageState, geo: Geometry, body: int) -> tuple[int, int, int]:
    """Rows of question, chunks and answers, their titles included; 0: not shown."""
    words = len(question_rows(state, geo, geo.right, body)) if state.detail else 6
    question = 1 + min(words, max(body // 2, 4))
    if not geo.answers:
        rest = body - question
        return (question, 0, rest) if "answers" in state.views else (question, rest, 0)
    answers = 7 if geo.side else 6
    answers += foot_rows(state, geo, geo.right) - 1
    answers = max(answers, min(body // 5, 12)) if geo.side else answers
    if state.detail and not (state.detail.oracle or state.detail.live or state.detail.failed):
        answers = 3  # the sentence that says why there are none
    answers = min(answers, max(body - question - 6, 0))
    if answers < 3:
        answers = 0
    return question, body - question - answers, answers


def chunk_height(state: TriageState, width: int, height: int) -> int:
    """Rows that the ranked chunks have at a size of the screen, for moving among those in view."""
    geo = geometry(width, height)
    body = body_rows(state, geo)
    rows = body - 1 if geo.single or state.zoomed else max(_heights(state, geo, body)[1] - 1, 0)
    return rows - hint_rows(state, rows)


def _right(state: TriageState, geo: Geometry, body: int) -> list[Line]:
    question, chunks, answers = _heights(state, geo, body)
    cells = geo.right
    out = pane(question_title(state, cells), question_rows(state, geo, cells, question - 1), question)
    if chunks:
        out += pane(chunk_title(state, cells), chunk_rows(state, geo, cells, chunks - 1), chunks)
    if answers:
        out += pane(answer_title(state, cells), answer_rows(state, geo, cells, answers - 1), answers)
    return out


def _one_pane(state: TriageState, geo: Geometry, width: int, body: int, field: Line) -> list[Line]:
    """The active pane alone: zoomed, or on a screen too narrow for two."""
    rows = body - 1
    if state.active == "list":
        causes = _CAUSES if body >= _CAUSES + 8 else 0
        shown = body - 1 - causes
        out = pane(list_title(state, geo, width, field=field), list_rows(state, geo, width, shown), shown + 1)
        return out + (pane(cause_title(state, geo, width), cause_rows(state, geo, width), _CAUSES) if causes else [])
    if state.active == "question":
        lines = question_rows(state, geo, width, rows, whole=True)
        return pane(question_title(state, width), lines[state.scrolled("question", len(lines), rows) :], body)
    if state.active == "chunks":
        return pane(chunk_title(state, width), chunk_rows(state, geo, width, rows), body)
    return pane(answer_title(state, width), [clip_line(row, width) for row in answer_rows(state, geo, width, rows)], body)
