"""The results of Add and the chunk under the cursor with its neighbours, as lines. No Textual in here."""

from __future__ import annotations

from ragtriage_tui.add_state import AddState
from ragtriage_tui.add_views import Candidate
from ragtriage_tui.drawing.triage_chunks import chunk_line, id_cells
from ragtriage_tui.rows import BLANK, Line, Role, Rule, Seg, bar, highlight, joined, rule
from ragtriage_tui.text import Extent, clip, clip_middle, fit, one_line, wrap

__all__ = ["preview_rows", "preview_title", "result_rows", "result_title"]

_NEAR = 2  # rows of the chunk before
_NO_SNIPPETS = 60


def result_title(state: AddState, cells: int) -> Line:
    """`Results  bm25 now, dense follows`, then `bm25 and dense`; the retrievers are heads of the columns."""
    active = state.phase != "typing" and state.active == "results"
    if state.twins:
        return rule([Rule("Similar questions", "d back to the results"), Rule("Similar")], cells, active=active)
    results = state.results
    if results is None:
        facts = "searching" if state.draft.fixed and state.phase != "typing" else ""
        return rule([Rule("Results", facts), Rule("Results")], cells, active=active)
    heads = " ".join(stage.rjust(4) for stage in results.stages)
    if state.view_text and state.candidate:
        name = clip_middle(state.chunk_id, max(cells - 16, 8))
        return rule([Rule(name, "", "v the list"), Rule(name)], cells, active=active)
    facts = " and ".join(results.stages) if results.complete else "bm25 now, dense follows"
    forms = [Rule("Results", facts, heads), Rule("Results", "", heads), Rule("Results")]
    if results.problem:
        forms.insert(0, Rule("Results", clip(results.problem, max(cells - len(heads) - 18, 8)), heads, "warn"))
    return rule(forms, cells, active=active)


def result_rows(state: AddState, cells: int, height: int) -> list[Line]:
    """The candidates in view, or the similar questions, or the text of one candidate."""
    if state.twins:
        return _twins(state, cells, height)
    results = state.results
    if results is None:
        if state.phase == "typing" and not state.draft.fixed:
            return _sentence("Results, similar questions and Find open when Enter has fixed the words.", cells, height)
        return []
    if not results.candidates:
        return _sentence("Nothing was retrieved. F searches every document, - says that there is no answer.", cells, height)
    if state.view_text and state.candidate:
        return _text(state, state.candidate, cells, height)
    shown = state.window.show(state.at, len(results.candidates), height)
    rows = [results.candidates[index] for index in shown]
    names = id_cells([one.chunk.chunk_id for one in rows], cells, snippets=cells > _NO_SNIPPETS - 10, stages=results.stages)
    return [_row(state, one, names, cells) for one in rows]


def _row(state: AddState, one: Candidate, names: int, cells: int) -> Line:
    results = state.results
    here = one.chunk.chunk_id == state.chunk_id
    chunk = state.shown(one)
    stages = results.stages if results else ()
    line = chunk_line(chunk, stages, names, cells, here=here, inside=True, snippets=cells > _NO_SNIPPETS - 10)
    if not results or (not results.complete and "dense" in stages):
        line = _pending(line)
    dimmed = state.phase == "typing"
    if here and state.active == "results" and not dimmed:
        return bar(line, cells)
    return tuple(Seg(text, "dim" if dimmed and role == "strong" else role) for text, role in line)


def _pending(line: Line) -> Line:
    """The rank that is still to come is a dot, not a dash."""
    for at in range(len(line) - 1, -1, -1):
        text, role = line[at]
        if text.strip():
            return (*line[:at], Seg(text.replace("–", "·"), role), *line[at + 1 :])
    return line


def _sentence(text: str, cells: int, height: int) -> list[Line]:
    return [joined(" ", Seg(text[start:end], "dim")) for start, end in wrap(text, cells - 2, max(height, 1))]


def _twins(state: AddState, cells: int, height: int) -> list[Line]:
    if not state.twin_rows:
        return _sentence("No question of the set is like this one.", cells, height)
    names = max(len(twin.qid) for twin in state.twin_rows)
    names = min(names, 14)
    out: list[Line] = []
    for index, twin in enumerate(state.twin_rows[:height]):
        here = index == state.twin
        score = f"{twin.score:.2f}".replace("0.", ".", 1)
        text = clip(one_line(twin.text), cells - names - 10)
        mark = Seg("!", "warn") if twin.nearly else Seg(" ")
        line = joined(Seg("▸" if here else " "), mark, Seg(fit(twin.qid, names), "dim"), "  ", f"{score} ", text)
        out.append(bar(line, cells) if here else line)
    return out


def _text(state: AddState, one: Candidate, cells: int, height: int) -> list[Line]:
    chunk = state.shown(one)
    rows = wrap(chunk.text, cells - 2)
    state.text_top = min(state.text_top, max(len(rows) - height, 0))
    return [_text_row(chunk.text, row, chunk.evidence) for row in rows[state.text_top : state.text_top + height]]


def preview_title(state: AddState, cells: int) -> Line:
    """`policy-refunds#3  97 tokens`"""
    one = state.candidate
    if one is None:
        return rule([Rule("")], cells)
    name = clip_middle(one.chunk.chunk_id, max(cells - 18, 8))
    return rule([Rule(name, f"{one.tokens} tokens"), Rule(name)], cells)


def preview_rows(state: AddState, cells: int, height: int) -> list[Line]:
    """The end of the chunk before, the chunk with its evidence, the beginning of the chunk after."""
    one = state.candidate
    if one is None:
        return []
    chunk = state.shown(one)
    room = cells - 2
    body = [_text_row(chunk.text, row, chunk.evidence) for row in wrap(chunk.text.rstrip(), room, height * 2)]
    head = _before(one, room)
    mark = {"whole": "●", "part": "◐"}.get(chunk.holds, "")
    inner = [_border(one.label, mark, cells)] if head or mark else []
    evidence = next((index for index, row in enumerate(body) if any(role == "evidence" for _, role in row)), 0)
    free = height - len(head) - len(inner)
    if len(body) > free and head:
        head, inner = [], []
        free = height
    if len(body) > free:
        low = min(max(evidence - 2, 0), max(len(body) - free, 0))
        return body[low : low + free]
    out = [*head, *inner, *body]
    left = height - len(out)
    if left > 2 and one.after[1]:
        out.append(_border(one.after[0], "", cells))
        flat = one.after[1].lstrip("\n")
        spans = wrap(flat, room, left - 1)
        out += [joined(" ", Seg(flat[start:end], "dim")) for start, end in spans]
    return out


def _before(one: Candidate, room: int) -> list[Line]:
    flat = one_line(one.before[1])
    if not flat:
        return []
    spans = wrap(flat, room - 2)[-_NEAR:]
    cut = "… " if spans[0].start else ""
    return [joined(" ", Seg((cut if not index else "") + flat[start:end], "dim")) for index, (start, end) in enumerate(spans)]


def _border(label: str, mark: str, cells: int) -> Line:
    head = f"─ {clip_middle(label, max(cells - 10, 4))} {mark + ' ' if mark else ''}"
    return joined(" ", Seg(head + "─" * max(cells - 3 - len(head), 0), "rule"))


def _text_row(text: str, row: Extent, evidence: tuple[Extent, ...]) -> Line:
    shown = text[row.start : row.end]
    role: Role = "strong" if shown.lstrip().startswith("#") else "text"
    places = [
        Extent(max(place.start - row.start, 0), min(place.end, row.end) - row.start)
        for place in evidence
        if place.start < row.end and row.start < place.end
    ]
    return joined(" ", highlight(shown, places, role)) if shown else BLANK
