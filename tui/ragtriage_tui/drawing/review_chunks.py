"""Both rankings of Review beside each other, one line through the end of both contexts. No Textual in here."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from ragtriage_tui.drawing.lists import sentence
from ragtriage_tui.geometry import Geometry
from ragtriage_tui.review_state import ReviewState
from ragtriage_tui.review_views import PlacedChunk, Side, SideName
from ragtriage_tui.rows import BLANK, Line, Role, Rule, Seg, bar, columns, fill, joined, rule
from ragtriage_tui.text import clip_middle, fit, width

__all__ = ["Row", "chunk_pane", "laid_out", "shown_ids", "side_title"]

_SIDES: tuple[Side, ...] = ("base", "head")
_ONE_SIDE_UNDER = 44
_LEAST_WITH_MORE = 3
_FOLDED = 3


class Row(NamedTuple):
    """A row of one side: a chunk, what is folded, or nothing."""

    chunk: PlacedChunk | None = None
    hidden: int = 0


class Laid(NamedTuple):
    """The rows of both sides above the line and below it; as many above on each side, and as many below."""

    above: tuple[list[Row], list[Row]]
    below: tuple[list[Row], list[Row]]


def laid_out(state: ReviewState, height: int) -> Laid:
    """What of both rankings is shown in `height` rows, the line among them. Evidence, the chunk under the cursor and the one
    that has its text on the other side are always there."""
    detail = state.detail
    if detail is None or height <= 0:
        return Laid(([], []), ([], []))
    ks = (detail.k_base, detail.k_head)
    sides = [state.chunks_of(side) for side in _SIDES]
    inside = [[one for one in chunks if one.rank <= k] for chunks, k in zip(sides, ks, strict=True)]
    outside = [[one for one in chunks if one.rank > k] for chunks, k in zip(sides, ks, strict=True)]
    above, below = (max(map(len, part)) for part in (inside, outside))
    room = height - 1
    if not state.unfolded and above + below > room:
        wanted = min(below, max(room // 3, 1))  # what fell out of the context is what one looks for
        above = min(above, max(room - wanted, 0))
        below = max(room - above, 0)
    keep = [_kept(state, side) for side in _SIDES]
    return Laid(
        (_fitted(inside[0], above, keep[0]), _fitted(inside[1], above, keep[1])),
        (_fitted(outside[0], below, keep[0]), _fitted(outside[1], below, keep[1])),
    )


def _kept(state: ReviewState, side: Side) -> Callable[[PlacedChunk], int]:
    """How much a chunk of a side has to be in view: 0 is the one under the cursor, or that has the text of the one that is,
    then the evidence that decides, then other evidence; the rest may be folded."""
    here = state.chunk
    first = state.chunk_id if side == state.side else here.other_id if here else ""
    rank = state.detail.rank(side) if state.detail else None

    def order(one: PlacedChunk) -> int:
        return 0 if one.chunk_id == first else _FOLDED if one.holds == "none" else 1 if one.rank == rank else 2

    return order


def _fitted(chunks: Sequence[PlacedChunk], rows: int, keep: Callable[[PlacedChunk], int]) -> list[Row]:
    """As many as fit in their order; padded with nothing."""
    if len(chunks) <= rows:
        return [*(Row(one) for one in chunks), *[Row()] * (rows - len(chunks))]
    if rows <= 0:
        return []
    room = rows - 1 if rows >= _LEAST_WITH_MORE else rows
    must = sorted((one for one in chunks if keep(one) < _FOLDED), key=keep)[:room]
    chosen = {one.rank for one in must}
    for one in chunks:
        if len(chosen) >= room:
            break
        chosen.add(one.rank)
    out = [Row(one) for one in chunks if one.rank in chosen]
    return out + ([Row(hidden=len(chunks) - len(chosen))] if room < rows else [])


def shown_ids(state: ReviewState, height: int) -> list[str]:
    """The chunks of the cursor's side that are in view."""
    laid = laid_out(state, height)
    at = _SIDES.index(state.side)
    return [row.chunk.chunk_id for part in (laid.above, laid.below) for row in part[at] if row.chunk]


def side_title(state: ReviewState, side: Side, cells: int) -> Line:
    """`─ Base  main 4f2c1e9, size=128 ───`"""
    view = state.view
    active = state.active == "chunks" and state.side == side
    name = "Base" if side == "base" else "Head"
    found: SideName | None = (view.base if side == "base" else view.head) if view else None
    if found is None:
        return rule([Rule(name)], cells, active=active)
    tree = "working tree" if found.working else ""
    commit = f"{found.name} {found.commit}".strip() if not found.working else found.name
    forms = [(commit, tree, found.setup), (commit, found.setup), (found.name, found.setup), (commit,), (found.name,), ()]
    words = [", ".join(part for part in form if part) for form in forms]
    return rule([*(Rule(name, word) for word in dict.fromkeys(words)), Rule(name)], cells, active=active)


def chunk_pane(state: ReviewState, geo: Geometry, cells: int, height: int) -> list[Line]:
    """Title and body of the rankings, `height` rows; on a narrow screen the cursor's side alone."""
    if cells < _ONE_SIDE_UNDER:
        body = _one(state, state.side, geo, cells, height - 1, alone=True)
        return [side_title(state, state.side, cells), *body]
    left = cells // 2
    right = cells - left - 1
    rows = [[side_title(state, side, room)] for side, room in zip(_SIDES, (left, right), strict=True)]
    if "text" in state.views:
        from ragtriage_tui.drawing.review_texts import text_columns

        bodies = text_columns(state, (left, right), height - 1)
    else:
        bodies = (_one(state, "base", geo, left, height - 1), _one(state, "head", geo, right, height - 1))
    return columns([*rows[0], *bodies[0]], [*rows[1], *bodies[1]], left, right)


def _one(state: ReviewState, side: Side, geo: Geometry, cells: int, height: int, *, alone: bool = False) -> list[Line]:
    """One side's rows, the line among them."""
    if "text" in state.views:
        from ragtriage_tui.drawing.review_texts import side_text

        return side_text(state, side, cells, height)
    detail = state.detail
    if detail is None or height <= 0:
        return [BLANK] * max(height, 0)
    found = detail.side(side)
    laid = laid_out(state, height)
    at = _SIDES.index(side)
    k = detail.k_base if side == "base" else detail.k_head
    if not found.chunks:
        rows = sentence(found.no_chunks, cells, height)
        above = len(laid.above[at])
        rows = (rows + [BLANK] * above)[:above] if above >= len(rows) else rows
        rows = [*rows, *([_line(k, side, cells, alone=alone)] if above >= 1 and height > above else [])]
    else:
        rows = [_chunk(state, side, row, geo, cells, inside=True) for row in laid.above[at]]
        rows.append(_line(k, side, cells, alone=alone or detail.k_base != detail.k_head))
        rows += [_chunk(state, side, row, geo, cells, inside=False) for row in laid.below[at]]
    if state.unfolded and len(rows) > height:
        here = next((index for index, row in enumerate(rows) if any(seg.text == "▸" for seg in row[:1])), 0)
        if side == state.side:
            state.chunk_window.show(here, len(rows), height)
        top = min(state.chunk_window.top, max(len(rows) - height, 0))
        rows = rows[top:]
    return (rows + [BLANK] * height)[:height]


def _line(k: int, side: Side, cells: int, *, alone: bool = False) -> Line:
    """The end of the context; the words stand on the left."""
    if side == "head" and not alone:
        return (Seg("─" * cells, "text"),)
    words = f" context ends, k = {k} "
    words = words if width(words) + 5 <= cells else f" k = {k} "
    lead = "───" if side == "head" else " ──"
    return joined(Seg(lead, "text"), words, Seg("─" * max(cells - len(lead) - width(words), 0), "text"))


def _chunk(state: ReviewState, side: Side, row: Row, geo: Geometry, cells: int, *, inside: bool) -> Line:
    chunk = row.chunk
    if chunk is None:
        return joined("     ", Seg(f"⋯ {row.hidden} more", "dim")) if row.hidden else BLANK
    here = side == state.side and chunk.chunk_id == state.chunk_id
    holds = chunk.holds != "none"
    role: Role = "strong" if holds else "text" if inside else "dim"
    mark = {"whole": Seg("●", "mark"), "part": Seg("◐", "mark")}.get(chunk.holds, _judged(chunk.judged))
    moved = _moved(chunk, side, long=geo.side)
    tail = sum(width(seg.text) for seg in moved)
    head = joined(Seg("▸" if here else " "), mark, Seg(str(chunk.rank).rjust(3), role if holds or inside else "dim"), " ")
    ids = max(cells - 6 - tail - 1, 4)
    line = fill(joined(head, Seg(fit(clip_middle(chunk.chunk_id, ids), ids), role), " ", *moved), cells)
    return bar(line, cells) if here and state.active == "chunks" else line


def _judged(judged: str) -> Seg:
    return Seg("+", "pass") if judged == "+" else Seg(judged or " ", "dim")


def _moved(chunk: PlacedChunk, side: Side, *, long: bool) -> tuple[Seg, ...]:
    """`now 7 ↓5`, `was 2 ↓5`, `=`, `gone`, `new`; short `→7`, `←2`."""
    if chunk.other is None:
        word = "gone" if side == "base" else "new"
        return (Seg(word.rjust(6) + " " * 4, "dim"),) if long else (Seg(word.rjust(4), "dim"),)
    if chunk.other == chunk.rank:
        return (Seg("=".rjust(6) + " " * 4, "dim"),) if long else (Seg("=".rjust(4), "dim"),)
    old, new = (chunk.rank, chunk.other) if side == "base" else (chunk.other, chunk.rank)
    strong = chunk.holds != "none"
    role: Role = "dim" if not strong else "fail" if new > old else "pass"
    if not long:
        arrow = "→" if side == "base" else "←"
        return (Seg(f"{arrow}{chunk.other}".rjust(4), "text" if strong else "dim"),)
    words = f"{'now' if side == 'base' else 'was'} {chunk.other}".rjust(6)
    arrow = f" {'↓' if new > old else '↑'}{abs(new - old)}"
    return Seg(words, "text" if strong else "dim"), Seg(arrow.ljust(4 - max(len(words) - 6, 0)), role)
