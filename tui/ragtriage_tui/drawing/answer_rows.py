"""The words of an answer as rows on the screen, with its citations, and what differs from another one. No Textual in here."""

from __future__ import annotations

import difflib
import re
from functools import lru_cache
from typing import NamedTuple

from ragtriage_tui.answer_views import AnswerView
from ragtriage_tui.rows import Line, Role, Seg, joined
from ragtriage_tui.text import Extent, take, wrap

__all__ = ["AnswerRows", "cut_row", "new_words", "wrapped_answer"]

_MOST_WORDS = 2000


class AnswerRows(NamedTuple):
    """The rows of an answer, where each begins in its text, and in which the chosen citation begins."""

    lines: list[Line]
    starts: list[int]
    at: int | None


def wrapped_answer(answer: AnswerView, cells: int, *, new: set[int] | None = None, citation: int = 0) -> AnswerRows:
    """The answer wrapped to `cells`, without blank rows: citations bold, the one to passage `citation` inverse.

    With `new`, words that begin there are bold and the rest is dim: what the other answer does not say.
    """
    text = answer.text
    lines: list[Line] = []
    starts: list[int] = []
    at = None
    for start, end in _rows(text, cells):
        chosen = [one for one in answer.citations if citation in one.numbers and start <= one.place.start < end]
        if chosen and at is None:
            at = len(lines)
        lines.append(_row(answer, start, end, new, citation))
        starts.append(start)
    return AnswerRows(lines, starts, at)


@lru_cache(maxsize=32)
def _rows(text: str, cells: int) -> tuple[Extent, ...]:
    """The rows that have something in them; the same answers are drawn again with every key."""
    return tuple(row for row in wrap(text, cells) if text[row.start : row.end].strip())


def cut_row(answer: AnswerView, start: int, cells: int, *, new: set[int] | None = None, citation: int = 0) -> Line:
    """The last row that there is room for: what follows `start` on one line, its loss shown."""
    shown = take(answer.text[start:].replace("\n", " "), cells - 1).rstrip()
    return joined(_row(answer, start, start + len(shown), new, citation), "…")


def _row(answer: AnswerView, start: int, end: int, new: set[int] | None, citation: int) -> Line:
    out: list[Seg] = []
    at = start
    for one in answer.citations:
        first, last = max(one.place.start, at), min(one.place.end, end)
        if last <= first:
            continue
        out += _words(answer.text, at, first, new)
        out.append(Seg(_flat(answer.text[first:last]), "key" if citation in one.numbers else "strong"))
        at = last
    return joined(*out, *_words(answer.text, at, end, new))


def _words(text: str, start: int, end: int, new: set[int] | None) -> list[Seg]:
    text = _flat(text)
    if new is None:
        return [Seg(text[start:end])]
    out: list[Seg] = []
    at = start
    for match in re.compile(r"\S+").finditer(text, start, end):
        role: Role = "strong" if match.start() in new else "dim"
        out += [Seg(text[at : match.start()]), Seg(match[0], role)]
        at = match.end()
    return [*out, Seg(text[at:end])]


def _flat(text: str) -> str:
    return text.replace("\n", " ")


def new_words(text: str, other: str) -> set[int]:
    """Where the words of `text` begin that are not in `other` in that order."""
    mine = list(re.finditer(r"\S+", text))[:_MOST_WORDS]
    words = [match[0].casefold().strip(".,;:") for match in mine]
    theirs = [word.casefold().strip(".,;:") for word in other.split()[:_MOST_WORDS]]
    same: set[int] = set()
    for block in difflib.SequenceMatcher(None, words, theirs, autojunk=False).get_matching_blocks():
        same.update(range(block.a, block.a + block.size))
    return {match.start() for index, match in enumerate(mine) if index not in same}
