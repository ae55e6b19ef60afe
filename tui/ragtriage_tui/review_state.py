"""What Review shows and where one is in it: pure view state, without Textual and without the engine."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from ragtriage_tui.answer_views import AnswerView
from ragtriage_tui.geometry import Geometry
from ragtriage_tui.list_state import next_of
from ragtriage_tui.listing import Window
from ragtriage_tui.pager_texts import flip_text
from ragtriage_tui.ranked_state import OpenAt, Pane, RankedState
from ragtriage_tui.review_flips import Flips
from ragtriage_tui.review_views import Asked, FlipRow, FlipView, PlacedChunk, ReviewView, Side, Texts
from ragtriage_tui.text import width
from ragtriage_tui.views import CategoryView

__all__ = ["ReviewState"]

_MOST_OFFERED = 38  # cells beside "intended for 90 days, since comes with", at 80 columns


@dataclass
class ReviewState(RankedState):
    """Everything that the drawing of Review depends on. `detail` and `texts` may lag behind the cursor.

    `views`: `text`, the chunk texts; `differs`, what differs; `answers`, those instead of chunks.
    """

    listing: Flips = field(default_factory=Flips)
    detail: FlipView | None = None
    asked: Asked = field(default_factory=Asked)
    view: ReviewView | None = None
    texts: Texts | None = None
    side: Side = "base"
    arm: Side = "head"
    reason: str = ""  # the one given last for an intended flip

    @property
    def notice(self) -> str:
        return self.view.warning if self.view else ""

    @property
    def categories(self) -> tuple[CategoryView, ...]:
        return self.view.categories if self.view else ()

    def refilter(self) -> None:
        if self.view is not None:
            self.listing.update(self.view)

    def take(self, view: ReviewView) -> None:
        """New rows; cursor, filter and active pane stay."""
        self.view = view
        self.failed = ""
        self.listing.update(view)

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
        sides: tuple[Side, ...] = ("base", "head")
        ranked = [(side, one) for side in sides for one in self.chunks_of(side)]
        holding = [(side, one) for side, one in ranked if one.holds != "none"]
        deciding = [(side, one) for side, one in holding if self.detail and one.rank == self.detail.rank(side)]
        best = next(iter(deciding or holding or ranked), None)
        self.side, self.chunk_id = (best[0], best[1].chunk_id) if best else ("base", "")

    def chunks_of(self, side: Side) -> tuple[PlacedChunk, ...]:
        return self.detail.side(side).chunks if self.detail else ()

    @property
    def chunk(self) -> PlacedChunk | None:
        """The ranked chunk under the cursor."""
        return next((one for one in self.chunks_of(self.side) if one.chunk_id == self.chunk_id), None)

    @property
    def current(self) -> FlipRow | None:
        return self.listing.current

    def position(self, qid: str) -> tuple[int, int]:
        """Which of those to review a flip is, from 1 (0: it only moved), and how many there are."""
        flips = [row.qid for row in self.listing.rows if not row.moved]
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
        if not self.view or not self.view.short:
            return ""
        what = self.view.short[-1]
        return f"comes with {what if width(what) <= _MOST_OFFERED else what.partition(' ')[0]}"  # all of it is to be seen

    # moving

    def go_pane(self, pane: Pane, geo: Geometry) -> None:
        """To a pane by its key; again in it: to what else it has, the other side, what differs."""
        if pane == self.active:
            if pane == "list":
                self.views ^= {"differs"}
            elif pane == "chunks":
                self.other_side()
            elif pane == "answers":
                self.other_answer()
        self.show_pane(pane, geo)

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
        """See ListState. `shown`: ids of the chunks in view."""
        if self.active == "list" and self.zoomed and "differs" in self.views:
            self.scroll_by(step)
            return False
        if self.active == "chunks" and "text" not in self.views:
            everything = [one.chunk_id for one in self.chunks_of(self.side)]
            self.walk(everything, [name for name in everything if name in set(shown)] or everything, step)
            return False
        return super().move(step)

    @property
    def scroll_key(self) -> str:
        if self.active == "answers" and not self.zoomed:
            return f"answers.{self.arm}"
        if self.active == "list":
            return "differs"
        return "text" if self.active == "chunks" else self.active

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

    def step_part(self, step: int) -> str:
        """To the next passage that the chosen answer cites, in Answers; else to the next evidence. What to say."""
        if self.active != "answers":
            return self.next_evidence(step)
        answer = self.answer
        cited = answer.cited if answer else ()
        if answer is None or not cited:
            return f"The answer of the {self.arm} cites nothing"
        self.citation = next_of(cited, self.citation, step)
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

    def why_not_judged(self) -> str:
        if self.active == "chunks" and (self.side == "base" or self.view is None or not self.view.head.working):
            return "only chunks of the working tree are judged: C goes to the other side"
        return super().why_not_judged()

    def as_text(self) -> str:
        return flip_text(self.detail) if self.detail else ""
