"""Judge as a whole: the queue at the left; question, answer, the five questions and the passages at the right. No Textual."""

from __future__ import annotations

from ragtriage_tui.drawing.judge_answer import AXIS_ROWS, answer_block, answer_title, axis_rows, words_heights
from ragtriage_tui.drawing.judge_passages import passage_rows, passage_title
from ragtriage_tui.geometry import Geometry, geometry
from ragtriage_tui.judge_state import JudgeState
from ragtriage_tui.judge_views import JudgeRow
from ragtriage_tui.rows import (
    BLANK,
    Drawing,
    Line,
    Role,
    Rule,
    Seg,
    bar,
    between,
    clip_line,
    columns,
    fill,
    header,
    joined,
    rule,
)
from ragtriage_tui.text import clip, fit, one_line, width, wrap

__all__ = ["draw_judge", "passage_height"]


def draw_judge(state: JudgeState, cells: int, height: int) -> Drawing:
    """Header and body in `height` rows (without the footer)."""
    geo = geometry(cells, height + 1)
    lines = [_header(state, cells)]
    if state.queue and state.queue.notice:
        lines.append(fill(joined(" ", Seg("! ", "warn"), clip(state.queue.notice, cells - 4)), cells))
    body = height - len(lines)
    if state.zoomed or geo.single:
        return Drawing((*lines, *_one_pane(state, geo, cells, body)))
    left = [_list_title(state, geo, geo.left), *_pad(_list_rows(state, geo, geo.left, body - 1), body - 1)]
    return Drawing((*lines, *columns(left, _right(state, geo, body), geo.left, geo.right)), (geo.left,))


def passage_height(state: JudgeState, cells: int, height: int) -> int:
    """Rows that the passages have at a size of the screen, for paging."""
    geo = geometry(cells, height)
    body = geo.body - (1 if state.queue and state.queue.notice else 0)
    return body - 1 if geo.single or state.zoomed else max(_split(state, geo, body)[1] - 1, 0)


def _header(state: JudgeState, cells: int) -> Line:
    queue = state.queue
    left: list[Line] = [BLANK]
    if queue:
        name, setup = Seg(queue.project), Seg(queue.setup, "dim")
        left = [between([(name,), (setup,)]), (name,), joined(clip(queue.project, max(cells // 3, 8))), BLANK]
    if state.busy:
        full = joined(Seg(state.busy.text), Seg("   c", "strong"), Seg(" cancels", "dim"))
        return header("Judge", left, [full, joined(Seg(state.busy.text))], cells)
    if queue is None or not state.rows:
        return header("Judge", left, [], cells)
    progress = (Seg(f"{state.judged} of {len(state.rows)} judged", "dim"),)
    hidden = joined(progress, Seg("   the judge's own verdict comes after yours", "dim"))
    return header("Judge", left, [hidden, progress] if _judge_waits(state) else [progress], cells)


def _judge_waits(state: JudgeState) -> bool:
    """Whether a model has judged this answer too, which is not shown yet."""
    return state.detail is not None and state.detail.judge is not None and state.revealed is None


def _pad(rows: list[Line], height: int) -> list[Line]:
    return (rows + [BLANK] * height)[: max(height, 0)]


def _list_title(state: JudgeState, geo: Geometry, cells: int) -> Line:
    active = state.active == "list"
    if state.queue is None or not state.rows:
        return rule([Rule("Answers", "reading" if state.queue is None and state.busy is None else "")], cells, active=active)
    left = len(state.rows) - state.judged
    position = f"{state.cursor + 1}/{len(state.rows)}"
    words = f"{left} to judge" if left else "all judged"
    forms = [Rule("Answers", words, position), Rule("Answers", words), Rule(words)]
    return rule(forms if geo.ids else forms[1:], cells, active=active)


def _list_rows(state: JudgeState, geo: Geometry, cells: int, height: int) -> list[Line]:
    if state.queue is None:
        return []
    if not state.rows:
        why = state.queue.empty or "No answers to judge."
        return [joined(" ", Seg(why[start:end], "dim")) for start, end in wrap(why, cells - 2, height)]
    ids = min(max(width(row.qid) for row in state.rows), 10) if geo.ids else 0
    arms = max(len(row.arm) for row in state.rows) if geo.ids else 0
    shown = state.window.show(state.cursor, len(state.rows), height)
    return [_row(state.rows[at], at == state.cursor, state.active == "list", ids, arms, cells) for at in shown]


def _row(row: JudgeRow, here: bool, active: bool, ids: int, arms: int, cells: int) -> Line:
    role: Role = "dim" if row.done else "text"
    mark = Seg("✓", "pass") if row.done else Seg("·", "dim")
    head = joined(Seg("▸" if here else " "), mark, " ")
    if ids:
        head = joined(head, Seg(fit(row.qid, ids), "dim"), " ", Seg(fit(row.arm, arms), "dim"), " ")
    elif row.arm != "live":
        head = joined(head, Seg(f"{row.arm}: ", "dim"))
    line = clip_line(joined(head, Seg(one_line(row.text), role)), cells)
    return bar(line, cells) if here and active else line


def _split(state: JudgeState, geo: Geometry, body: int) -> tuple[int, int]:
    """Rows of the answer and of the passages, titles included; 0: not shown."""
    words = sum(words_heights(state, geo, geo.right, max(body - AXIS_ROWS - 6, 3)))
    answer = min(1 + words + AXIS_ROWS + (1 if geo.height >= 30 else 0), body)
    passages = body - answer
    return (answer, passages) if passages >= 3 else (body, 0)


def _right(state: JudgeState, geo: Geometry, body: int) -> list[Line]:
    answer, passages = _split(state, geo, body)
    cells = geo.right
    if state.detail is None or state.current is None:
        return _pad([answer_title(state, cells)], body)
    words = _pad(answer_block(state, geo, cells, answer - 1 - AXIS_ROWS), answer - 1 - AXIS_ROWS)
    out = [answer_title(state, cells), *words, *axis_rows(state, cells)]
    if passages:
        out += [passage_title(state, cells), *_pad(passage_rows(state, cells, passages - 1), passages - 1)]
    return _pad(out, body)


def _one_pane(state: JudgeState, geo: Geometry, cells: int, body: int) -> list[Line]:
    rows = body - 1
    if state.active == "list":
        return [_list_title(state, geo, cells), *_pad(_list_rows(state, geo, cells, rows), rows)]
    if state.active == "passages":
        return [passage_title(state, cells), *_pad(passage_rows(state, cells, rows), rows)]
    if state.detail is None or state.current is None:
        return _pad([answer_title(state, cells)], body)
    axes = axis_rows(state, cells, whole=state.zoomed)
    space = max(rows - len(axes), 1)
    return _pad([answer_title(state, cells), *_pad(answer_block(state, geo, cells, space, whole=True), space), *axes], body)
