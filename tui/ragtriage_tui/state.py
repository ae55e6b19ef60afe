"""What Triage shows and where one is in it: pure view state, without Textual and without the engine."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from ragtriage_tui.answer_views import ARMS, AnswerView, Arm
from ragtriage_tui.folding import fold
from ragtriage_tui.geometry import Geometry
from ragtriage_tui.list_state import next_of
from ragtriage_tui.listing import Window
from ragtriage_tui.pager_texts import triage_text
from ragtriage_tui.ranked_state import PANES, OpenAt, Pane, RankedState
from ragtriage_tui.triage_questions import Questions
from ragtriage_tui.views import CategoryView, ChunkView, Overview, QuestionRow, QuestionView

__all__ = ["Restored", "TriageState"]

_OTHER_VIEWS: dict[Pane, str] = {"list": "advice", "question": "text", "chunks": "text", "answers": "diff"}


class Restored(NamedTuple):
    """What comes back on the next start. A start is never zoomed and shows no pane's other view."""

    qid: str = ""
    filter: str = ""
    pane: str = "list"


@dataclass
class TriageState(RankedState):
    """Everything that the drawing of Triage depends on. `detail` may lag behind the cursor while it is fetched."""

    listing: Questions = field(default_factory=Questions)
    detail: QuestionView | None = None
    overview: Overview | None = None
    arm: Arm = "live"

    @property
    def notice(self) -> str:
        return self.overview.notice if self.overview else ""

    @property
    def categories(self) -> tuple[CategoryView, ...]:
        return self.overview.categories if self.overview else ()

    def refilter(self) -> None:
        if self.overview is not None:
            self.listing.update(self.overview)

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

    # moving

    def go_pane(self, pane: Pane, geo: Geometry) -> None:
        """To a pane by its key; in Answers, to the other answer."""
        if pane == self.active == "answers":
            self.other_answer()
        self.show_pane(pane, geo)

    def move(self, step: int, height: int = 0) -> bool:
        """See ListState. `height`: rows of chunks in view."""
        if self.active == "chunks" and "text" not in self.views:
            self.walk([chunk.chunk_id for chunk in self.chunks], self._shown_chunks(height), step)
            return False
        return super().move(step)

    @property
    def scroll_key(self) -> str:
        if self.active == "answers" and not self.zoomed:
            return f"answers.{self.chosen_arm}"
        return "text" if self.active == "chunks" else self.active

    def _shown_chunks(self, height: int) -> list[str]:
        if self.unfolded or not self.detail:
            return [chunk.chunk_id for chunk in self.chunks]
        rows = fold(self.chunks, self.detail.k, height, self.chunk_id)
        return [row.chunk.chunk_id for row in rows if row.chunk]

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

    def step_part(self, step: int) -> str:
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
        self.citation = next_of(cited, self.citation, step)
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

    def as_text(self) -> str:
        return triage_text(self.detail) if self.detail else ""

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
