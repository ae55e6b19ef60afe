"""What is said of an answer as lines: must-mentions, citations, what a judge says, what it cost. No Textual in here."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ragtriage_tui.answer_views import AXES, AnswerView, JudgeView, MarkView
from ragtriage_tui.rows import BLANK, Line, Role, Seg, between, clip_line, joined, length
from ragtriage_tui.text import one_line, wrap

__all__ = ["good_mark", "judge_line", "judge_lines", "mark_line", "mark_lines", "whole_marks"]


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


def mark_lines(answer: AnswerView, cells: int, most: int) -> list[Line]:
    """The remarks on as many lines as they need, at most `most`."""
    marks = list(answer.marks)
    out: list[Line] = []
    while len(out) < most - 1 and length(mark_line(replace(answer, marks=tuple(marks), cost=()), 10**6)) > cells:
        count = next((n for n in range(len(marks) - 1, 0, -1) if length(between([*map(_mark, marks[:n])])) <= cells), 1)
        out.append(clip_line(between([*map(_mark, marks[:count])]), cells))
        marks = marks[count:]
    last = mark_line(replace(answer, marks=tuple(marks)), cells)
    return [*out, last] if last else out


def judge_lines(judge: JudgeView, cells: int, most: int) -> list[Line]:
    """`judge_line`; where that would be cut and there are two lines, what it says comes under how far it can be believed."""
    line = judge_line(judge, cells)
    if most < 2 or judge.reason or not any(seg.text.endswith("…") for seg in line):
        return [line]
    return [between([(Seg("judge", "dim"),), (_calibration(judge),)]), clip_line(between(_grouped(judge)), cells)]


def _grouped(judge: JudgeView) -> list[Line]:
    """What is no, then what is unstable, what it cannot tell, and that the rest is yes."""
    named: dict[str, list[str]] = {"✗": [], "!": [], "·": []}
    for axis, said in zip(AXES, judge.said, strict=True):
        if axis in judge.unstable:
            named["!"].append(axis)
        elif not said:
            named["✗" if said is False else "·"].append(axis)
    roles: dict[str, Role] = {"✗": "fail", "!": "warn", "·": "dim"}
    out: list[Line] = [
        joined(Seg(sign, roles[sign]), Seg(f" {' '.join(names)}", "fail" if sign == "✗" else "dim"))
        for sign, names in named.items()
        if names
    ]
    others = sum(map(len, named.values()))
    return [*out, joined(Seg("✓", "pass"), Seg(" the rest" if others else " all five", "dim"))] if others < len(AXES) else out


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
    full = joined(head, " ", between([*(_axis(axis, said, judge) for axis, said in axes), (tail,)]))
    if length(full) <= cells:
        return full
    short = joined(head, " ", between(_grouped(judge)))
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
