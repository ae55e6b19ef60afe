"""The last row of every screen: keys, what was just done, a question, or one line to type in. No Textual in here."""

from __future__ import annotations

from collections.abc import Sequence

from ragtriage_tui.actions import FOOTERS
from ragtriage_tui.editor import Editor
from ragtriage_tui.keymap import Keymap
from ragtriage_tui.rows import BLANK, Line, Rule, Seg, clip_line, fill, footer, joined, length, message, rule
from ragtriage_tui.telling import Message
from ragtriage_tui.text import width as cells
from ragtriage_tui.text import wrap

__all__ = ["footer_line", "prompt_line", "question_line", "question_rows"]

_LEAST_FIELD = 12


def footer_line(keymap: Keymap, where: str, state: str, said: Message | None, said_state: str, width: int) -> Line:
    """The keys of a screen in a state (`typing`, `quote`, empty); after a message those that make sense next."""
    hints = FOOTERS.get(f"{where}.{state}" if state else where)
    if hints is None:
        hints = FOOTERS["field"] if state == "typing" else FOOTERS.get(where, ())
    before: Line = BLANK
    if said:
        before = message(said.text, said.kind)
        hints = FOOTERS.get(f"{where}.{said_state}", hints) if said_state else hints
    keys = [(keymap.shown(hint), hint.label) for hint in hints]
    if said and said_state and keys:  # a long message never hides how it is undone
        first, last = (length((Seg(f"{shown} {label}"),)) for shown, label in (keys[0], keys[-1]))
        before = clip_line(before, width - first - last - 7)
    return footer(keys, width, before=before, last=bool(hints) and hints[-1].ids == ("help",))


def question_line(keymap: Keymap, question: str, width: int) -> Line:
    """`Write size=256 to ragtriage.toml?   Y do it   any other key no`"""
    yes = keymap.get("yes")
    key = yes.keys[0] if yes else ""
    asked = joined(" ", Seg(question, "strong"), "   ", Seg(key, "strong"), Seg(" do it", "dim"))
    return fill(joined(asked, "   ", Seg("any other key no", "dim")), width)


def question_rows(lines: Sequence[str], width: int) -> list[Line]:
    """What a question is about, whole, under a rule of its own."""
    out: list[Line] = [rule([Rule("Before you say yes")], width, active=True)]
    for line in lines:
        rows = wrap(line, width - 2)
        out += [fill(joined(" ", line[start:end]), width) for start, end in rows]
    return out


def prompt_line(keymap: Keymap, label: str, editor: Editor, width: int, *, whole: bool = False) -> Line:
    """A label, a field, and how to take it or leave it, unless the field has the whole row or its text needs it."""
    head = joined(" ", Seg(f"{label} ", "dim"))
    tail: Line = joined("  ", *(Seg(text, role) for text, role in _hints(keymap)))
    room = width - length(head) - length(tail)
    if whole or room < max(_LEAST_FIELD, cells(editor.text) + 1):
        tail, room = BLANK, width - length(head)
    return fill(joined(head, fill(editor.draw(room, caret=True)[0], room), tail), width)


def _hints(keymap: Keymap) -> Line:
    out: list[Seg] = []
    for hint in FOOTERS["field"]:
        out += [Seg(keymap.shown(hint), "strong"), Seg(f" {hint.label}  ", "dim")]
    return tuple(out)
