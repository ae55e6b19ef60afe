"""What Review shows and where one is in it: pure view state, without Textual and without the engine."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from ragtriage_tui.answer_views import AnswerView
from ragtriage_tui.geometry import Geometry
from ragtriage_tui.listing import Window
from ragtriage_tui.review_flips import Flips
from ragtriage_tui.review_views import Asked, FlipRow, FlipView, PlacedChunk, ReviewView, Side, Texts
from ragtriage_tui.state import OpenAt
from ragtriage_tui.telling import Busy
from ragtriage_tui.views import CategoryView

__all__ = ["PANES", "Pane", "ReviewState"]

Pane = Literal["list", "question", "chunks", "answers"]
PANES: tuple[Pane, ...] = ("list", "question", "chunks", "answers")


@dataclass
class ReviewState:
    """Everything that the drawing of Review depends on. `detail` and `texts` may lag behind the cursor."""

    asked: Asked = field(default_factory=Asked)
    view: ReviewView | None = None
    flips: Flips = field(default_factory=Flips)
    detail: FlipView | None = None
    texts: Texts | None = None
    active: Pane = "list"
    zoomed: bool = False
    unfolded: bool = False
    views: set[str] = field(default_factory=set)  # `text`: chunk texts; `differs`: what differs; `answers`: instead of chunks
    side: Side = "base"
    chunk_id: str = ""
    chunk_window: Window = field(default_factory=Window)
    scroll: dict[str, int] = field(default_factory=dict)
    arm: Side = "head"
    citation: int = 0
    seek: bool = False
    busy: Busy | None = None
    failed: str = ""
    reason: str = ""  # the one given last for an intended flip

    def take(self, view: ReviewView) -> None:
        """New rows; cursor, filter and active pane stay."""
        self.view = view
        self.failed = ""
        self.flips.update(view)

    def take_detail(self, detail: FlipView | None) -> None:
        """The right half of the flip under the cursor; its chunk cursor rests on the evidence."""
        same = detail is not None and self.detail is not None and detail.qid == self.detail.qid
        self.detail = detail
        if same and self.chunk is not None:
            return
        self.texts = None
        self.unfolded = False
        self.chunk_window = Window()
        self.scroll.clear()
        self.citation = 0
        self.arm = "head"
        self._rest()

    def _rest(self) -> None:
        """The cursor on the evidence that decides: in the base, else in the head; else on any."""
        self.side, self.chunk_id = "base", ""
        sides: tuple[Side, ...] = ("base", "head")
        for side in sides:
            rank = self.detail.rank(side) if self.detail else None
            if found := next((one for one in self.chunks_of(side) if one.rank == rank and one.holds != "none"), None):
                self.side, self.chunk_id = side, found.chunk_id
                return
        for side in sides:
            if found := next((one for one in self.chunks_of(side) if one.holds != "none"), None):
                self.side, self.chunk_id = side, found.chunk_id
                return
        for side in sides:
            if chunks := self.chunks_of(side):
                self.side, self.chunk_id = side, chunks[0].chunk_id
                return

    def chunks_of(self, side: Side) -> tuple[PlacedChunk, ...]:
        return self.detail.side(side).chunks if self.detail else ()

    @property
    def chunk(self) -> PlacedChunk | None:
        """The ranked chunk under the cursor."""
        return next((one for one in self.chunks_of(self.side) if one.chunk_id == self.chunk_id), None)

    @property
    def current(self) -> FlipRow | None:
        return self.flips.current

    def row_of(self, qid: str) -> FlipRow | None:
        return next((row for row in self.flips.rows if row.qid == qid), None)

    def category(self, key: int) -> CategoryView | None:
        return next((one for one in (self.view.categories if self.view else ()) if one.key == key), None)

    def position(self, qid: str) -> tuple[int, int]:
        """Which of those to review a flip is, from 1 (0: it only moved), and how many there are."""
        flips = [row.qid for row in self.flips.rows if not row.moved]
        return (flips.index(qid) + 1 if qid in flips else 0), len(flips)

    @property
    def done(self) -> bool:
        view = self.view
        return view is not None and bool(view.to_review) and view.reviewed == len(view.to_review)

    @property
    def done_words(self) -> str:
        """`14 of 14 reviewed, 1 accepted until 3 March`"""
        view = self.view
        if view is None:
            return ""
        words = f"{view.reviewed} of {len(view.to_review)} reviewed"
        accepted = [row.until for row in view.to_review if row.decided == "intended"]
        days = list(dict.fromkeys(accepted))
        if not accepted:
            return words
        return f"{words}, {len(accepted)} accepted" + (f" until {days[0]}" if len(days) == 1 and days[0] else "")

    @property
    def usual_reason(self) -> str:
        """What a flip is intended for where nobody has said anything yet; Enter takes it, and it can be edited."""
        return f"comes with {self.view.short[-1]}" if self.view and self.view.short else ""

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
        """To a pane by its key; again in it: to what else it has, the other side, what differs."""
        if pane == self.active:
            if pane == "list":
                self.views ^= {"differs"}
            elif pane == "chunks":
                self.other_side()
            elif pane == "answers":
                self.other_answer()
        if not geo.answers and pane in ("chunks", "answers"):
            self.views.discard("answers")
            if pane == "answers":
                self.views.add("answers")
        self.active = pane

    def other_side(self) -> None:
        """To the same passage on the other side, else to the nearest rank there."""
        here = self.chunk
        other: Side = "head" if self.side == "base" else "base"
        chunks = self.chunks_of(other)
        if not chunks:
            return
        rank = here.rank if here else 1
        same = next((one for one in chunks if here and one.chunk_id == here.other_id), None)
        same = same or min(chunks, key=lambda one: abs(one.rank - rank))
        self.side, self.chunk_id = other, same.chunk_id

    def move(self, step: int, shown: Sequence[str] = ()) -> bool:
        """Move in the active pane; whether another flip is under the cursor now. `shown`: ids of the chunks in view."""
        if self.active == "list" and not (self.zoomed and "differs" in self.views):
            return self.flips.go(self.flips.cursor + step)
        if self.active == "chunks" and "text" not in self.views:
            self._move_chunk(step, shown)
        else:
            key = self.scroll_key
            self.scroll[key] = max(self.scroll.get(key, 0) + step, 0)
        return False

    @property
    def scroll_key(self) -> str:
        if self.active == "answers" and not self.zoomed:
            return f"answers.{self.arm}"
        if self.active == "list":
            return "differs"
        return "text" if self.active == "chunks" else self.active

    def _move_chunk(self, step: int, shown: Sequence[str]) -> None:
        everything = [one.chunk_id for one in self.chunks_of(self.side)]
        rows = [name for name in everything if name in set(shown)] or everything
        if not rows:
            return
        at = rows.index(self.chunk_id) if self.chunk_id in rows else 0
        if at + step >= len(rows) and len(rows) < len(everything):
            self.unfolded = True  # walking off the end of what is shown shows the rest
            here = everything.index(self.chunk_id) if self.chunk_id in everything else 0
            self.chunk_id = everything[min(here + 1, len(everything) - 1)]
            return
        self.chunk_id = rows[min(max(at + step, 0), len(rows) - 1)]

    def next_evidence(self, step: int) -> str:
        """To the next chunk that holds evidence, through both sides; what to say."""
        sides: tuple[Side, ...] = ("base", "head")
        places = [(side, one.chunk_id) for side in sides for one in self.chunks_of(side) if one.holds != "none"]
        if not places:
            return "No chunk of either side holds the evidence"
        here = (self.side, self.chunk_id)
        at = places.index(here) if here in places else -step
        self.side, self.chunk_id = places[(at + step) % len(places)]
        return ""

    def toggle_text(self) -> None:
        """The chunk texts in the place of the ranks, or the ranks again; from any pane."""
        self.views ^= {"text"}
        self.views.discard("answers")
        self.scroll.pop("text", None)

    def close_innermost(self) -> bool:
        """Back from what was opened last: zoom, texts, what differs; False where nothing is open."""
        if self.zoomed:
            self.zoomed = False
        elif "text" in self.views:
            self.views.discard("text")
        elif "differs" in self.views:
            self.views.discard("differs")
        else:
            return False
        return True

    # answers

    @property
    def answer(self) -> AnswerView | None:
        """The answer that `[`, `]` and `A` are about."""
        return self.detail.side(self.arm).answer if self.detail else None

    def other_answer(self) -> None:
        other: Side = "base" if self.arm == "head" else "head"
        if self.detail and self.detail.side(other).answer:
            self.arm = other
            self.citation = 0
            self.seek = True

    def cite(self, step: int) -> str:
        """To the next passage that the chosen answer cites, in Answers; else to the next evidence. What to say."""
        if self.active != "answers":
            return self.next_evidence(step)
        answer = self.answer
        cited = answer.cited if answer else ()
        if answer is None or not cited:
            return f"The answer of the {self.arm} cites nothing"
        at = cited.index(self.citation) if self.citation in cited else -1 if step > 0 else 0
        self.citation = cited[(at + step) % len(cited)]
        self.seek = True
        sent = answer.passage(self.citation)
        if sent is None:
            return f"[{self.citation}] was not given"
        if chunk := next((one for one in self.chunks_of(self.arm) if one.chunk_id == sent.chunk_id), None):
            self.side, self.chunk_id = self.arm, chunk.chunk_id
        return f"[{self.citation}] is {sent.chunk_id}" + (f", rank {chunk.rank}" if chunk else "")

    # what is under the cursor

    def place_to_open(self) -> OpenAt | None:
        """The chunk under the cursor in today's documents, in Ranked chunks; else where the evidence lies."""
        detail = self.detail
        if detail is None:
            return None
        chunk = self.chunk
        if self.active in ("chunks", "answers") and chunk:
            return OpenAt(chunk.doc_id, "", chunk.at, detail.qid) if chunk.at is not None else None
        need = next((need for need in detail.needs if need.span is not None), None)
        if need is not None and need.span is not None:
            return OpenAt(need.doc_id, "", need.span.start, detail.qid)
        return OpenAt(chunk.doc_id, "", chunk.at, detail.qid) if chunk and chunk.at is not None else None

    def why_not_open(self) -> str:
        chunk = self.chunk
        if chunk is not None and chunk.at is None:
            return f"{chunk.doc_id} is not among today's documents; v shows its text"
        return "No document to open here"

    def text_under_cursor(self) -> str:
        """What `y` copies."""
        detail = self.detail
        if self.active == "list" or detail is None:
            return self.current.text if self.current else ""
        if self.active == "question":
            return "\n".join([detail.text, *(need.quote for need in detail.needs if need.quote)])
        if self.active == "chunks":
            return self.chunk.text if self.chunk else ""
        return self.answer.text if self.answer else ""

    def as_text(self) -> str:
        """The flip with both rankings and answers, for the pager."""
        detail = self.detail
        if detail is None:
            return ""
        parts = [f"{detail.qid}  {detail.text}", f"{detail.change}  {detail.proof[0] if detail.proof else detail.reason}"]
        parts += [f"because {detail.because}"] if detail.because else []
        parts += [f"{detail.said}  {detail.note}".rstrip()] if detail.said else []
        sides: tuple[Side, ...] = ("base", "head")
        for side in sides:
            found, k = detail.side(side), detail.k_base if side == "base" else detail.k_head
            parts += ["", f"--- {side}, k = {k} ---", *([found.no_chunks] if found.no_chunks else [])]
            for one in found.chunks:
                word = ("now" if side == "base" else "was") if one.other else ("gone" if side == "base" else "new")
                parts += ["", f"{one.rank}  {one.chunk_id}  {word} {one.other or ''}".rstrip(), one.text]
            if found.answer or found.no_answer:
                parts += ["", f"answer: {found.answer.text if found.answer else found.no_answer}"]
        return "\n".join(parts)
