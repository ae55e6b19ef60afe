"""Judge: what people say about answers, the least certain first; on disk before it is shown, and blind to what a model said."""

from __future__ import annotations

from functools import partial, partialmethod

from ragtriage_tui.drawing.judge import draw_judge, passage_height
from ragtriage_tui.external import page_text
from ragtriage_tui.geometry import geometry, too_small
from ragtriage_tui.judge_state import JudgeState
from ragtriage_tui.judge_views import JudgeDetail, JudgeDoor, JudgeQueue, Reviewed
from ragtriage_tui.rows import Drawing
from ragtriage_tui.screens.base import FrameScreen
from ragtriage_tui.screens.held_key import HeldKey
from ragtriage_tui.screens.under import door_of
from ragtriage_tui.workers import DoorError

__all__ = ["JudgeScreen"]

_NAMES = {"list": "Answers", "answer": "Answer", "passages": "Passages"}


class JudgeScreen(FrameScreen):
    """Answers at the left; one with its question, its passages and five questions about it at the right."""

    WHERE = "Judge"

    def __init__(self) -> None:
        super().__init__()
        self.state = JudgeState()
        self._held = HeldKey(self, self._ask_for)

    @property
    def _door(self) -> JudgeDoor:
        return door_of(self).judging

    def draw(self, width: int, height: int) -> Drawing:
        self.state.busy = self.owner.busy
        return draw_judge(self.state, width, height)

    def footer_state(self) -> str:
        return "zoomed" if self.state.zoomed else ""

    def pane_name(self) -> str:
        return _NAMES[self.state.active]

    # data

    def on_mount(self) -> None:
        super().on_mount()
        self._load()

    def on_screen_resume(self) -> None:
        super().on_screen_resume()
        if self.state.queue is not None:  # another screen may have had a question answered, or another process judged
            self._load()

    def _load(self) -> None:
        self.jobs.start("judge", self._door.queue, self._came)

    def _came(self, queue: JudgeQueue) -> None:
        first = self.state.queue is None
        self.state.take_queue(queue)
        if first and self.state.rows and geometry(*self.extent).single:  # nobody should judge what is not in view
            self.state.active = "answer"
        self._ask_for()
        if first and queue.read_only:
            self.say(queue.read_only, "plain")
        self.paint()

    def _fetch(self) -> None:
        self._held.pressed()

    def _ask_for(self) -> None:
        row = self.state.current
        if row is None:
            self.state.take_detail(None)
            return
        door = self._door  # here: a thread that starts when this screen is gone finds no app
        self.jobs.start("answer", lambda progress: door.answer(row.id), partial(self._told, row.id))

    def _told(self, answer_id: str, detail: JudgeDetail | None) -> None:
        if self.state.current is not None and self.state.current.id == answer_id:
            self.state.take_detail(detail)
            self.paint()

    def job_failed(self, group: str, text: str) -> None:
        self.state.failed()
        super().job_failed(group, text)

    # the five questions

    def _grade(self, axis: int) -> None:
        answer_id = self.state.press(axis)
        if answer_id:
            door = self._door
            self.jobs.queue("write", lambda: door.press(answer_id, axis), self._said)

    do_grade_1 = partialmethod(_grade, 0)
    do_grade_2 = partialmethod(_grade, 1)
    do_grade_3 = partialmethod(_grade, 2)
    do_grade_4 = partialmethod(_grade, 3)
    do_grade_5 = partialmethod(_grade, 4)

    def _said(self, reviewed: Reviewed) -> None:
        moved = self.state.take_reviewed(reviewed)
        if moved:
            self._ask_for()
        text = reviewed.message
        if reviewed.finished and self.state.judged == len(self.state.rows):
            text += f"; all {len(self.state.rows)} are judged"
        self.say(text, "done", "changed")

    def do_note(self) -> None:
        row, detail = self.state.current, self.state.detail
        if row is None or detail is None or detail.id != row.id:
            return
        door = self._door
        self.prompt(
            f"note on {row.qid}", detail.note,
            lambda text: self.jobs.queue("write", lambda: door.note(row.id, text), self._noted),
        )  # fmt: skip

    def _noted(self, reviewed: Reviewed) -> None:
        self.state.take_reviewed(reviewed._replace(finished=False))
        self._ask_for()
        self.say(reviewed.message, "done", "changed")

    def do_undo(self) -> None:
        self.jobs.queue("write", self._door.undo, self._back_to)

    def do_redo(self) -> None:
        self.jobs.queue("write", self._door.redo, self._back_to)

    def _back_to(self, reviewed: Reviewed) -> None:
        """What was undone or done again is where one looks next."""
        self.state.take_reviewed(reviewed._replace(finished=False))
        self.state.go_to(reviewed.id)
        self._ask_for()
        self.say(reviewed.message, "done" if reviewed.id else "plain", "changed" if reviewed.id else "")

    # moving

    def _step(self, step: int) -> None:
        if self.state.move(step):
            self._fetch()

    def do_move_down(self) -> None:
        self._step(1)

    def do_move_up(self) -> None:
        self._step(-1)

    def do_page_down(self) -> None:
        self._step(self._page())

    def do_page_up(self) -> None:
        self._step(-self._page())

    def _page(self) -> int:
        if self.state.active == "passages":
            return max(passage_height(self.state, *self.extent) - 1, 1)
        return max(self.extent[1] // 2, 1)

    def do_first(self) -> None:
        self._step(-(10**9))

    def do_last(self) -> None:
        self._step(10**9)

    def do_next(self) -> None:
        self._to_judge(1)

    def do_previous(self) -> None:
        self._to_judge(-1)

    def _to_judge(self, step: int) -> None:
        here = self.state.cursor
        said = self.state.step(step)
        if self.state.cursor != here:
            self._fetch()
        if said:
            self.say(said, "plain")

    def do_next_part(self) -> None:
        self._cite(1)

    def do_previous_part(self) -> None:
        self._cite(-1)

    def _cite(self, step: int) -> None:
        if said := self.state.cite(step):
            self.say(said, "plain")

    def do_next_pane(self) -> None:
        self.state.next_pane(1)

    def do_previous_pane(self) -> None:
        self.state.next_pane(-1)

    def do_zoom(self) -> None:
        self.state.zoomed = not self.state.zoomed

    def do_close(self) -> None:
        if not self.state.close_innermost():
            self.owner.do_back()

    def do_back(self) -> None:
        if too_small(*self.extent) or not self.state.close_innermost():
            self.owner.do_back()

    def picked(self, x: int, y: int, *, twice: bool) -> None:
        geo = geometry(*self.extent)
        if (geo.single or x <= geo.left) and not self.state.zoomed:
            at = self.state.window.top + y - 2 - (1 if self.state.queue and self.state.queue.notice else 0)
            self.state.active = "list"
            if 0 <= at < len(self.state.rows) and self.state.go(at):
                self._fetch()
        self.paint()

    # other screens and programs

    def do_open(self) -> None:
        row, sent = self.state.current, self.state.passage
        if row is None or sent is None or not sent.doc_id:
            self.say("No passage to open here" if sent is None else f"{sent.chunk_id} is not among today's chunks", "plain")
            return
        self.owner.go("Document", doc_id=sent.doc_id, chunk_id=sent.chunk_id, qid=row.qid)

    def do_copy(self) -> None:
        if text := self.state.text_under_cursor():
            self.owner.copy_text(text)

    def do_page(self) -> None:
        text = self.state.as_text()
        if text:
            try:
                page_text(self.app, text)
            except DoorError as error:
                self.say(str(error), "warn")
