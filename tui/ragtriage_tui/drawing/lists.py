"""What the drawings of screens with a list share: the two halves, panes with their titles, rows, what is said in place of rows.

No Textual in here.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ragtriage_tui.geometry import Geometry, geometry
from ragtriage_tui.list_state import ListState
from ragtriage_tui.listing import Listing
from ragtriage_tui.rows import BLANK, Drawing, Line, Rule, Seg, bar, columns, fill, joined
from ragtriage_tui.telling import Busy
from ragtriage_tui.text import clip, width, wrap

__all__ = [
    "body_rows", "busy_forms", "cursor", "field_rule", "filtered_forms", "halves", "id_cells", "list_row", "no_match", "pad",
    "pane", "sentence",
]  # fmt: skip

Half = Callable[[Geometry, int], list[Line]]
"""Draws a part of the screen in a number of rows, its title included."""


def halves(state: ListState, head: Line, cells: int, height: int, *, left: Half, right: Half, alone: Half,
           notice: Line = BLANK) -> Drawing:  # fmt: skip
    """A screen in `height` rows (without the footer): header, notice, list and detail, or `alone` the pane one is in.

    `notice` is drawn in the place of what the state has to say, where it has anything to say.
    """
    geo = geometry(cells, height + 1)
    lines = [head]
    if state.notice:
        lines.append(fill(notice or joined(" ", Seg("! ", "warn"), clip(state.notice, cells - 4)), cells))
    body = height - len(lines)
    if state.zoomed or geo.single:
        return Drawing((*lines, *alone(geo, body)))
    return Drawing((*lines, *columns(left(geo, body), right(geo, body), geo.left, geo.right)), (geo.left,))


def body_rows(state: ListState, geo: Geometry) -> int:
    """Rows between header, or notice, and footer."""
    return geo.body - (1 if state.notice else 0)


def pad(rows: list[Line], height: int) -> list[Line]:
    """`height` rows, blank ones under those that there are."""
    return (rows + [BLANK] * max(height, 0))[: max(height, 0)]


def pane(title: Line, rows: list[Line], height: int) -> list[Line]:
    """A pane of `height` rows, of which the first is its title."""
    return [title, *pad(rows, height - 1)]


def sentence(text: str, cells: int, height: int = 0) -> list[Line]:
    """What is said in the place of rows that there are none of; 0: in as many rows as it takes."""
    return [joined(" ", Seg(text[start:end], "dim")) for start, end in wrap(text, cells - 2, height)]


def busy_forms(busy: Busy) -> list[Line]:
    """A running job at the right of the header, the longest form first."""
    return [joined(Seg(busy.text), Seg("   c", "strong"), Seg(" cancels", "dim")), joined(Seg(busy.text))]


# the list


def field_rule(field: Line, cells: int) -> Line:
    """The title of a list while its filter is typed."""
    return fill(joined(Seg("━ ", "active"), Seg("/", "strong"), field), cells)


def filtered_forms(name: str, listing: Listing[Any], cells: int) -> list[Rule]:
    """The title of a list that is filtered, the longest form first."""
    shown, total, text = len(listing.visible), len(listing.rows), f"/{listing.text}"
    return [
        Rule(name, f"{shown} of {total}  {text}", "esc clears"),
        Rule(f"{shown} of {total}", text, "esc clears"),
        Rule(f"{shown} of {total}", text),
        Rule(f"{shown}", clip(text, max(cells - len(str(shown)) - 7, 3))),
    ]


def no_match(listing: Listing[Any]) -> str:
    """What a list says that nothing passes the filter of."""
    return f"Nothing matches /{listing.text}. esc clears."


def id_cells(ids: Sequence[str], geo: Geometry) -> int:
    """How wide the column of ids is; 0: there is no room for one."""
    return min(max(map(width, ids), default=0), 10) if geo.ids else 0


def cursor(*, here: bool) -> Seg:
    """The first cell of a row."""
    return Seg("▸" if here else " ")


def list_row(line: Line, cells: int, *, lit: bool) -> Line:
    """A row of the list; `lit`: the cursor is on it, and the list is the active pane."""
    return bar(line, cells) if lit else line
