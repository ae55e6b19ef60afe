"""Lines of text with roles, and the parts every screen is made of: header, rules, footer, columns. No Textual in here.

A line is a tuple of (text, role) segments. Roles are named in `Role`; what they look like is decided in `styles`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal, NamedTuple

from ragtriage_tui.text import Extent, clip, take, width

__all__ = [
    "BLANK", "Drawing", "Line", "Role", "Rule", "Seg", "bar", "between", "clip_line", "columns", "cut_line", "fill",
    "footer", "header", "highlight", "joined", "length", "message", "rule", "skip_line",
]  # fmt: skip

Role = Literal[
    "text", "strong", "dim", "rule", "active", "evidence", "mark", "fail", "pass", "warn", "key",
    "bar", "bar-strong", "bar-fail", "caret", "select", "select-strong",
]  # fmt: skip


class Seg(NamedTuple):
    text: str
    role: Role = "text"


Line = tuple[Seg, ...]
BLANK: Line = ()


class Drawing(NamedTuple):
    """A whole screen: one line a row, and the columns at which it is cut into widgets, so that a change in one column does
    not repaint its neighbours. `cursor_row` is what a screen reader or a test would look for."""

    lines: tuple[Line, ...]
    cuts: tuple[int, ...] = ()


def length(line: Iterable[Seg]) -> int:
    """Cells that a line takes."""
    return sum(width(text) for text, _ in line)


def joined(*parts: Seg | str | Line) -> Line:
    """A line of segments, plain strings and lines."""
    out: list[Seg] = []
    for part in parts:
        if isinstance(part, str):
            out.append(Seg(part))
        elif isinstance(part, Seg):
            out.append(part)
        else:
            out.extend(part)
    return tuple(seg for seg in out if seg.text)


def between(parts: Sequence[Line], gap: str = "  ") -> Line:
    """Lines side by side with a gap, empty ones left out."""
    out: list[Seg] = []
    for part in parts:
        if part:
            if out:
                out.append(Seg(gap))
            out.extend(part)
    return tuple(out)


def clip_line(line: Line, cells: int) -> Line:
    """`line` in at most `cells`; what is lost is shown by `…`."""
    if length(line) <= cells:
        return line
    if cells <= 0:
        return BLANK
    out: list[Seg] = []
    left = cells
    for text, role in line:
        size = width(text)
        if size < left:
            out.append(Seg(text, role))
            left -= size
            continue
        shown = clip(text, left) if size > left else take(text, left - 1) + "…"
        if shown:
            out.append(Seg(shown, role))
        break
    return tuple(out)


def skip_line(line: Line, cells: int) -> Line:
    """`line` without its first `cells`."""
    out: list[Seg] = []
    for text, role in line:
        if cells <= 0:
            out.append(Seg(text, role))
            continue
        head = take(text, cells)
        rest = text[len(head) :]
        cells -= width(text) if not rest else width(head)
        if rest:
            if cells > 0:  # a wide character stands across the edge
                rest = " " * (width(rest[0]) - cells) + rest[1:]
                cells = 0
            out.append(Seg(rest, role))
    return tuple(out)


def cut_line(line: Line, left: int, right: int) -> Line:
    """The cells [left, right) of a line, without an ellipsis."""
    out: list[Seg] = []
    room = right - left
    for text, role in skip_line(line, left) if left else line:
        if room <= 0:
            break
        shown = take(text, room)
        if shown:
            out.append(Seg(shown, role))
        room -= width(text)
    return tuple(out)


def fill(line: Line, cells: int, role: Role = "text") -> Line:
    """`line` clipped and padded to exactly `cells`."""
    line = clip_line(line, cells)
    missing = cells - length(line)
    return (*line, Seg(" " * missing, role)) if missing else line


_ON_BAR: dict[Role, Role] = {"strong": "bar-strong", "fail": "bar-fail", "evidence": "evidence", "key": "key"}


def bar(line: Line, cells: int) -> Line:
    """`line` as the cursor bar of the active pane."""
    return tuple(Seg(text, _ON_BAR.get(role, "bar")) for text, role in fill(line, cells))


def highlight(text: str, places: Sequence[Extent], role: Role = "text", marked: Role = "evidence") -> Line:
    """`text` with the given places marked."""
    out: list[Seg] = []
    at = 0
    for start, end in sorted(places):
        start, end = max(start, at), min(end, len(text))
        if end <= start:
            continue
        out += [Seg(text[at:start], role), Seg(text[start:end], marked)]
        at = end
    out.append(Seg(text[at:], role))
    return tuple(seg for seg in out if seg.text)


class Rule(NamedTuple):
    """A pane's title row in one form: name, facts, and the position at the right."""

    name: str
    facts: str = ""
    position: str = ""
    facts_role: Role = "dim"


def rule(forms: Sequence[Rule], cells: int, *, active: bool = False, stop: str = "") -> Line:
    """A title row of exactly `cells`: the longest form that leaves two cells of rule; `━` in the focus colour when active."""
    for form in forms:
        if _title_length(form) + 2 <= cells:
            break
    else:
        form = forms[-1]._replace(position="")
    stroke = "━" if active else "─"
    style: Role = "active" if active else "rule"
    if not form.name and not form.facts:
        return (Seg(stroke * cells, style),)
    title = joined(
        Seg(stroke, style), " ", Seg(form.name, "strong"),
        Seg(("  " if form.name else "") + form.facts if form.facts else "", form.facts_role), " ",
    )  # fmt: skip
    title = clip_line(title, max(cells - 1, 0))
    tail = joined(Seg(f" {form.position} ", "dim")) if form.position else ()
    rest = cells - length(title) - length(tail)
    return joined(title, Seg(stroke * max(rest, 0), style), tail)


def _title_length(form: Rule) -> int:
    facts = width(form.facts) + 2 if form.facts else 0
    position = width(form.position) + 2 if form.position else 0
    return 2 + width(form.name) + facts + 1 + position


def header(screen: str, left: Sequence[Line], right: Sequence[Line], cells: int) -> Line:
    """Row 0: screen name, the longest left part and the longest right part that fit together, else less."""
    name = Seg(f" {screen}", "strong")
    forms = [(head, tail) for head in left for tail in right] + [(head, BLANK) for head in left]
    for head, tail in forms:
        start = joined(name, "  ", head) if head else (name,)
        gap = cells - length(start) - length(tail) - 1
        if gap >= (2 if tail else 0):
            return fill(joined(start, " " * gap, tail), cells) if tail else fill(start, cells)
    return fill((name,), cells)


def footer(hints: Sequence[tuple[str, str]], cells: int, *, before: Line = BLANK, last: bool = True) -> Line:
    """The last row: keys by rank, as many as fit; with `last`, the last hint is always kept.

    `hints` are (keys, label); those without keys are left out. `before` is what was just done.
    """
    entries = [joined(Seg(keys, "strong"), Seg(f" {label}" if label else "", "dim")) for keys, label in hints if keys]
    closing = entries.pop() if entries and last else BLANK
    gap = 3 if before else 0
    room = cells - 1 - (length(closing) + 2 if closing else 0)
    line = joined(" ", clip_line(before, max(cells - 1, 0)))
    first = True
    for entry in entries:
        step = (gap if first else 2) if (not first or before) else 0
        if length(line) - 1 + step + length(entry) > room:
            break
        line = joined(line, " " * step, entry)
        first = False
    step = 2 if not first else gap if before else 0
    if closing and length(line) + step + length(closing) <= cells:
        line = joined(line, " " * step, closing)
    return fill(line, cells)


def message(text: str, kind: Literal["done", "warn", "plain"] = "done") -> Line:
    """What the footer says happened."""
    mark = {"done": Seg("✓ ", "pass"), "warn": Seg("! ", "warn"), "plain": Seg("")}[kind]
    return joined(mark, Seg(text))


def columns(left: Sequence[Line], right: Sequence[Line], left_cells: int, right_cells: int, *, top: bool = True) -> list[Line]:
    """Two columns with one vertical line between them, joined to the rules that meet it (`┬ ├ ┤ ┼`).

    Both must have the same number of rows. `top`: the first row is the upper end of the line.
    """
    out: list[Line] = []
    for row, (a, b) in enumerate(zip(left, right, strict=True)):
        a, b = fill(a, left_cells), fill(b, right_cells)
        from_left = bool(a) and a[-1].text[-1:] in "━─"
        from_right = bool(b) and b[0].text[:1] in "━─"
        first_rule = row == 0 and top and _is_rule(a) and _is_rule(b)
        if first_rule:
            joint = "┬"
        elif from_left and from_right:
            joint = "┼"
        elif from_right:
            joint = "├"
        elif from_left:
            joint = "┤"
        else:
            joint = "│"
        out.append(joined(a, Seg(joint, "rule"), b))
    return out


def _is_rule(line: Line) -> bool:
    return bool(line) and line[0].text[:1] in ("━", "─")
