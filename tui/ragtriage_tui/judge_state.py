"""What Judge shows and where one is in it: pure view state, without Textual and without the engine."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from ragtriage_tui.answer_views import AXES, JudgeView
from ragtriage_tui.judge_views import JudgeDetail, JudgeQueue, JudgeRow, Reviewed, Said, SentText, cycled
from ragtriage_tui.listing import Window
from ragtriage_tui.telling import Busy
from ragtriage_tui.text import Extent, wrap

__all__ = ["JudgePane", "JudgeState", "compared"]

JudgePane = Literal["list", "answer", "passages"]
_PANES: tuple[JudgePane, ...] = ("list", "answer", "passages")


@dataclass
class JudgeState:
    """Everything that the drawing of Judge depends on. `detail` may lag behind the cursor while it is fetched."""

    queue: JudgeQueue | None = None
    rows: list[JudgeRow] = field(default_factory=list)
    cursor: int = 0
    window: Window = field(default_factory=Window)
    detail: JudgeDetail | None = None
    active: JudgePane = "list"
    zoomed: bool = False
    citation: int = 0
    seek: bool = False  # the citation is to be brought into view
    scroll: dict[str, int] = field(default_factory=dict)
    busy: Busy | None = None
    wrapped: dict[tuple[str, int, int], list[Extent]] = field(default_factory=dict)
    _ahead: dict[str, tuple[tuple[Said, ...], int]] = field(default_factory=dict)

    # data

    def take_queue(self, queue: JudgeQueue) -> None:
        """New rows; the cursor stays on its answer, at first it is on the first that nobody has judged."""
        here = self.current.id if self.current else ""
        first = self.queue is None
        self.queue, self.rows = queue, list(queue.rows)
        if first:
            self.cursor = next((at for at, row in enumerate(self.rows) if not row.done), 0)
        else:
            self.cursor = next((at for at, row in enumerate(self.rows) if row.id == here), min(self.cursor, len(self.rows) - 1))
        self.cursor = max(self.cursor, 0)

    def take_detail(self, detail: JudgeDetail | None) -> None:
        """What belongs to the answer under the cursor; its first citation is in view."""
        same = detail is not None and self.detail is not None and detail.id == self.detail.id
        self.detail = detail
        if same:
            return
        self.scroll.clear()
        self.wrapped.clear()
        self.citation = next(iter(detail.cited), 0) if detail else 0
        self.seek = True

    def take_reviewed(self, reviewed: Reviewed) -> bool:
        """What was said is on disk: show it, and where it was the last of the five questions go on. Whether one has moved."""
        said, pending = self._ahead.get(reviewed.id, ((), 0))
        if pending > 1:
            self._ahead[reviewed.id] = (said, pending - 1)
        else:
            self._ahead.pop(reviewed.id, None)
        at = self._at(reviewed.id)
        if at is None:
            return False
        self.rows[at] = self.rows[at]._replace(said=reviewed.said, done=reviewed.done, by=reviewed.by)
        if not reviewed.finished or at != self.cursor:
            return False
        following = self._not_done(at, 1)
        return following is not None and self.go(following)

    def failed(self) -> None:
        """What was pressed is not on disk, and so not said."""
        self._ahead.clear()

    def press(self, axis: int) -> str:
        """The answer that a key of the five questions is for; empty where there is none, or where what was pressed before has
        finished it and the next one is not on the screen yet."""
        row = self.current
        if row is None or (self.detail is not None and self.detail.id != row.id):
            return ""
        said, pending = self._ahead.get(row.id, (row.said, 0))
        if pending and all(said) and not all(row.said):
            return ""
        self._ahead[row.id] = (cycled(said, axis), pending + 1)
        return row.id

    # what there is

    @property
    def current(self) -> JudgeRow | None:
        return self.rows[self.cursor] if 0 <= self.cursor < len(self.rows) else None

    @property
    def judged(self) -> int:
        """How many answers somebody has judged."""
        return sum(row.done for row in self.rows)

    @property
    def revealed(self) -> JudgeView | None:
        """What the model says as a judge, once the person has answered all five questions."""
        row = self.current
        if row is None or self.detail is None or self.detail.id != row.id or not all(row.said):
            return None
        return self.detail.judge

    def _at(self, answer_id: str) -> int | None:
        return next((at for at, row in enumerate(self.rows) if row.id == answer_id), None)

    # moving

    def next_pane(self, step: int) -> None:
        self.active = _PANES[(_PANES.index(self.active) + step) % len(_PANES)]

    def go(self, at: int) -> bool:
        """To a row, stopping at the ends; whether that is another one."""
        at = max(min(at, len(self.rows) - 1), 0)
        moved = at != self.cursor
        self.cursor = at
        return moved

    def go_to(self, answer_id: str) -> bool:
        """To an answer; whether that is another row."""
        at = self._at(answer_id)
        return at is not None and self.go(at)

    def move(self, step: int) -> bool:
        """Move in the active pane; whether another answer is under the cursor now."""
        if self.active == "list":
            return self.go(self.cursor + step)
        self.scroll[self.active] = max(self.scroll.get(self.active, 0) + step, 0)
        return False

    def step(self, step: int) -> str:
        """To the next (1) or previous (-1) answer that nobody has judged; wraps. What to say: empty, or why."""
        if not self.rows:
            return "No answers to judge"
        found = self._not_done(self.cursor, step)
        if found is None:
            return "All of them are judged"
        wrapped = (found - self.cursor) * step <= 0
        self.go(found)
        if not wrapped:
            return ""
        left = len(self.rows) - self.judged
        return "The only one left" if left == 1 else "From the first again" if step > 0 else "From the last again"

    def _not_done(self, start: int, step: int) -> int | None:
        total = len(self.rows)
        places = [(start + step * offset) % total for offset in range(1, total + 1)]
        return next((at for at in places if not self.rows[at].done), None)

    def cite(self, step: int) -> str:
        """To the next passage that the answer cites; what to say about it."""
        detail = self.detail
        if detail is None:
            return ""
        cited = detail.cited
        if not cited:
            return "The answer cites nothing"
        at = cited.index(self.citation) if self.citation in cited else -1 if step > 0 else 0
        self.citation = cited[(at + step) % len(cited)]
        self.seek = True
        sent = detail.passage(self.citation)
        return f"[{self.citation}] is {sent.chunk_id}" if sent else f"[{self.citation}] was not given"

    def close_innermost(self) -> bool:
        """Back from the zoom; False where nothing is open."""
        was, self.zoomed = self.zoomed, False
        return was

    # what is under the cursor

    @property
    def passage(self) -> SentText | None:
        """The passage that one is at: the citation one went to, else the first."""
        if self.detail is None or not self.detail.sent:
            return None
        return self.detail.passage(self.citation) or self.detail.sent[0]

    def wrap_passage(self, sent: SentText, cells: int) -> list[Extent]:
        """Where the rows of a passage begin and end, blank ones left out; kept, since passages may be long."""
        key = (sent.chunk_id, sent.number, cells)
        if key not in self.wrapped:
            self.wrapped[key] = [row for row in wrap(sent.text, cells) if sent.text[row.start : row.end].strip()]
        return self.wrapped[key]

    def text_under_cursor(self) -> str:
        """What `y` copies: the question, the answer, the passage."""
        detail = self.detail
        if detail is None or self.active == "list":
            return self.current.text if self.current else ""
        if self.active == "answer":
            return detail.answer
        return self.passage.text if self.passage else ""

    def as_text(self) -> str:
        """The answer with its question and passages, for the pager."""
        detail, row = self.detail, self.current
        if detail is None or row is None:
            return ""
        lines = [f"{detail.qid}, {detail.arm}  {detail.question}", "", f"expected: {detail.expected}", "", detail.answer, ""]
        lines += [f"  {key} {axis}: {said or '-'}" for key, (axis, said) in enumerate(zip(AXES, row.said, strict=True), 1)]
        for sent in detail.sent:
            lines += ["", f"[{sent.number}] {sent.chunk_id} {sent.heading}".rstrip(), sent.text]
        return "\n".join([*lines, ""])


def compared(said: tuple[Said, ...], judge: JudgeView) -> tuple[int, int]:
    """On how many of the five questions a person and the judge say the same, and on how many both say yes or no."""
    pairs = [(one, other) for one, other in zip(said, judge.said, strict=True) if one in ("yes", "no") and other is not None]
    return sum((one == "yes") == other for one, other in pairs), len(pairs)
