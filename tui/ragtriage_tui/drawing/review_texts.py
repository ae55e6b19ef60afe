"""The texts of a passage on both sides, with the borders of the other side drawn in. No Textual in here."""

from __future__ import annotations

from ragtriage_tui.drawing.answer_rows import new_words
from ragtriage_tui.review_state import ReviewState
from ragtriage_tui.review_views import Side, TextPart
from ragtriage_tui.rows import BLANK, Line, Role, Seg, highlight, joined
from ragtriage_tui.text import Extent, wrap

__all__ = ["side_text", "text_columns"]

_MOST_ROWS = 2000
_BESIDE_ROWS = 3  # of a chunk that only stands beside the one that was asked for


def text_columns(state: ReviewState, cells: tuple[int, int], height: int) -> tuple[list[Line], list[Line]]:
    """Both sides, scrolled together."""
    base, head = _rows(state, "base", cells[0]), _rows(state, "head", cells[1])
    top = state.scrolled("text", max(len(base), len(head)), height)
    return _view(base, top, height), _view(head, top, height)


def side_text(state: ReviewState, side: Side, cells: int, height: int) -> list[Line]:
    """One side alone."""
    rows = _rows(state, side, cells)
    return _view(rows, state.scrolled("text", len(rows), height), height)


def _view(rows: list[Line], top: int, height: int) -> list[Line]:
    return (rows[top : top + height] + [BLANK] * max(height, 0))[: max(height, 0)]


def _rows(state: ReviewState, side: Side, cells: int) -> list[Line]:
    texts = state.texts
    if texts is None:
        return []
    parts = texts.base if side == "base" else texts.head
    why = texts.base_why if side == "base" else texts.head_why
    if not parts:
        return [joined(" ", Seg(why[start:end], "dim")) for start, end in wrap(why, max(cells - 2, 4))]
    others = texts.head if side == "base" else texts.base
    against = "\n".join(part.text for part in others) if texts.edited else None
    out: list[Line] = []
    for part in parts:
        out += _part(part, cells, against)
        if len(out) > _MOST_ROWS:
            break
    return out[:_MOST_ROWS]


def _part(part: TextPart, cells: int, against: str | None) -> list[Line]:
    mark = {"whole": " ●", "part": " ◐"}.get(part.holds, "")
    title = f" {part.label}"
    used = 2 + len(title) + len(mark) + len(part.facts) + 3
    head = joined(
        " ", Seg("─", "rule"), Seg(title, "strong" if part.main else "dim"), Seg(mark, "mark"), Seg(f"  {part.facts} ", "dim"),
        Seg("─" * max(cells - used - 1, 0), "rule"),
    )  # fmt: skip
    new = new_words(part.text, against) if against is not None and part.main else None
    body: list[Line] = []
    edges = [0, *(at for at, _ in part.borders), len(part.text)]
    names = ["", *(name for _, name in part.borders)]
    for name, start, end in zip(names, edges, edges[1:], strict=False):
        if name:
            body.append(
                joined(" ", Seg("╌", "rule"), Seg(f" {name} ", "dim"), Seg("╌" * max(cells - len(name) - 5, 0), "rule"))
            )
        text = part.text[start:end]
        lead = len(text) - len(text.lstrip("\n"))
        for row in wrap(text[lead:].rstrip(), max(cells - 2, 4), _MOST_ROWS):
            if not text[lead + row.start : lead + row.end].strip():
                continue  # there are two columns, and little room
            first, last = start + lead + row.start, start + lead + row.end
            body.append(_words(part, first, last, new))
    if not part.main and len(body) > _BESIDE_ROWS:
        body = [*body[: _BESIDE_ROWS - 1], joined(" ", Seg("…", "dim"))]
    return [head, *body]


def _words(part: TextPart, first: int, last: int, new: set[int] | None) -> Line:
    role: Role = "text" if part.main else "dim"
    text = part.text[first:last]
    places = [
        Extent(place.start - first, place.end - first) for place in part.evidence if place.end > first and place.start < last
    ]
    if new is None:
        return joined(" ", highlight(text, places, "strong" if text.lstrip().startswith("#") and part.main else role))
    line: list[Seg] = []
    at = 0
    for start in sorted(one - first for one in new if first <= one < last):
        end = text.find(" ", start)
        end = len(text) if end < 0 else end
        line += [*highlight(text[at:start], _inside(places, at, start), "dim"),
                 *highlight(text[start:end], _inside(places, start, end), "strong")]  # fmt: skip
        at = end
    return joined(" ", *line, *highlight(text[at:], _inside(places, at, len(text)), "dim"))


def _inside(places: list[Extent], start: int, end: int) -> list[Extent]:
    return [Extent(max(one.start, start) - start, one.end - start) for one in places if one.end > start and one.start < end]
