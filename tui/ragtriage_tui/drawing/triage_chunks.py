"""The ranked chunks of Triage as lines, with the end of context drawn. No Textual in here."""

from __future__ import annotations

from ragtriage_tui.drawing.lists import sentence
from ragtriage_tui.folding import FoldedRow, fold
from ragtriage_tui.geometry import Geometry
from ragtriage_tui.rows import Line, Role, Rule, Seg, bar, fill, highlight, joined, rule
from ragtriage_tui.state import TriageState
from ragtriage_tui.text import Extent, clip, clip_middle, fit, snippet, width, wrap
from ragtriage_tui.views import ChunkView, QuestionView

__all__ = ["chunk_line", "chunk_rows", "chunk_text_rows", "chunk_title", "context_line", "hint_rows", "id_cells", "stage_cells"]

_BEFORE_ID = 6
_LEAST_WITH_HINT = 5


def stage_cells(stages: tuple[str, ...]) -> int:
    """Cells of the rank columns at the right, without the blank before them."""
    return sum(max(len(stage), 4) for stage in stages) + max(len(stages) - 1, 0)


def chunk_title(state: TriageState, cells: int) -> Line:
    """The rule above the chunks; the retrievers are heads of the columns under it."""
    active = state.active == "chunks"
    detail = state.detail
    if detail is None:
        return rule([Rule("Ranked chunks")], cells, active=active)
    if "text" in state.views and state.chunk:
        rank = state.chunk.rank
        facts = f"rank {rank}" if rank else "not in the pool"
        return rule(
            [Rule(state.chunk_id, facts, "v the list"), Rule(clip_middle(state.chunk_id, cells - 4))], cells, active=active
        )
    heads = " ".join(stage.rjust(4) for stage in detail.stages)
    pool = f"pool {detail.pool}" if detail.pool else ""
    holes = f"{detail.unjudged} of {_first(detail)} unjudged" if detail.unjudged is not None else ""
    both = " · ".join(part for part in (pool, holes) if part)
    forms = [Rule("Ranked chunks", part, heads) for part in dict.fromkeys((both, holes, pool, ""))]
    return rule([*forms, Rule("Ranked chunks")], cells, active=active)


def _first(detail: QuestionView) -> int:
    """How many passages were given, which may be fewer than k."""
    return sum(1 for chunk in detail.chunks if chunk.rank is not None and chunk.rank <= detail.k)


def chunk_rows(state: TriageState, geo: Geometry, cells: int, height: int) -> list[Line]:
    """The pane's body: folded to what fits, or all of it and scrolled."""
    detail = state.detail
    if detail is None or height <= 0:
        return []
    if not detail.chunks:
        why = detail.no_chunks or detail.reason or "Nothing was retrieved."
        return sentence(why, cells, height)
    if "text" in state.views and state.chunk:
        return chunk_text_rows(state, state.chunk, cells, height)
    if hint_rows(state, height):
        hint = _hint(state, cells - 4)
        said = joined(" ", Seg("! ", "warn"), Seg(clip(hint, cells - 4), "dim"))
        return [said, *_chunks(state, detail, geo, cells, height - 1)]
    return _chunks(state, detail, geo, cells, height)


def hint_rows(state: TriageState, height: int) -> int:
    """Rows of a pane of `height` that are no chunks."""
    return 1 if _above(state) and height > _LEAST_WITH_HINT else 0


def _above(state: TriageState) -> int:
    """How many unjudged chunks stand where they may tell most, while one is among the chunks."""
    return state.detail.above if state.detail and state.active == "chunks" and "text" not in state.views else 0


def _hint(state: TriageState, room: int) -> str:
    """What there is to judge among the ranked chunks, in the longest words there is room for."""
    count = _above(state)
    one = count == 1
    found = state.detail is not None and any(need.rank is not None for need in state.detail.needs)
    passages = "1 unjudged passage stands" if one else f"{count} unjudged passages stand"
    where = "above the evidence" if found else "where the evidence should"
    long = f"{passages} {where}: r {'it answers' if one else 'one answers'} too, x it does not"
    short = f"{count} unjudged {'above the evidence' if found else 'of the first'}: r yes, x no"
    return long if width(long) <= room else short


def _chunks(state: TriageState, detail: QuestionView, geo: Geometry, cells: int, height: int) -> list[Line]:
    if state.unfolded:
        rows = fold(detail.chunks, detail.k, len(detail.chunks) + 1)
        at = next((index for index, row in enumerate(rows) if row.chunk and row.chunk.chunk_id == state.chunk_id), 0)
        window = state.chunk_window.show(at, len(rows), height)
        rows = [rows[index] for index in window]
    else:
        rows = fold(detail.chunks, detail.k, height, state.chunk_id)
    ids = id_cells([row.chunk.chunk_id for row in rows if row.chunk], cells, snippets=geo.snippets, stages=detail.stages)
    return [_row(state, geo, row, ids, cells) for row in rows]


def id_cells(ids: list[str], cells: int, *, snippets: bool, stages: tuple[str, ...]) -> int:
    """How wide the column of ids is: as its longest, within reason."""
    longest = max((width(name) for name in ids), default=0)
    if snippets:
        return min(longest, cells * 2 // 5 + 1)
    return max(cells - _BEFORE_ID - stage_cells(stages) - 2, 8)


def _row(state: TriageState, geo: Geometry, row: FoldedRow, ids: int, cells: int) -> Line:
    detail = state.detail
    if row.kind == "line":
        return context_line(detail.k if detail else 0, cells)
    if row.kind == "more" or row.chunk is None or detail is None:
        return joined("     ", Seg(f"⋯ {row.hidden} more", "dim"))
    here = row.chunk.chunk_id == state.chunk_id
    inside = row.chunk.rank is not None and row.chunk.rank <= detail.k
    line = chunk_line(row.chunk, detail.stages, ids, cells, here=here, inside=inside, snippets=geo.snippets)
    return bar(line, cells) if here and state.active == "chunks" else line


def context_line(k: int, cells: int) -> Line:
    """`─── context ends here, k = 5 ───`"""
    words = f" context ends here, k = {k} "
    if width(words) + 6 > cells:
        words = f" k = {k} "
    head = joined(" ", Seg("───", "text"), words)
    return joined(head, Seg("─" * max(cells - 4 - width(words), 0), "text"))


def chunk_line(
    chunk: ChunkView, stages: tuple[str, ...], ids: int, cells: int, *, here: bool, inside: bool, snippets: bool = True
) -> Line:
    """One ranked chunk: cursor, mark, rank, id, snippet from the evidence on, the ranks that each stage gave it."""
    role: Role = "text" if inside else "dim"
    holds = chunk.holds != "none"
    mark = {"whole": Seg("●", "mark"), "part": Seg("◐", "mark")}.get(chunk.holds, _judged(chunk.judged))
    rank = "–" if chunk.rank is None else str(chunk.rank)
    head = joined(Seg("▸" if here else " "), mark, Seg(rank.rjust(3), "text" if inside or holds else "dim"), " ")
    name = Seg(fit(clip_middle(chunk.chunk_id, ids), ids), "strong" if holds else role)
    ranks = joined(*(_rank(chunk, index, stage) for index, stage in enumerate(stages)))
    tail = stage_cells(stages)
    room = cells - 1 - tail - 1 - _BEFORE_ID - ids - 2
    if not snippets or room < 6:
        return fill(joined(fill(joined(head, name), cells - 1 - tail), ranks), cells)
    # a heading's marks say nothing here; its words do
    shown_text = chunk.text if chunk.evidence else chunk.text[:2000].lstrip("#*>- \n")
    text, places = snippet(shown_text, chunk.evidence, room)
    shown = highlight(text, places, "text" if holds else role)
    body = fill(joined(head, name, "  ", shown), cells - 1 - tail)
    return fill(joined(body, ranks), cells)


def _judged(judged: str) -> Seg:
    return Seg("+", "pass") if judged == "+" else Seg(judged or " ", "dim")


def _rank(chunk: ChunkView, index: int, stage: str) -> Seg:
    rank = chunk.ranks[index] if index < len(chunk.ranks) else None
    text = "–" if rank is None else str(rank)
    return Seg((" " if index else "") + text.rjust(max(len(stage), 4)), "dim")


def chunk_text_rows(state: TriageState, chunk: ChunkView, cells: int, height: int) -> list[Line]:
    """The whole text of one chunk, wrapped, its evidence marked."""
    rows = wrap(chunk.text, cells - 2)
    top = min(state.scroll.get("text", 0), max(len(rows) - height, 0))
    state.scroll["text"] = top
    return [_text_row(chunk, row) for row in rows[top : top + height]]


def _text_row(chunk: ChunkView, row: Extent) -> Line:
    places = [Extent(place.start - row.start, place.end - row.start) for place in chunk.evidence if place.end > row.start]
    return joined(
        " ", highlight(chunk.text[row.start : row.end], [place for place in places if place.start < row.end - row.start])
    )
