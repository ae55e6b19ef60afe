"""The help as lines: the keys of the pane one came from, then everywhere, then marks. No Textual in here."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ragtriage_tui.actions import MARKS, Action
from ragtriage_tui.keymap import Keymap, show_key
from ragtriage_tui.rows import BLANK, Drawing, Line, Rule, Seg, columns, header, joined, rule
from ragtriage_tui.text import clip, fit, width, wrap

__all__ = ["Entry", "draw_help", "entries"]

# Movement works everywhere but is what people look for first, so it stands with the pane's own keys.
_WITH_PANE = ("move-down", "page-down", "page-up", "first", "open", "undo", "close")


class Entry(NamedTuple):
    """One line of the help: keys, and a sentence."""

    keys: str
    text: str


def entries(actions: Sequence[Action]) -> list[Entry]:
    """One entry an action; neighbours of one group share a line (`L C A`), digits in a row become `1-7`.

    An action whose key the sentence of an earlier one names has no entry of its own.
    """
    out: list[Entry] = []
    groups: dict[str, list[Action]] = {}
    for action in actions:
        groups.setdefault(action.group or action.id, []).append(action)
    for members in groups.values():
        keys = [show_key(action.keys[0]) for action in members]
        in_row = len(keys) > 2 and all(key.isdigit() for key in keys)
        text = _going(members) if members[0].group == "go" else members[0].help
        if any(keys[0] in entry.text.replace(";", " ").replace(".", " ").split() for entry in out if len(keys[0]) > 1):
            continue
        out.append(Entry(f"{keys[0]}-{keys[-1]}" if in_row else " ".join(keys), text))
    return out


def _going(members: Sequence[Action]) -> str:
    return f"Go to {', '.join(action.label.capitalize() for action in members)}."


def _sections(keymap: Keymap, where: str, pane: str) -> list[tuple[str, str, list[Entry]]]:
    first = [action for action in keymap.everywhere() if _stem(action) in _WITH_PANE]
    rest = [action for action in keymap.everywhere() if _stem(action) not in _WITH_PANE]
    own = keymap.on(where)
    marks = [Entry(sign, text) for sign, text in MARKS]
    return [
        (pane, "the pane you came from", entries([*first, *own])),
        ("Everywhere", "", entries(rest)),
        ("Marks", "", marks),
    ]


def _stem(action: Action) -> str:
    return {"move": "move-down", "ends": "first", "undo": "undo"}.get(action.group, action.id)


def draw_help(
    keymap: Keymap, where: str, pane: str, cells: int, height: int, *, top: int = 0, section: int = 0, find: str = "",
    field: Line = BLANK,
) -> tuple[Drawing, int]:  # fmt: skip
    """Header and body in `height` rows, and the `top` that was possible. `section` is the active one; `find` keeps only the
    lines that hold it; `field` is shown in the first title while it is typed in."""
    head = header(
        "Help", [(Seg(f"{where}, {pane}" if pane != where else where),), BLANK],
        [(Seg("every key can be changed in the config", "dim"),)], cells,
    )  # fmt: skip
    sections = [
        (name, facts, [entry for entry in lines if find.casefold() in f"{entry.keys} {entry.text}".casefold()])
        for name, facts, lines in _sections(keymap, where, pane)
    ]
    body = height - 1
    if cells >= 100:
        left = cells // 2 - 1
        a = _column([sections[0]], left, section, 0, field)
        b = _column(sections[1:], cells - left - 1, section, 1, BLANK)
        top = min(top, max(len(a) - body, len(b) - body, 0))
        both = columns(_window(a, top, body), _window(b, top, body), left, cells - left - 1)
        return Drawing((head, *both), (left,)), top
    lines = _column(sections, cells, section, 0, field)
    top = min(top, max(len(lines) - body, 0))
    return Drawing((head, *_window(lines, top, body))), top


def _window(lines: list[Line], top: int, height: int) -> list[Line]:
    shown = [lines[0], *lines[1 + top : top + height]] if lines else []
    return (shown + [BLANK] * height)[:height]


def _column(sections: Sequence[tuple[str, str, list[Entry]]], cells: int, active: int, offset: int, field: Line) -> list[Line]:
    out: list[Line] = []
    for index, (name, facts, lines) in enumerate(sections):
        here = index + offset == active
        if field and index + offset == 0:
            out.append(joined(Seg("━ ", "active"), Seg("/", "strong"), field))
        else:
            out.append(rule([Rule(name, facts), Rule(name)], cells, active=here))
        keys = max((width(entry.keys) for entry in lines), default=0)
        keys = max(min(keys, 12), 7)
        for entry in lines:
            room = cells - keys - 4
            rows = wrap(entry.text, room) if cells < 100 else []
            text = entry.text[rows[0].start : rows[0].end] if rows else clip(entry.text, room)
            out.append(joined(" ", Seg(fit(entry.keys, keys), "strong"), "  ", text))
            out += [joined(" " * (keys + 3), entry.text[start:end]) for start, end in rows[1:]]
        if not lines:
            out.append(joined(" ", Seg("Nothing matches.", "dim")))
    return out
