"""What Judge shows and where one is in it: pure view state, without Textual and without the engine."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from ragtriage_tui.answer_views import JudgeView
from ragtriage_tui.geometry import Geometry
from ragtriage_tui.judge_views import JudgeDetail, JudgeQueue, JudgeRow, Reviewed, Said, SentText, cycled
from ragtriage_tui.list_state import ListState, next_of
from ragtriage_tui.listing import Listing, from_the_end
from ragtriage_tui.pager_texts import judged_text
from ragtriage_tui.text import Extent, wrap

__all__ = ["JudgePane", "JudgeState", "compared"]

JudgePane = Literal["list", "answer", "passages"]
_PANES: tuple[JudgePane, ...] = ("list", "answer", "passages")


@dataclass
class Queue(Listing[JudgeRow]):
    """The answers in the order in which they are to be judged."""

    def id_of(self, row: JudgeRow) -> str:
        return row.id

    def update(self, queue: JudgeQueue) -> None:
        """Take new rows; at first the cursor is on the first that nobody has judged."""
        if not self.wanted:
            self.wanted = next((row.id for row in queue.rows if not row.done), "")
        self.show(queue.rows)
        self.rows = self.visible

    def not_done(self) -> list[int]:
        """Where the answers are that nobody has judged."""
        return [at for at, row in enumerate(self.visible) if not row.done]

    def step(self, step: int) -> str:
        """To the next (1) or previous (-1) answer that nobody has judged; wraps."""
        if not self.visible:
            return "No answers to judge"
        left = self.not_done()
        if not left:
            return "All of them are judged"
        if self.step_among(left, step):
            return ""
        return "The only one left" if len(left) == 1 else from_the_end(step)


@dataclass
class JudgeState(ListState):
    """Everything that the drawing of Judge depends on. `detail` may lag behind the cursor while it is fetched."""

    listing: Queue = field(default_factory=Queue)
    active: JudgePane = "list"
    queue: JudgeQueue | None = None
    detail: JudgeDetail | None = None
    citation: int = 0
    seek: bool = False  # the citation is to be brought into view
    wrapped: dict[tuple[str, int, int], list[Extent]] = field(default_factory=dict)
    _ahead: dict[str, tuple[tuple[Said, ...], int]] = field(default_factory=dict)

    # data

    def take_queue(self, queue: JudgeQueue) -> None:
        """New rows; the cursor stays on its answer."""
        self.queue = queue
        self.listing.update(queue)

    @property
    def notice(self) -> str:
        return self.queue.notice if self.queue else ""

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
        at = self.listing.place_of(reviewed.id)
        if at is None:
            return False
        rows = self.listing.rows
        rows[at] = rows[at]._replace(said=reviewed.said, done=reviewed.done, by=reviewed.by)
        if not reviewed.finished or at != self.listing.cursor or not self.listing.not_done():
            return False
        self.listing.step(1)
        return self.listing.cursor != at

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
        return self.listing.current

    @property
    def judged(self) -> int:
        """How many answers somebody has judged."""
        return sum(row.done for row in self.listing.rows)

    @property
    def revealed(self) -> JudgeView | None:
        """What the model says as a judge, once the person has answered all five questions."""
        row = self.current
        if row is None or self.detail is None or self.detail.id != row.id or not all(row.said):
            return None
        return self.detail.judge

    # moving

    def panes(self, geo: Geometry) -> tuple[JudgePane, ...]:
        return _PANES

    def step_part(self, step: int) -> str:
        """To the next passage that the answer cites; what to say about it."""
        detail = self.detail
        if detail is None:
            return ""
        cited = detail.cited
        if not cited:
            return "The answer cites nothing"
        self.citation = next_of(cited, self.citation, step)
        self.seek = True
        sent = detail.passage(self.citation)
        return f"[{self.citation}] is {sent.chunk_id}" if sent else f"[{self.citation}] was not given"

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
        return judged_text(detail, row.said)


def compared(said: tuple[Said, ...], judge: JudgeView) -> tuple[int, int]:
    """On how many of the five questions a person and the judge say the same, and on how many both say yes or no."""
    pairs = [(one, other) for one, other in zip(said, judge.said, strict=True) if one in ("yes", "no") and other is not None]
    return sum((one == "yes") == other for one, other in pairs), len(pairs)
