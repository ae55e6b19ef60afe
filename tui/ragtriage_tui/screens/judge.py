"""Judge: what people say about answers, the least certain first; on disk before it is shown, and blind to what a model said."""

from __future__ import annotations

from collections.abc import Callable
from functools import partialmethod
from typing import ClassVar

from ragtriage_tui.drawing.judge import draw_judge, passage_height
from ragtriage_tui.judge_state import JudgeState
from ragtriage_tui.judge_views import JudgeDetail, JudgeDoor, JudgeQueue, Reviewed
from ragtriage_tui.rows import Drawing, Line
from ragtriage_tui.screens.list_screen import ListScreen
from ragtriage_tui.screens.under import door_of

__all__ = ["JudgeScreen"]


class JudgeScreen(ListScreen):
    """Answers at the left; one with its question, its passages and five questions about it at the right."""

    WHERE = "Judge"
    JOB = "answer"
    PANES: ClassVar = {"list": "Answers", "answer": "Answer", "passages": "Passages"}
    state: JudgeState

    def __init__(self) -> None:
        super().__init__(JudgeState())

    @property
    def _door(self) -> JudgeDoor:
        return door_of(self).judging

    def drawing(self, width: int, height: int, field: Line) -> Drawing:
        return draw_judge(self.state, width, height)

    def footer_state(self) -> str:
        return "zoomed" if self.state.zoomed else ""

    def page_rows(self) -> int:
        if self.state.active == "passages":
            return max(passage_height(self.state, *self.extent) - 1, 1)
        return super().page_rows()

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
        if first and queue.rows and self.geo.single:  # nobody should judge what is not in view
            self.state.active = "answer"
        self.fetch_now()
        if first and queue.read_only:
            self.say(queue.read_only, "plain")
        self.paint()

    @property
    def finder(self) -> Callable[[str], JudgeDetail | None]:
        return self._door.answer

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
            self.fetch_now()
        text = reviewed.message
        if reviewed.finished and not self.state.listing.not_done():
            text += f"; all {self.state.judged} are judged"
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
        self.fetch_now()
        self.say(reviewed.message, "done", "changed")

    def do_undo(self) -> None:
        self.jobs.queue("write", self._door.undo, self._back_to)

    def do_redo(self) -> None:
        self.jobs.queue("write", self._door.redo, self._back_to)

    def _back_to(self, reviewed: Reviewed) -> None:
        """What was undone or done again is where one looks next."""
        self.state.take_reviewed(reviewed._replace(finished=False))
        self.state.listing.go_to(reviewed.id)
        self.fetch_now()
        self.say(reviewed.message, "done" if reviewed.id else "plain", "changed" if reviewed.id else "")

    # out, and to other screens

    def do_close(self) -> None:
        self.do_back()

    def open_row(self) -> None:
        row, sent = self.state.current, self.state.passage
        if row is None or sent is None or not sent.doc_id:
            self.say("No passage to open here" if sent is None else f"{sent.chunk_id} is not among today's chunks", "plain")
            return
        self.owner.go("Document", doc_id=sent.doc_id, chunk_id=sent.chunk_id, qid=row.qid)
