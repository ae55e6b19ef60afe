"""Judge as a whole: the queue at the left; question, answer, the five questions and the passages at the right. No Textual."""

from __future__ import annotations

from ragtriage_tui.drawing.judge_answer import AXIS_ROWS, answer_block, answer_title, axis_rows, words_heights
from ragtriage_tui.drawing.judge_passages import passage_rows, passage_title
from ragtriage_tui.drawing.lists import body_rows, busy_forms, cursor, halves, id_cells, list_row, pad, pane, sentence
from ragtriage_tui.geometry import Geometry, geometry
from ragtriage_tui.judge_state import JudgeState
from ragtriage_tui.judge_views import JudgeRow
from ragtriage_tui.rows import BLANK, Drawing, Line, Role, Rule, Seg, between, clip_line, header, joined, rule
from ragtriage_tui.text import clip, fit, one_line

__all__ = ["draw_judge", "passage_height"]


def draw_judge(state: JudgeState, cells: int, height: int) -> Drawing:
    """Header and body in `height` rows (without the footer)."""
    return halves(
        state, _header(state, cells), cells, height,
        left=lambda geo, body: _list(state, geo, geo.left, body), right=lambda geo, body: _right(state, geo, body),
        alone=lambda geo, body: _one_pane(state, geo, cells, body),
    )  # fmt: skip


def passage_height(state: JudgeState, cells: int, height: int) -> int:
    """Rows that the passages have at a size of the screen, for paging."""
    geo = geometry(cells, height)
    body = body_rows(state, geo)
    return body - 1 if geo.single or state.zoomed else max(_split(state, geo, body)[1] - 1, 0)


def _header(state: JudgeState, cells: int) -> Line:
    queue = state.queue
    left: list[Line] = [BLANK]
    if queue:
        name, setup = Seg(queue.project), Seg(queue.setup, "dim")
        left = [between([(name,), (setup,)]), (name,), joined(clip(queue.project, max(cells // 3, 8))), BLANK]
    if state.busy:
        return header("Judge", left, busy_forms(state.busy), cells)
    if queue is None or not state.listing.visible:
        return header("Judge", left, [], cells)
    progress = (Seg(f"{state.judged} of {len(state.listing.visible)} judged", "dim"),)
    hidden = joined(progress, Seg("   the judge's own verdict comes after yours", "dim"))
    return header("Judge", left, [hidden, progress] if _judge_waits(state) else [progress], cells)


def _judge_waits(state: JudgeState) -> bool:
    """Whether a model has judged this answer too, which is not shown yet."""
    return state.detail is not None and state.detail.judge is not None and state.revealed is None


def _list(state: JudgeState, geo: Geometry, cells: int, height: int) -> list[Line]:
    return pane(_list_title(state, geo, cells), _list_rows(state, geo, cells, height - 1), height)


def _list_title(state: JudgeState, geo: Geometry, cells: int) -> Line:
    active = state.active == "list"
    if state.queue is None or not state.listing.visible:
        return rule([Rule("Answers", "reading" if state.queue is None and state.busy is None else "")], cells, active=active)
    left = len(state.listing.visible) - state.judged
    position = state.listing.position
    words = f"{left} to judge" if left else "all judged"
    forms = [Rule("Answers", words, position), Rule("Answers", words), Rule(words)]
    return rule(forms if geo.ids else forms[1:], cells, active=active)


def _list_rows(state: JudgeState, geo: Geometry, cells: int, height: int) -> list[Line]:
    if state.queue is None:
        return []
    listing = state.listing
    if not listing.visible:
        return sentence(state.queue.empty or "No answers to judge.", cells, height)
    ids = id_cells([row.qid for row in listing.visible], geo)
    arms = max(len(row.arm) for row in listing.visible) if geo.ids else 0
    shown = listing.window.show(listing.cursor, len(listing.visible), height)
    return [_row(listing.visible[at], at == listing.cursor, state.active == "list", ids, arms, cells) for at in shown]


def _row(row: JudgeRow, here: bool, active: bool, ids: int, arms: int, cells: int) -> Line:
    role: Role = "dim" if row.done else "text"
    mark = Seg("✓", "pass") if row.done else Seg("·", "dim")
    head = joined(cursor(here=here), mark, " ")
    if ids:
        head = joined(head, Seg(fit(row.qid, ids), "dim"), " ", Seg(fit(row.arm, arms), "dim"), " ")
    elif row.arm != "live":
        head = joined(head, Seg(f"{row.arm}: ", "dim"))
    return list_row(clip_line(joined(head, Seg(one_line(row.text), role)), cells), cells, lit=here and active)


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
        return pane(answer_title(state, cells), [], body)
    words = pad(answer_block(state, geo, cells, answer - 1 - AXIS_ROWS), answer - 1 - AXIS_ROWS)
    out = [answer_title(state, cells), *words, *axis_rows(state, cells)]
    if passages:
        out += pane(passage_title(state, cells), passage_rows(state, cells, passages - 1), passages)
    return pad(out, body)


def _one_pane(state: JudgeState, geo: Geometry, cells: int, body: int) -> list[Line]:
    rows = body - 1
    if state.active == "list":
        return _list(state, geo, cells, body)
    if state.active == "passages":
        return pane(passage_title(state, cells), passage_rows(state, cells, rows), body)
    if state.detail is None or state.current is None:
        return pane(answer_title(state, cells), [], body)
    axes = axis_rows(state, cells, whole=state.zoomed)
    space = max(rows - len(axes), 1)
    return pad([*pane(answer_title(state, cells), answer_block(state, geo, cells, space, whole=True), space + 1), *axes], body)
