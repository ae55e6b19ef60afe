"""An answer to be judged as lines: question, what is expected, the answer, and the five questions about it. No Textual."""

from __future__ import annotations

from ragtriage_tui.answer_views import AXES, AnswerView, JudgeView
from ragtriage_tui.drawing.answer_rows import cut_row, wrapped_answer
from ragtriage_tui.geometry import Geometry
from ragtriage_tui.judge_state import JudgeState, compared
from ragtriage_tui.judge_views import QUESTIONS, JudgeDetail, Said
from ragtriage_tui.rows import BLANK, Line, Rule, Seg, between, clip_line, joined, rule
from ragtriage_tui.text import clip, one_line, wrap

__all__ = ["AXIS_ROWS", "answer_block", "answer_title", "axis_rows", "words_heights"]

AXIS_ROWS = 6
"""The five questions and a row for what is said of all of them: the note, and how the judge compares."""

_LABEL = 9
_SAID: dict[Said, Seg] = {
    "yes": Seg("✓ yes", "pass"), "no": Seg("✗ no", "fail"), "unsure": Seg("· unsure", "text"), "": Seg("", "dim"),
}  # fmt: skip
_CELLS = 9  # of `· unsure`


def answer_title(state: JudgeState, cells: int) -> Line:
    """The rule above the answer: whose question, which answer, which of how many."""
    active = state.active == "answer"
    row = state.current
    if row is None:
        return rule([Rule("")], cells, active=active)
    position = f"answer {state.listing.cursor + 1} of {len(state.listing.visible)}"
    facts = f"{row.arm}{f' · judged by {row.by}' if row.by else ''}"
    return rule([Rule(row.qid, facts, position), Rule(row.qid, row.arm), Rule(row.qid)], cells, active=active)


def words_heights(state: JudgeState, geo: Geometry, cells: int, most: int) -> tuple[int, int, int]:
    """Rows of question, expected answer and answer, in at most `most`; the answer gets what the others leave."""
    detail = state.detail
    if detail is None:
        return 1, 1, 1
    room = cells - 2
    limit = 3 if geo.height >= 30 else 2
    question = min(len(wrap(one_line(detail.question), room, limit + 1)), limit)
    expected = min(len(wrap(one_line(detail.expected), room - _LABEL, limit + 1)), limit)
    answer = len(wrapped_answer(_view(detail), room - _LABEL).lines)
    return question, expected, max(min(answer, most - question - expected), 1)


def _view(detail: JudgeDetail) -> AnswerView:
    return AnswerView(None, "", detail.answer, citations=detail.citations)


def answer_block(state: JudgeState, geo: Geometry, cells: int, height: int, *, whole: bool = False) -> list[Line]:
    """Question, expected answer and answer in `height` rows. `whole`: all of them, scrolled as one."""
    detail = state.detail
    if detail is None:
        return []
    room = cells - 2
    if whole:
        lines = [*_words(detail.question, room, 0, "", "strong"), *_words(detail.expected, room, 0, "expected")]
        lines += _labelled(wrapped_answer(_view(detail), room - _LABEL, citation=state.citation).lines, "answer")
        top = state.scrolled("answer", len(lines), height)
        return lines[top : top + height]
    questions, expecteds, answers = words_heights(state, geo, cells, height)
    out = _words(detail.question, room, questions, "", "strong") + _words(detail.expected, room, expecteds, "expected")
    view = _view(detail)
    lines, starts, at = wrapped_answer(view, room - _LABEL, citation=state.citation)
    top = state.scrolled("answer", len(lines), answers, at if state.seek else None)
    shown = lines[top : top + answers]
    if shown and top + answers < len(lines):
        shown[-1] = cut_row(view, starts[top + answers - 1], room - _LABEL, citation=state.citation)
    return out + _labelled(shown, "answer")


def _words(text: str, room: int, most: int, label: str, role: str = "text") -> list[Line]:
    """A text wrapped after its label, at most `most` rows (0: all)."""
    flat = one_line(text)
    cells = room - (_LABEL if label else 0)
    spans = wrap(flat, cells, most)
    rows = [flat[start:end] for start, end in spans]
    if spans and spans[-1].end < len(flat):
        rows[-1] = clip(flat[spans[-1].start :], cells)
    lines: list[Line] = [(Seg(row, "strong" if role == "strong" else "text"),) for row in rows]
    return _labelled(lines, label) if label else [joined(" ", line) for line in lines]


def _labelled(lines: list[Line], label: str) -> list[Line]:
    out = []
    for number, line in enumerate(lines):
        head = Seg(f" {label if number == 0 else '':<{_LABEL}}", "dim")
        out.append(joined(head, line))
    return out


def axis_rows(state: JudgeState, cells: int, *, whole: bool = False) -> list[Line]:
    """The five questions with what is said, and the row under them. `whole`: with all that the judge says, once it is shown."""
    row = state.current
    if row is None:
        return [BLANK] * AXIS_ROWS
    judge = state.revealed
    rows = [_axis(at, row.said[at], judge, cells) for at in range(len(AXES))]
    under = _under(state, judge, cells)
    if not whole or judge is None:
        return [*rows, under]
    claims = [
        joined(Seg(" ✗ ", "fail"), text[start:end]) if start == 0 else joined("   ", text[start:end])
        for text in (f"unsupported, it says: {one_line(claim)}" for claim in judge.claims)
        for start, end in wrap(text, cells - 4)
    ]
    return [*rows, under, *claims]


def _axis(at: int, said: Said, judge: JudgeView | None, cells: int) -> Line:
    axis = AXES[at]
    head = joined(" ", Seg(str(at + 1), "strong"), Seg(f" {axis:<10} ", "text"))
    answer = _SAID[said] if said else Seg("·", "dim")
    line = joined(head, answer, " " * (_CELLS - len(answer.text)))
    after = Seg(QUESTIONS[at], "dim") if judge is None else None
    tail = (after,) if after else _judge_says(at, said, judge)
    return clip_line(joined(line, "  ", tail), cells)


def _judge_says(at: int, said: Said, judge: JudgeView | None) -> Line:
    if judge is None:
        return BLANK
    if AXES[at] in judge.unstable:
        return joined(Seg("judge ", "dim"), Seg("! unstable", "warn"))
    value = judge.said[at]
    word = "cannot tell" if value is None else "yes" if value else "no"
    line = joined(Seg(f"judge {word}", "dim"))
    if value is None or said not in ("yes", "no"):
        return line
    agrees = (said == "yes") == value
    return joined(line, "  ", Seg("agrees", "dim") if agrees else Seg("✗ disagrees", "fail"))


def _under(state: JudgeState, judge: JudgeView | None, cells: int) -> Line:
    parts: list[Line] = []
    row = state.current
    if judge is not None and row is not None:
        same, both = compared(row.said, judge)
        words = judge.reason and f"the judge could not score it: {one_line(judge.reason)}"
        parts.append((Seg(words or f"judge agrees on {same} of {both}", "dim"),))
        parts.append((Seg(judge.word, "warn" if judge.word.endswith("uncalibrated") else "dim"),))
    if state.detail and state.detail.note:
        parts.append(joined(Seg("note ", "dim"), one_line(state.detail.note)))
    return joined(" ", clip_line(between(parts), cells - 2)) if parts else BLANK
