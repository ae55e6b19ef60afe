"""The answers of Triage as lines: oracle beside live, or under each other. No Textual in here."""

from __future__ import annotations

import difflib
import re

from ragtriage_tui.geometry import Geometry
from ragtriage_tui.rows import BLANK, Line, Role, Rule, Seg, clip_line, columns, joined, rule
from ragtriage_tui.state import TriageState
from ragtriage_tui.text import clip, one_line, wrap
from ragtriage_tui.views import AnswerView, MarkView

__all__ = ["answer_rows", "answer_title"]

_CITED = re.compile(r"\[\d+\]")


def answer_title(state: TriageState, cells: int) -> Line:
    """The rule above the answers."""
    facts = "what differs" if "diff" in state.views else ""
    return rule([Rule("Answers", facts)], cells, active=state.active == "answers")


def answer_rows(state: TriageState, geo: Geometry, cells: int, height: int) -> list[Line]:
    """The pane's body: two columns from 100 cells of screen on, else two lines each."""
    detail = state.detail
    if detail is None or height <= 0:
        return []
    if detail.oracle is None and detail.live is None:
        why = detail.no_live or detail.no_oracle or "No answers in this run."
        return [joined(" ", Seg(why[start:end], "dim")) for start, end in wrap(why, cells - 2, height)]
    differ = "diff" in state.views
    if geo.side:
        left = cells // 2 - 1
        right = cells - left - 1
        return columns(
            _column("Oracle", detail.oracle, detail.no_oracle, None, left, height, state),
            _column("Live", detail.live, detail.no_live, detail.oracle if differ else None, right, height, state, indent=2),
            left,
            right,
            top=False,
        )
    return _stacked(state, cells, height)


def _column(
    name: str, answer: AnswerView | None, why: str, against: AnswerView | None, cells: int, height: int, state: TriageState,
    *, indent: int = 1,
) -> list[Line]:  # fmt: skip
    room = cells - indent - 1
    lead = Seg(" " * indent)
    if answer is None:
        rows: list[Line] = [joined(lead, Seg("· ", "dim"), Seg(name, "strong"))]
        rows += [joined(lead, Seg(why[start:end], "dim")) for start, end in wrap(why or "none", room, max(height - 1, 1))]
    else:
        head = joined(_good(answer.good), " ", Seg(name, "strong"), Seg(f"  {answer.given}" if answer.given else "", "dim"))
        rows = [joined(lead, clip_line(head, room))]
        space = max(height - 1 - (1 if answer.marks else 0), 0)
        rows += [joined(lead, line) for line in _text(answer, against, room, space, state)]
        rows += [BLANK] * (height - len(rows) - (1 if answer.marks else 0))
        if answer.marks:
            rows.append(joined(lead, clip_line(_marks(answer.marks, "  "), room)))
    return (rows + [BLANK] * height)[:height]


def _good(good: bool | None) -> Seg:
    return Seg("✓", "pass") if good else Seg("·", "dim") if good is None else Seg("✗", "fail")


def _text(answer: AnswerView, against: AnswerView | None, room: int, space: int, state: TriageState) -> list[Line]:
    text = one_line(answer.text)
    spans = wrap(text, room)
    top = min(state.scroll.get("answers", 0), max(len(spans) - space, 0))
    shown = spans[top : top + space]
    new = _new_words(text, one_line(against.text)) if against else None
    lines = [_styled(text, start, end, new) for start, end in shown]
    if lines and top + len(shown) < len(spans):
        last = shown[-1]
        rest = clip(text[last.start :], room)
        lines[-1] = _styled(rest, 0, len(rest), None)
    return lines


def _styled(text: str, start: int, end: int, new: set[int] | None) -> Line:
    """Part of an answer with its citations bold; with `new`, what the other answer does not say is bold and the rest dim."""
    out: list[Seg] = []
    at = start
    for match in re.compile(r"\S+").finditer(text, start, end):
        word = match[0]
        role: Role = "text" if new is None else "strong" if match.start() in new else "dim"
        out.append(Seg(text[at : match.start()]))
        out += _cited(word, role)
        at = match.end()
    return joined(*out)


def _cited(word: str, role: Role) -> list[Seg]:
    out = []
    at = 0
    for match in _CITED.finditer(word):
        out += [Seg(word[at : match.start()], role), Seg(match[0], "strong")]
        at = match.end()
    return [*out, Seg(word[at:], role)]


def _new_words(text: str, other: str) -> set[int]:
    """Where the words of `text` begin that are not in `other` in that order."""
    mine = list(re.finditer(r"\S+", text))[:2000]
    words = [match[0].casefold().strip(".,;:") for match in mine]
    theirs = [word.casefold().strip(".,;:") for word in other.split()[:2000]]
    same: set[int] = set()
    for block in difflib.SequenceMatcher(None, words, theirs, autojunk=False).get_matching_blocks():
        same.update(range(block.a, block.a + block.size))
    return {match.start() for index, match in enumerate(mine) if index not in same}


def _marks(marks: tuple[MarkView, ...], gap: str) -> Line:
    out: list[Seg] = []
    for mark in marks:
        if out:
            out.append(Seg(gap))
        if mark.good is False:
            out += [Seg(f"✗ {mark.word}", "fail"), Seg(f" {mark.what}" if mark.what else "", "strong")]
        else:
            sign = "✓" if mark.good else "·"
            out += [
                Seg(sign, "pass" if mark.good else "dim"),
                Seg(f" {mark.word}", "dim"),
                Seg(f" {mark.what}" if mark.what else ""),
            ]
    return joined(*out)


def _stacked(state: TriageState, cells: int, height: int) -> list[Line]:
    detail = state.detail
    if detail is None:
        return []
    marks = detail.live.marks if detail.live else ()
    rows_each = max((height - (1 if marks else 0)) // 2, 1)
    out: list[Line] = []
    against = detail.oracle if "diff" in state.views else None
    out += _two_lines("oracle", detail.oracle, detail.no_oracle, None, cells, rows_each, state)
    out += _two_lines("live", detail.live, detail.no_live, against, cells, rows_each, state)
    if marks:
        out.append(joined(" ", clip_line(_marks(marks, "   "), cells - 2)))
    return out[:height]


def _two_lines(
    name: str, answer: AnswerView | None, why: str, against: AnswerView | None, cells: int, rows: int, state: TriageState
) -> list[Line]:
    room = max(cells - 11, 4)
    if answer is None:
        head = joined(" ", Seg(f"· {name:<6} ", "dim"))
        return [joined(head, Seg(clip(why or "none", room), "dim")), *[BLANK] * (rows - 1)]
    lines = _text(answer, against, room, rows, state)
    out = []
    for index in range(rows):
        head = joined(" ", _good(answer.good), Seg(f" {name:<6} ", "dim")) if index == 0 else joined(" " * 10)
        out.append(joined(head, lines[index]) if index < len(lines) else BLANK)
    return out
