"""A text field as view state: what was typed and where the caret is. No Textual in here, so that a field costs no repaint
of its own, takes part in --ascii and is scrubbed like all other text."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

from ragtriage_tui.rows import Line, Seg, joined
from ragtriage_tui.text import Extent, scrub, width, wrap

__all__ = ["Editor", "Typed"]

MAX_CHARACTERS = 100_000


class Typed(NamedTuple):
    """What a field did with a key: whether it was one of its own, and whether the text is another one now."""

    mine: bool
    changed: bool


class Editor:
    """One field. `lines`: the rows of text it shows; with more than one, a paste keeps its line ends."""

    def __init__(self, text: str = "", *, lines: int = 1) -> None:
        self.lines = lines
        self.text = self._clean(text)
        self.caret = len(self.text)
        self._top = 0

    def _clean(self, text: str) -> str:
        text = scrub(text.replace("\r\n", "\n").replace("\r", "\n"))[:MAX_CHARACTERS]
        return text if self.lines > 1 else " ".join(text.split("\n"))

    def set(self, text: str) -> None:
        """Replace the text; the caret goes to its end."""
        self.text = self._clean(text)
        self.caret = len(self.text)

    def insert(self, text: str) -> None:
        """Put text (a character, or a paste) at the caret."""
        text = self._clean(text)[: max(MAX_CHARACTERS - len(self.text), 0)]
        self.text = self.text[: self.caret] + text + self.text[self.caret :]
        self.caret += len(text)

    def key(self, key: str) -> Typed:
        """One key, named as in the table of actions."""
        if len(key) == 1 or key == "space":
            self.insert(" " if key == "space" else key)
            return Typed(True, True)
        if (move := _MOVES.get(key)) is not None:
            self.caret = move(self)
            return Typed(True, False)
        if (cut := _CUTS.get(key)) is not None:
            start, end = cut(self)
            changed = start < end
            self.text = self.text[:start] + self.text[end:]
            self.caret = start
            return Typed(True, changed)
        return Typed(False, False)

    def move_row(self, step: int, cells: int) -> bool:
        """Up or down a row of a field that is wrapped to `cells`; False where there is none."""
        rows = wrap(self.text, cells)
        at = self._row(rows)
        if not 0 <= at + step < len(rows):
            return False
        column = self.caret - rows[at].start
        self.caret = min(rows[at + step].start + column, rows[at + step].end)
        return True

    def _row(self, rows: list[Extent]) -> int:
        return max((index for index, row in enumerate(rows) if row.start <= self.caret), default=0)

    def draw(self, cells: int, *, caret: bool, empty: str = "") -> list[Line]:
        """`lines` rows of at most `cells`, scrolled to the caret, which is shown where the field has the keys."""
        cells = max(cells, 2)
        if not self.text and not caret:
            return [(Seg(empty, "dim"),), *[()] * (self.lines - 1)]
        if self.lines == 1:
            return [self._draw_single(cells, caret)]
        rows = wrap(self.text, cells - 1)
        at = self._row(rows)
        self._top = min(max(self._top, at - self.lines + 1), at)
        shown = rows[self._top : self._top + self.lines]
        out = [self._draw_row(row, caret and self._top + index == at) for index, row in enumerate(shown)]
        return [*out, *[()] * (self.lines - len(out))]

    def _draw_row(self, row: Extent, caret: bool) -> Line:
        if not caret:
            return (Seg(self.text[row.start : row.end], "strong"),)
        at = min(self.caret, row.end)
        under = self.text[at : at + 1] if at < row.end else " "
        after = self.text[at + 1 : row.end]
        return joined(Seg(self.text[row.start : at], "strong"), Seg(under, "caret"), Seg(after, "strong"))

    def _draw_single(self, cells: int, caret: bool) -> Line:
        start = 0
        while width(self.text[start : self.caret]) > cells - 1:
            start += max(1, (width(self.text[start : self.caret]) - cells) // 2)
        end = len(self.text)
        while width(self.text[start:end]) > cells - 1:
            end -= max(1, (width(self.text[start:end]) - cells) // 2)
        return self._draw_row(Extent(start, max(end, self.caret)), caret)


def _word_left(editor: Editor) -> int:
    starts = [match.start() for match in re.finditer(r"\S+", editor.text[: editor.caret])]
    return starts[-1] if starts else 0


def _word_right(editor: Editor) -> int:
    match = re.compile(r"\s*\S+").match(editor.text, editor.caret)
    return match.end() if match else len(editor.text)


def _line_start(editor: Editor) -> int:
    return editor.text.rfind("\n", 0, editor.caret) + 1


def _line_end(editor: Editor) -> int:
    end = editor.text.find("\n", editor.caret)
    return len(editor.text) if end < 0 else end


_MOVES: dict[str, Callable[[Editor], int]] = {
    "left": lambda editor: max(editor.caret - 1, 0),
    "right": lambda editor: min(editor.caret + 1, len(editor.text)),
    "ctrl+left": _word_left,
    "ctrl+right": _word_right,
    "home": _line_start,
    "ctrl+a": _line_start,
    "end": _line_end,
    "ctrl+e": _line_end,
}
_CUTS: dict[str, Callable[[Editor], tuple[int, int]]] = {
    "backspace": lambda editor: (max(editor.caret - 1, 0), editor.caret),
    "ctrl+h": lambda editor: (max(editor.caret - 1, 0), editor.caret),
    "delete": lambda editor: (editor.caret, min(editor.caret + 1, len(editor.text))),
    "ctrl+d": lambda editor: (editor.caret, min(editor.caret + 1, len(editor.text))),
    "ctrl+w": lambda editor: (_word_left(editor), editor.caret),
    "ctrl+u": lambda editor: (_line_start(editor), editor.caret),
    "ctrl+k": lambda editor: (editor.caret, _line_end(editor)),
}
