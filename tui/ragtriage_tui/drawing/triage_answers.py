"""The answers of Triage as lines: oracle beside live, or under each other. No Textual in here."""

from __future__ import annotations

from typing import NamedTuple

from ragtriage_tui.answer_views import ARMS, AnswerView, Arm
from ragtriage_tui.drawing.answer_marks import good_mark, judge_line, judge_lines, mark_line, mark_lines, whole_marks
from ragtriage_tui.drawing.answer_rows import cut_row, new_words, wrapped_answer
from ragtriage_tui.drawing.lists import sentence
from ragtriage_tui.geometry import Geometry
from ragtriage_tui.rows import BLANK, Line, Rule, Seg, clip_line, columns, joined, rule
from ragtriage_tui.state import TriageState
from ragtriage_tui.text import clip, wrap

__all__ = ["answer_rows", "answer_title", "foot_rows"]

_NAMES: dict[Arm, str] = {"oracle": "Oracle", "live": "Live", "padded": "Padded", "forced": "Forced"}
_PAIRS: tuple[tuple[Arm, Arm], ...] = (("oracle", "live"), ("padded", "forced"))


def answer_title(state: TriageState, cells: int) -> Line:
    """The rule above the answers: what answered where that was no model, and what is shown of them."""
    active = state.active == "answers"
    facts = [state.detail.answers_by] if state.detail and state.detail.answers_by else []
    facts += ["what differs"] if "diff" in state.views else []
    both = state.detail is not None and sum(state.detail.answer(arm) is not None for arm in state.arms()) > 1
    position = "A the other" if active and both else ""
    words = " · ".join(facts)
    return rule([Rule("Answers", words, position), Rule("Answers", words), Rule("Answers")], cells, active=active)


def foot_rows(state: TriageState, geo: Geometry, cells: int) -> int:
    """Rows that the remarks under the answers take in a pane of `cells`, where none is zoomed."""
    detail = state.detail
    answers = [answer for answer in (detail.oracle, detail.live) if answer] if detail else []
    if not geo.side:
        return 2 if any(answer.judge for answer in answers) else 1
    room = cells // 2 - 3
    return max((len(_side_foot(answer, room, geo)) for answer in answers), default=1)


def _side_foot(answer: AnswerView, room: int, geo: Geometry) -> list[Line]:
    """The remarks, and what a judge says: on two lines each where they need that and the screen is high enough."""
    most = 2 if geo.height >= 30 else 1
    lines = mark_lines(answer, room, most) if answer.marks or answer.cost else []
    return lines + (judge_lines(answer.judge, room, most) if answer.judge else [])


def answer_rows(state: TriageState, geo: Geometry, cells: int, height: int) -> list[Line]:
    """The pane's body: two columns from 100 cells of screen on, else two lines each; zoomed, all of them whole."""
    detail = state.detail
    if detail is None or height <= 0:
        return []
    if not any(detail.answer(arm) or arm in detail.failed for arm in ARMS):
        why = detail.no_live or detail.no_oracle or "No answers in this run."
        return sentence(why, cells, height)
    if state.zoomed:
        return _whole(state, geo, cells, height)
    if geo.side:
        left = cells // 2 - 1
        right = cells - left - 1
        return columns(
            _column(state, geo, "oracle", left, height), _column(state, geo, "live", right, height, indent=2),
            left, right, top=False,
        )  # fmt: skip
    return _stacked(state, cells, height)


def _lead(state: TriageState, arm: Arm, indent: int = 1) -> Seg:
    """The cells before an answer's head: the cursor is there where the pane is active."""
    here = state.active == "answers" and state.detail is not None and state.chosen_arm == arm and bool(state.detail.answer(arm))
    return Seg(" " * (indent - 1) + ("▸" if here else " "))


def _against(state: TriageState, arm: Arm) -> AnswerView | None:
    """The answer that another one is compared with: what live says and oracle does not."""
    return state.detail.oracle if state.detail and "diff" in state.views and arm != "oracle" else None


def _column(state: TriageState, geo: Geometry, arm: Arm, cells: int, height: int, *, indent: int = 1) -> list[Line]:
    room = cells - indent - 1
    lead = Seg(" " * indent)
    answer = state.detail.answer(arm) if state.detail else None
    if answer is None:
        return _absent(state, arm, room, indent, height)
    foot = _side_foot(answer, room, geo)
    tallest = foot_rows(state, geo, geo.right)
    foot = (foot + [BLANK] * (tallest - len(foot)))[: max(height - 2, 0)]  # remarks stand beside remarks
    space = max(height - 1 - len(foot), 0)
    rows = [joined(_lead(state, arm, indent), _head(answer, arm, room))]
    rows += [joined(lead, line) for line in _text(state, arm, answer, room, space)]
    rows += [BLANK] * (height - len(rows) - len(foot))
    return (rows + [joined(lead, line) for line in foot])[:height]


def _absent(state: TriageState, arm: Arm, room: int, indent: int, height: int) -> list[Line]:
    """Why there is no answer; `!` where one was asked for and failed."""
    lead = Seg(" " * indent)
    sign, word, why = _why(state, arm)
    rows: list[Line] = [joined(lead, sign, " ", Seg(_NAMES[arm], "strong"), Seg(word, "warn"))]
    return (rows + [joined(lead, Seg(why[start:end], "dim")) for start, end in wrap(why, room)] + [BLANK] * height)[:height]


def _why(state: TriageState, arm: Arm) -> tuple[Seg, str, str]:
    """Mark, word and reason of an answer that is not there."""
    detail = state.detail
    why = (detail.missing(arm) if detail else "") or "none"
    return (Seg("!", "warn"), "  failed", why) if detail and arm in detail.failed else (Seg("·", "dim"), "", why)


def _head(answer: AnswerView, arm: Arm, room: int) -> Line:
    given = Seg(f"  {answer.given}" if answer.given else "", "dim")
    return clip_line(joined(good_mark(answer.good), " ", Seg(_NAMES[arm], "strong"), given), room)


def _foot(answer: AnswerView, room: int, gap: str = "  ") -> list[Line]:
    """The remarks, and what a judge says, on a line each."""
    out = [clip_line(mark_line(answer, room, gap), room)] if answer.marks or answer.cost else []
    return [*out, clip_line(judge_line(answer.judge, room), room)] if answer.judge else out


def _text(state: TriageState, arm: Arm, answer: AnswerView, room: int, space: int) -> list[Line]:
    """The part of an answer that is in view; of the chosen one, with the citation one has gone to."""
    chosen = state.active == "answers" and state.chosen_arm == arm
    against = _against(state, arm)
    new = new_words(answer.text, against.text) if against else None
    citation = state.citation if chosen else 0
    lines, starts, at = wrapped_answer(answer, room, new=new, citation=citation)
    top = state.sought(f"answers.{arm}", len(lines), space, at if chosen else None)
    shown = lines[top : top + space]
    if shown and top + space < len(lines):
        shown[-1] = cut_row(answer, starts[top + space - 1], room, new=new, citation=citation)
    return shown


def _stacked(state: TriageState, cells: int, height: int) -> list[Line]:
    answer = state.answer
    foot = [joined(" ", line) for line in _foot(answer, cells - 2, "   ")] if answer else []
    foot = foot[: max(height - 2, 0)]
    space = height - len(foot)
    rows = max(space // 2, 1)
    rows_of: tuple[tuple[Arm, int], ...] = (("live", space - 1), ("oracle", 1))
    for arm, oracle_rows in rows_of:  # one that has little to say gives its room to the other
        if state.detail and not state.detail.answer(arm) and len(_absent_words(state, arm, cells)) == 1:
            rows = max(oracle_rows, 1)
    out = [*_two_lines(state, "oracle", cells, rows), *_two_lines(state, "live", cells, space - rows)]
    return [*out, *foot][:height]


def _absent_words(state: TriageState, arm: Arm, cells: int) -> list[str]:
    """Why there is no answer, as rows of the stacked form."""
    _, word, why = _why(state, arm)
    text = f"{word.strip()}: {why}" if word else why
    return [text[start:end] for start, end in wrap(text, max(cells - 11, 4))]


def _two_lines(state: TriageState, arm: Arm, cells: int, rows: int) -> list[Line]:
    room = max(cells - 11, 4)
    answer = state.detail.answer(arm) if state.detail else None
    if answer is None:
        sign = _why(state, arm)[0]
        words = _absent_words(state, arm, cells)
        shown = words[:rows]
        if len(words) > rows > 0:
            shown[-1] = clip(" ".join(words[rows - 1 :]), room)
        heads = [joined(" ", sign, Seg(f" {arm:<6} ", "dim")), *[joined(" " * 10)] * (rows - 1)]
        lines: list[Line] = [joined(head, Seg(line, "dim")) for head, line in zip(heads, shown, strict=False)]
        return (lines + [BLANK] * rows)[:rows]
    lines = _text(state, arm, answer, room, rows)
    out = []
    for index in range(rows):
        head = joined(_lead(state, arm), good_mark(answer.good), Seg(f" {arm:<6} ", "dim")) if index == 0 else joined(" " * 10)
        out.append(joined(head, lines[index]) if index < len(lines) else head if index == 0 else BLANK)
    return out


class _Block(NamedTuple):
    """An answer with all its remarks; `at` is the row of the citation one has gone to."""

    lines: list[Line]
    at: int | None


def _block(state: TriageState, arm: Arm, room: int) -> _Block:
    answer = state.detail.answer(arm) if state.detail else None
    if answer is None:
        sign, word, why = _why(state, arm)
        head = joined(" ", sign, " ", Seg(_NAMES[arm], "strong"), Seg(word, "warn"))
        return _Block([head, *(joined(" ", Seg(why[start:end], "dim")) for start, end in wrap(why, room - 1))], None)
    against = _against(state, arm)
    new = new_words(answer.text, against.text) if against else None
    lines, _, at = wrapped_answer(answer, room - 1, new=new, citation=state.citation if state.chosen_arm == arm else 0)
    marks = whole_marks(answer, room - 1)
    body = [joined(" ", line) for line in [*lines, *([BLANK] if marks else []), *marks]]
    head = joined(_lead(state, arm), _head(answer, arm, room - 1))
    chosen = 0 if state.chosen_arm == arm else None
    return _Block([head, *body], at + 1 if at is not None else chosen)


def _whole(state: TriageState, geo: Geometry, cells: int, height: int) -> list[Line]:
    """Every answer with all its remarks, scrolled as one."""
    shown = [arm for arm in ARMS if state.detail and (arm in ("oracle", "live") or arm in state.arms())]
    out: list[Line] = []
    at: int | None = None

    def put(block: _Block) -> None:
        nonlocal at
        at = len(out) + block.at if block.at is not None and at is None else at

    if geo.side:
        left = cells // 2 - 1
        right = cells - left - 1
        for pair in _PAIRS:
            if not set(pair) & set(shown):
                continue
            blocks = [_block(state, arm, room) for arm, room in zip(pair, (left - 1, right - 2), strict=True)]
            out += [BLANK] if out else []
            for block in blocks:
                put(block)
            rows = max(len(block.lines) for block in blocks)
            a, b = (block.lines + [BLANK] * (rows - len(block.lines)) for block in blocks)
            out += columns(a, [joined(" ", line) for line in b], left, right, top=False)
    else:
        for arm in shown:
            block = _block(state, arm, cells - 1)
            out += [BLANK] if out else []
            put(block)
            out += block.lines
    top = state.sought("answers", len(out), height, at)
    return out[top : top + height]
