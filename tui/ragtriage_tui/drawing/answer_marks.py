"""What is said of an answer as lines: must-mentions, citations, what a judge says, what it cost. No Textual in here."""

from __future__ import annotations

from collections.abc import Sequence

from ragtriage_tui.answer_views import AXES, AnswerView, JudgeView, MarkView
from ragtriage_tui.rows import BLANK, Line, Seg, between, clip_line, joined, length
from ragtriage_tui.text import one_line, wrap

__all__ = ["good_mark", "judge_line", "mark_line", "whole_marks"]


def good_mark(good: bool | None) -> Seg:
    """`✓ ✗ ·`: right, wrong, could not be judged."""
    return Seg("✓", "pass") if good else Seg("·", "dim") if good is None else Seg("✗", "fail")


def mark_line(answer: AnswerView, cells: int, gap: str = "  ") -> Line:
    """The remarks on one line, as many as fit whole, and how many more there are. What it cost comes last, if it fits."""
    marks = [_mark(mark) for mark in answer.marks]
    line = between(marks, gap)
    for count in range(len(marks) - 1, -1, -1):
        if length(line) <= cells:
            break
        line = between([between(marks[:count], gap), _more(len(marks) - count)])
    if marks and line == _more(len(marks)):  # not even the first fits whole
        more = _more(len(marks) - 1) if len(marks) > 1 else BLANK
        return between([clip_line(marks[0], cells - length(more) - (2 if more else 0)), more])
    cost = next((form for form in reversed(answer.cost) if length(line) + len(gap) + len(form) <= cells), "")
    return between([line, (Seg(cost, "dim"),) if cost else BLANK], gap)


def _more(count: int) -> Line:
    return (Seg(f"⋯ {count} more", "dim"),)


def _mark(mark: MarkView) -> Line:
    what = one_line(mark.what)
    if mark.good is False:
        return joined(Seg(f"✗ {mark.word}", "fail"), Seg(f" {what}" if what else "", "strong"))
    return joined(good_mark(mark.good), Seg(f" {mark.word}", "dim"), Seg(f" {what}" if what else ""))


def judge_line(judge: JudgeView, cells: int) -> Line:
    """`judge ✓ correct  ✗ grounded …  uncalibrated`; where that does not fit, what is not yes by name and the rest together."""
    head, tail = Seg("judge", "dim"), _calibration(judge)
    if judge.reason:
        room = cells - 8 - len(tail.text) - 3
        return joined(head, " ", Seg("!", "warn"), " ", clip_line((Seg(one_line(judge.reason)),), room), "  ", tail)
    axes = list(zip(AXES, judge.said, strict=True))
    full = between([(head,), *(_axis(axis, said, judge) for axis, said in axes), (tail,)])
    if length(full) <= cells:
        return full
    other = [_axis(axis, said, judge) for axis, said in axes if not said or axis in judge.unstable]
    yes = len(axes) - len(other)
    rest = joined(Seg("✓", "pass"), " all five" if not other else " the rest") if yes else BLANK
    short = between([(head,), *other, rest])
    return between([clip_line(short, cells - length((tail,)) - 2), (tail,)])


def _calibration(judge: JudgeView) -> Seg:
    return Seg(judge.word, "warn" if judge.word.endswith("uncalibrated") else "dim")


def _axis(axis: str, said: bool | None, judge: JudgeView) -> Line:
    if axis in judge.unstable:
        return joined(Seg("!", "warn"), Seg(f" {axis}"))
    role = Seg(f" {axis}", "fail" if said is False else "dim")
    return joined(good_mark(said), role)


def whole_marks(answer: AnswerView, cells: int) -> list[Line]:
    """All that is said of an answer, on as many lines as it takes."""
    out = _flowed([_mark(mark) for mark in answer.marks], cells)
    judge = answer.judge
    if judge is not None:
        head = joined(Seg("judge", "dim"), "  ", _calibration(judge))
        if judge.reason:
            out += [head, *_wrapped(Seg("!", "warn"), f"not scored: {judge.reason}", cells)]
        else:
            axes = [
                joined(_axis(axis, said, judge), Seg(f" {word}" if word != "uncalibrated" else "", "dim"))
                for axis, said, word in zip(AXES, judge.said, judge.calibration.words, strict=True)
            ]
            out += _flowed([head, *axes], cells)
        if judge.unstable:
            unstable = f"came out otherwise with the passages in another order: {', '.join(judge.unstable)}"
            out += _wrapped(Seg("!", "warn"), unstable, cells)
        for claim in judge.claims:
            out += _wrapped(Seg("✗", "fail"), f"unsupported: {one_line(claim)}", cells)
    if answer.cost:
        out += [joined(Seg(answer.cost[-1][start:end], "dim")) for start, end in wrap(answer.cost[-1], cells)]
    return out


def _flowed(parts: Sequence[Line], cells: int) -> list[Line]:
    """Parts side by side, on the next line where one does not fit; one that is wider than a line is wrapped."""
    out: list[Line] = []
    line: Line = BLANK
    for part in parts:
        if line and length(line) + 2 + length(part) > cells:
            out.append(line)
            line = BLANK
        if length(part) > cells:
            out += _long(part, cells)
            continue
        line = between([line, part])
    return [*out, line] if line else out


def _long(part: Line, cells: int) -> list[Line]:
    text = "".join(seg.text for seg in part)
    role = part[0].role if part[0].role == "fail" else "text"
    return [(Seg(text[start:end], role),) for start, end in wrap(text, cells)]


def _wrapped(sign: Seg, text: str, cells: int) -> list[Line]:
    rows = wrap(text, max(cells - 2, 1))
    return [joined(sign if row == rows[0] else " ", " ", text[row.start : row.end]) for row in rows]
