"""What Triage shows and where one is in it: pure view state, without Textual and without the engine."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from ragtriage_tui.answer_views import ARMS, AnswerView, Arm, pager_lines
from ragtriage_tui.folding import fold
from ragtriage_tui.geometry import Geometry
from ragtriage_tui.listing import Listing, Window
from ragtriage_tui.telling import Busy, Message
from ragtriage_tui.views import CategoryView, ChunkView, Overview, QuestionRow, QuestionView

__all__ = ["PANES", "OpenAt", "Pane", "Restored", "TriageState"]

Pane = Literal["list", "question", "chunks", "answers"]
_OTHER_VIEWS: dict[Pane, str] = {"list": "advice", "question": "text", "chunks": "text", "answers": "diff"}
PANES: tuple[Pane, ...] = ("list", "question", "chunks", "answers")


class OpenAt(NamedTuple):
    """Where Document should open: a document, its chunk or the offset of its evidence, for which question."""

    doc_id: str
    chunk_id: str
    at: int | None
    qid: str


class Restored(NamedTuple):
    """What comes back on the next start. A start is never zoomed and shows no pane's other view."""

    qid: str = ""
    filter: str = ""
    pane: str = "list"


@dataclass
class TriageState:
    """Everything that the drawing of Triage depends on. `detail` may lag behind the cursor while it is fetched."""

    overview: Overview | None = None
    listing: Listing = field(default_factory=Listing)
    detail: QuestionView | None = None
    active: Pane = "list"
    zoomed: bool = False
    unfolded: bool = False
    views: set[str] = field(default_factory=set)
    chunk_id: str = ""
    chunk_window: Window = field(default_factory=Window)
    scroll: dict[str, int] = field(default_factory=dict)
    arm: Arm = "live"
    citation: int = 0
    seek: bool = False  # the citation is to be brought into view
    message: Message | None = None
    changed: bool = False
    busy: Busy | None = None
    failed: str = ""

    def take_overview(self, overview: Overview) -> None:
        """New rows; cursor, filter and active pane stay."""
        self.overview = overview
        self.listing.update(overview)

    def take_detail(self, detail: QuestionView | None) -> None:
        """The right half of the question under the cursor; its chunk cursor rests on the evidence."""
        same = detail is not None and self.detail is not None and detail.qid == self.detail.qid
        self.detail = detail
        if same and any(chunk.chunk_id == self.chunk_id for chunk in self.chunks):
            return
        self.unfolded = False
        self.chunk_window = Window()
        self.scroll.clear()
        self.citation = 0
        self.seek = False
        self.arm = "live"
        self.chunk_id = self._resting_chunk()

    def _resting_chunk(self) -> str:
        best = next((chunk for chunk in self.chunks if chunk.holds != "none"), None)
        best = best or next(iter(self.chunks), None)
        return best.chunk_id if best else ""

    @property
    def chunks(self) -> tuple[ChunkView, ...]:
        return self.detail.chunks if self.detail else ()

    @property
    def chunk(self) -> ChunkView | None:
        return next((chunk for chunk in self.chunks if chunk.chunk_id == self.chunk_id), None)

    @property
    def current(self) -> QuestionRow | None:
        return self.listing.current

    def row_of(self, qid: str) -> QuestionRow | None:
        return next((row for row in self.listing.rows if row.qid == qid), None)

    def category(self, key: int) -> CategoryView | None:
        categories = self.overview.categories if self.overview else ()
        return next((category for category in categories if category.key == key), None)

    # moving

    def panes(self, geo: Geometry) -> tuple[Pane, ...]:
        """The panes that Tab goes through at this size."""
        if geo.answers:
            return PANES
        return ("list", "question", "answers") if "answers" in self.views else ("list", "question", "chunks")

    def next_pane(self, geo: Geometry, step: int) -> None:
        panes = self.panes(geo)
        at = panes.index(self.active) if self.active in panes else 0
        self.active = panes[(at + step) % len(panes)]

    def go_pane(self, pane: Pane, geo: Geometry) -> None:
        """To a pane by name; where only one of chunks and answers fits, that one is shown. In Answers, to the other answer."""
        if pane == self.active == "answers":
            self.other_answer()
        if not geo.answers and pane in ("chunks", "answers"):
            self.views.discard("answers")
            if pane == "answers":
                self.views.add("answers")
        self.active = pane

    def move(self, step: int, height: int) -> bool:
        """Move in the active pane; whether another question is under the cursor now. `height`: rows of chunks in view."""
        if self.active == "list":
            return self.listing.move(step)
        if self.active == "chunks" and "text" not in self.views:
            self._move_chunk(step, height)
        else:
            key = self.scroll_key()
            self.scroll[key] = max(self.scroll.get(key, 0) + step, 0)
        return False

    def scroll_key(self) -> str:
        if self.active == "answers" and not self.zoomed:
            return f"answers.{self.chosen_arm}"
        return "text" if self.active == "chunks" else self.active

    def _shown_chunks(self, height: int) -> list[str]:
        if self.unfolded or not self.detail:
            return [chunk.chunk_id for chunk in self.chunks]
        rows = fold(self.chunks, self.detail.k, height, self.chunk_id)
        return [row.chunk.chunk_id for row in rows if row.chunk]

    def _move_chunk(self, step: int, height: int) -> None:
        shown = self._shown_chunks(height)
        if not shown:
            return
        at = shown.index(self.chunk_id) if self.chunk_id in shown else 0
        if at + step >= len(shown) and len(shown) < len(self.chunks):
            self.unfolded = True  # walking off the end of what is shown shows the rest
            everything = [chunk.chunk_id for chunk in self.chunks]
            self.chunk_id = everything[min(everything.index(self.chunk_id) + 1, len(everything) - 1)]
            return
        self.chunk_id = shown[min(max(at + step, 0), len(shown) - 1)]

    def go_end(self, *, last: bool, height: int) -> bool:
        """First or last row of the active pane; whether another question is under the cursor now."""
        if self.active == "list":
            return self.listing.go(len(self.listing.visible) - 1 if last else 0)
        return self.move(10**9 if last else -(10**9), height)

    def toggle_view(self, geo: Geometry) -> None:
        """The active pane's other view: figures' sentences, chunk text, what differs between the answers."""
        if not geo.answers and self.active != "list":
            self.views ^= {"answers"}
            self.active = "answers" if "answers" in self.views else "chunks"
            return
        self.views ^= {_OTHER_VIEWS[self.active]}

    def close_innermost(self) -> bool:
        """Back from what was opened last, the zoom or the active pane's other view; False where nothing is open."""
        if self.zoomed:
            self.zoomed = False
        elif _OTHER_VIEWS[self.active] in self.views:
            self.views.discard(_OTHER_VIEWS[self.active])
        else:
            return False
        return True

    # answers

    def arms(self) -> tuple[Arm, ...]:
        """The answers one can go to: oracle and live, and where the pane is zoomed those of a split tax."""
        detail = self.detail
        there = [arm for arm in ARMS if detail and (detail.answer(arm) or arm in detail.failed)]
        return tuple(arm for arm in there if self.zoomed or arm in ("oracle", "live"))

    @property
    def answer(self) -> AnswerView | None:
        """The answer that `[`, `]` and Enter are about: the chosen one, else one there is."""
        return self.detail.answer(self.chosen_arm) if self.detail else None

    @property
    def chosen_arm(self) -> Arm:
        there = [arm for arm in self.arms() if self.detail and self.detail.answer(arm)]
        return self.arm if self.arm in there or not there else "live" if "live" in there else there[0]

    def other_answer(self) -> None:
        """To the next answer: oracle, live, and in the zoom those of a split tax."""
        there = [arm for arm in self.arms() if self.detail and self.detail.answer(arm)]
        if len(there) > 1:
            self.arm = there[(there.index(self.chosen_arm) + 1) % len(there)]
            self.citation = 0
            self.seek = True

    def cite(self, step: int) -> str:
        """To the next passage that the chosen answer cites (in Answers) or the next chunk that holds evidence; what to say."""
        if self.detail is None:
            return ""
        if self.active == "answers" and self.answer:
            return self._cite_answer(self.answer, step)
        holding = [chunk for chunk in self.chunks if chunk.holds != "none"]
        if not holding:
            return "No chunk in the pool holds the evidence"
        at = next((index for index, chunk in enumerate(holding) if chunk.chunk_id == self.chunk_id), -step)
        self.chunk_id = holding[(at + step) % len(holding)].chunk_id
        return ""

    def _cite_answer(self, answer: AnswerView, step: int) -> str:
        cited = answer.cited
        if not cited:
            return f"The {self.chosen_arm} answer cites nothing"
        at = cited.index(self.citation) if self.citation in cited else -1 if step > 0 else 0
        self.citation = cited[(at + step) % len(cited)]
        self.seek = True
        sent = answer.passage(self.citation)
        if sent is None:
            return self._not_given(answer, self.citation)
        if chunk := next((chunk for chunk in self.chunks if chunk.chunk_id == sent.chunk_id), None):
            self.chunk_id = chunk.chunk_id
        rank = f", rank {chunk.rank}" if chunk and chunk.rank else ""
        return f"[{self.citation}] is {sent.chunk_id}{rank}"

    def _not_given(self, answer: AnswerView, number: int) -> str:
        given = len(answer.passages)
        return f"[{number}] was not given: there {'was 1 passage' if given == 1 else f'were {given} passages'}"

    # judgements

    @property
    def hints(self) -> tuple[str, ...]:
        """What there is to judge among the ranked chunks, where that may tell most; the longest form first."""
        detail = self.detail
        if detail is None or self.active != "chunks" or "text" in self.views or not detail.above:
            return ()
        count = detail.above
        one = count == 1
        passages = "1 unjudged passage stands" if one else f"{count} unjudged passages stand"
        found = any(need.rank is not None for need in detail.needs)
        where = "above the evidence" if found else "where the evidence should"
        long = f"{passages} {where}: r {'it answers' if one else 'one answers'} too, x it does not"
        return long, f"{count} unjudged {'above the evidence' if found else 'of the first'}: r yes, x no"

    # what is under the cursor

    def place_to_open(self) -> OpenAt | None:
        """The chunk under the cursor in Ranked chunks, the cited passage in Answers; else the first evidence that was lost;
        else the first chunk."""
        detail = self.detail
        if detail is None:
            return None
        chunk = self.chunk
        if self.active == "answers" and self.answer and (self.citation or self.answer.cited):
            sent = self.answer.passage(self.citation or self.answer.cited[0])
            return OpenAt(sent.doc_id, sent.chunk_id, None, detail.qid) if sent and sent.doc_id else None
        if self.active == "chunks" and chunk:
            return OpenAt(chunk.doc_id, chunk.chunk_id, None, detail.qid)
        lost = next((need for need in detail.needs if not need.inside and need.doc_id), None)
        need = lost or next((need for need in detail.needs if need.doc_id), None)
        if need:
            return OpenAt(need.doc_id, "", need.span.start if need.span else None, detail.qid)
        return OpenAt(chunk.doc_id, chunk.chunk_id, None, detail.qid) if chunk else None

    def why_not_open(self) -> str:
        """Why there is nothing to open where the cursor is."""
        answer = self.answer if self.active == "answers" else None
        if answer is None or not (number := self.citation or next(iter(answer.cited), 0)):
            return "No document to open here"
        if answer.passage(number) is None:
            return self._not_given(answer, number)
        return f"[{number}] is not among today's chunks; ctrl+r measures again"

    def text_under_cursor(self) -> str:
        """What `y` copies: the question's words, its quotes, the chunk's text, the chosen answer."""
        detail = self.detail
        if self.active == "list" or detail is None:
            return self.current.text if self.current else ""
        if self.active == "question":
            return "\n".join([detail.text, *(need.quote for need in detail.needs if need.quote)])
        if self.active == "chunks":
            return self.chunk.text if self.chunk else ""
        return self.answer.text if self.answer else ""

    def as_text(self) -> str:
        """The question with all its chunks and answers, for the pager."""
        detail = self.detail
        if detail is None:
            return ""
        parts = [f"{detail.qid}  {detail.text}", f"{detail.proof}{detail.reason}", ""]
        for need in detail.needs:
            rungs = "  ".join(f"{'x ' if rung.state == 'broken' else ''}{rung.text}" for rung in need.rungs)
            parts += [f"needs {need.doc_id} {need.heading}: {need.quote}", f"  {rungs}  {need.lever}", ""]
        for arm in ARMS:
            if answer := detail.answer(arm):
                parts += [f"{arm}, {answer.given}: {answer.text}", *pager_lines(answer), ""]
            elif arm in detail.failed:
                parts += [f"{arm}: {detail.missing(arm)}", ""]
        for chunk in detail.chunks:
            if chunk.rank == detail.k + 1:
                parts += [f"--- context ends here, k = {detail.k} ---", ""]
            parts += [f"{chunk.rank or '-'}  {chunk.chunk_id}", chunk.text, ""]
        return "\n".join(parts)

    # counts

    def failing(self) -> list[QuestionRow]:
        return [row for row in self.listing.rows if row.state == "fails"]

    def labelled(self) -> int:
        """Failing questions with a label that still fits."""
        return sum(1 for row in self.failing() if row.label and not row.old)

    def position(self, qid: str) -> tuple[int, int]:
        """Which failure a question is, from 1 (0: none), and how many there are."""
        failing = [row.qid for row in self.failing()]
        return (failing.index(qid) + 1 if qid in failing else 0), len(failing)

    def restored(self) -> Restored:
        return Restored(self.listing.wanted, self.listing.text, self.active)

    def restore(self, saved: Restored) -> None:
        self.listing.wanted = saved.qid
        self.listing.text = saved.filter
        self.active = saved.pane if saved.pane in PANES else "list"
