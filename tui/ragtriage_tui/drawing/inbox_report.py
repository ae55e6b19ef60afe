"""A report of Inbox as lines: its words, what it was answered from, the question to be, what is like it, where the answer may
stand. No Textual in here."""

from __future__ import annotations

from ragtriage_tui.add_views import Candidate
from ragtriage_tui.drawing.lists import sentence
from ragtriage_tui.drawing.triage_chunks import chunk_line, id_cells
from ragtriage_tui.geometry import Geometry
from ragtriage_tui.inbox_state import InboxState
from ragtriage_tui.inbox_views import PassageView, ReportDetail
from ragtriage_tui.rows import BLANK, Line, Rule, Seg, bar, clip_line, highlight, joined, rule
from ragtriage_tui.text import Extent, clip, fit, one_line, width, wrap

__all__ = [
    "candidate_rows", "candidate_title", "question_rows", "question_title", "report_rows", "report_title", "similar_rows",
    "similar_title",
]  # fmt: skip

_LABEL = 9
_ANSWER_ROWS = 2
_PASSAGES = 5
_LEAST_WORDS = 2
_SHOWN = 4_000  # characters of a question


def report_title(state: InboxState, cells: int) -> Line:
    """`ticket 8812  2026-11-23 · 2 masked`, and at the right what became of it."""
    active = state.active == "report"
    report = state.report
    if report is None:
        return rule([Rule("", "reading" if state.listing.visible else "")], cells, active=active)
    masked = f"{len(report.masked)} masked" if report.masked else ""
    facts = " · ".join(part for part in (report.at[:10], masked) if part)
    kept = report.state == "open" and report.id in state.drafts
    fate: str = "draft kept" if kept else report.state
    fate = f"{fate}: {report.qid}" if report.qid else fate
    forms = [Rule(report.source, facts, fate), Rule(report.source, masked, fate), Rule(report.source, "", fate)]
    return rule([*forms, Rule(report.source)], cells, active=active)


def report_rows(state: InboxState, geo: Geometry, cells: int, height: int) -> list[Line]:
    """Its words, and under them what it was answered and from what; at most `height` rows. What does not fit is scrolled."""
    report = state.report
    if report is None or height <= 0:
        return []
    room = max(cells - 2, 1)
    whole = state.zoomed or geo.single
    words = [_word_row(report, row) for row in wrap(report.text, room)]
    tail = _tail(report, room, whole=whole)
    full = [*words, *tail]
    if len(full) <= height:
        return full
    top = state.scrolled("report", len(full), height)
    if top or whole:
        return full[top : top + height]
    shown = max(height - len(tail), _LEAST_WORDS)
    if shown < len(words):
        words = [*words[: shown - 1], clip_line(joined(words[shown - 1], Seg(" …", "dim")), cells)]
    return [*words, *tail][:height]


def _word_row(report: ReportDetail, row: Extent) -> Line:
    places = [
        Extent(max(place.start - row.start, 0), min(place.end, row.end) - row.start)
        for place in report.masked
        if place.start < row.end and row.start < place.end
    ]
    return joined(" ", highlight(report.text[row.start : row.end], places, "text", "warn"))


def _tail(report: ReportDetail, room: int, *, whole: bool) -> list[Line]:
    out: list[Line] = []
    if report.synthetic:
        why = "a model wrote this: before it can be saved, edit its wording (a) and choose its evidence"
        out += [joined(" ", Seg("! " if not at else "  ", "warn"), why[row.start : row.end])
                for at, row in enumerate(wrap(why, room - 2))]  # fmt: skip
    for name, text in (("answered", report.answer), ("expected", report.expected), ("feedback", report.feedback)):
        if text:
            out += _labelled(name, one_line(text), room, 0 if whole else _ANSWER_ROWS if name == "answered" else 1)
    shown = report.passages if whole else report.passages[:_PASSAGES]
    for at, passage in enumerate(shown):
        more = len(report.passages) - len(shown) if passage is shown[-1] else 0
        out.append(_passage(passage, room, first=at == 0, more=more))
    out += _labelled("then", report.retrieval, room, 2) if report.retrieval else []
    return out


def _labelled(name: str, text: str, room: int, most: int) -> list[Line]:
    rows = wrap(text, max(room - _LABEL, 1), most + 1 if most else 0)
    cut = most and len(rows) > most
    rows = rows[:most] if cut else rows
    out = []
    for at, row in enumerate(rows):
        last = cut and at == len(rows) - 1
        shown = clip(text[row.start :], room - _LABEL) if last else text[row.start : row.end]
        out.append(joined(" ", Seg(fit(name if not at else "", _LABEL), "dim"), shown))
    return out


def _passage(passage: PassageView, room: int, *, first: bool, more: int) -> Line:
    mark = Seg("● ", "mark") if passage.holds else Seg("  ")
    place = clip(passage.where, 22)
    tail = Seg(f"  {passage.note}" if passage.note else "", "warn")
    after = Seg(f"  and {more} more" if more else "", "dim")
    head = joined(" ", Seg(fit("from" if first else "", _LABEL - 2), "dim"), mark, Seg(f"{passage.rank} ", "dim"), place, "  ")
    free = room - _LABEL - len(str(passage.rank)) - 3 - width(place) - width(tail.text) - width(after.text)
    text = clip(one_line(passage.text[: free * 4]), free) if free > 4 else ""
    return clip_line(joined(head, Seg(text, "dim"), tail, after), room + 1)


def question_title(state: InboxState, cells: int) -> Line:
    """`Question to be  a sentence of the report`"""
    report = state.report
    forms = [Rule("Question to be", report.origin if report else ""), Rule("Question to be"), Rule("Question")]
    return rule(forms, cells)


def question_rows(state: InboxState, cells: int, height: int) -> list[Line]:
    """The question as the person wrote it."""
    report = state.report
    if report is None:
        return []
    text = one_line(report.question[:_SHOWN])
    rows = wrap(text, max(cells - 2, 1), height + 1)
    out: list[Line] = [joined(" ", Seg(text[row.start : row.end], "strong")) for row in rows[:height]]
    if len(rows) > height > 0:
        out[-1] = joined(" ", Seg(clip(text[rows[height - 1].start :], cells - 2), "strong"))
    return out


def similar_title(state: InboxState, cells: int) -> Line:
    """`Similar questions  d it is that one`"""
    active = state.active == "similar"
    forms = [Rule("Similar questions", "in the golden set"), Rule("Similar questions"), Rule("Similar")]
    return rule(forms, cells, active=active)


def similar_rows(state: InboxState, cells: int, height: int) -> list[Line]:
    """The questions of the set that are like it, with their scores; what is nearly the same is marked."""
    report = state.report
    if report is None:
        return []
    if not report.twins:
        return [joined(" ", Seg("No question of the set is like it.", "dim"))]
    names = min(max(width(twin.qid) for twin in report.twins), 14)
    out: list[Line] = []
    for at, twin in enumerate(report.twins[:height]):
        here = at == state.twin
        mark = Seg("!", "warn") if twin.nearly else Seg(" ")
        score = f"{twin.score:.2f}".replace("0.", ".", 1)
        head = joined(Seg("▸" if here else " "), mark, Seg(fit(twin.qid, names), "dim"), " ", fit(score, 4, right=True), "  ")
        line = joined(head, Seg(clip(one_line(twin.text), max(cells - names - 10, 4)), "strong" if twin.nearly else "text"))
        out.append(bar(line, cells) if here and state.active == "similar" else clip_line(line, cells))
    return out


def candidate_title(state: InboxState, cells: int) -> Line:
    """`Candidates  bm25 now, dense follows`, then `bm25 and dense`; the retrievers are heads of the columns."""
    active = state.active == "candidates"
    report = state.report
    results = report.results if report else None
    if results is None:
        return rule([Rule("Candidates")], cells, active=active)
    heads = " ".join(stage.rjust(4) for stage in results.stages)
    facts = " and ".join(results.stages) if results.complete else "bm25 now, dense follows"
    short = "" if results.complete else "dense follows"
    forms = [Rule("Candidates", facts, heads), Rule("Candidates", short, heads), Rule("Candidates")]
    if results.problem:
        forms.insert(0, Rule("Candidates", clip(results.problem, max(cells - len(heads) - 20, 8)), heads, "warn"))
    return rule(forms, cells, active=active)


def candidate_rows(state: InboxState, geo: Geometry, cells: int, height: int) -> list[Line]:
    """The chunks that may hold the answer, those marked as evidence with the marks."""
    report = state.report
    if report is None or height <= 0:
        return []
    if report.results is None or not report.candidates:
        why = report.problem or "Nothing was retrieved. F searches every document."
        return sentence(why, cells, height)
    stages = report.results.stages
    shown = state.chunk_window.show(state.at, len(state.candidates), height)
    rows = [state.candidates[index] for index in shown]
    names = id_cells([one.chunk.chunk_id for one in rows], cells, snippets=geo.snippets, stages=stages)
    return [_candidate(state, one, stages, names, geo, cells) for one in rows]


def _candidate(state: InboxState, one: Candidate, stages: tuple[str, ...], names: int, geo: Geometry, cells: int) -> Line:
    from dataclasses import replace

    marks = state.marked_in(one)
    low, high = one.span
    places = tuple(
        sorted(Extent(max(mark.span.start, low) - low, min(mark.span.end, high) - low) for mark in marks if mark.span)
    )
    chunk = replace(one.chunk, evidence=places, holds="whole" if marks else "none")
    here = one.chunk.chunk_id == state.chunk_id
    line = chunk_line(chunk, stages, names, cells, here=here, inside=True, snippets=geo.snippets)
    return bar(line, cells) if here and state.active == "candidates" else line or BLANK
