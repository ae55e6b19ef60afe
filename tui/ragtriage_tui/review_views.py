"""What Review shows, as the bridge hands it over: frozen, scrubbed, without engine and without Textual."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple, Protocol

from ragtriage_tui.answer_views import AnswerView
from ragtriage_tui.text import Extent
from ragtriage_tui.views import CategoryView, Change, NeedView, Progress

__all__ = [
    "Asked",
    "ChangeKind",
    "Decided",
    "Difference",
    "FigureChange",
    "FlipRow",
    "FlipView",
    "Half",
    "PlacedChunk",
    "ReviewDoor",
    "ReviewView",
    "RungView",
    "Side",
    "SideName",
    "SideView",
    "TextPart",
    "Texts",
]

ChangeKind = Literal["broken", "errored", "fixed", "worse", "better"]
Half = Literal["retrieval", "answer"]
Side = Literal["base", "head"]
Decided = Literal["open", "labelled", "intended", "relabelled", "expired", "old"]
"""`relabelled`: its label was changed since it was measured, so that the next review has it apart. `expired`: it was intended
until a day that has passed. `old`: what was decided on looks otherwise now."""

_REVIEWED = ("labelled", "intended", "relabelled")


class Asked(NamedTuple):
    """Which revisions are reviewed, as the user names them; None: the merge base with the default branch, the working tree."""

    base: str | None = None
    head: str | None = None


class SideName(NamedTuple):
    """A side as it is titled: `main`, `4f2c1e9`, `size=128`. `working`: the files as they are, on top of that commit."""

    name: str
    commit: str = ""
    setup: str = ""
    working: bool = False


class FigureChange(NamedTuple):
    """A number of the header on both sides; None where it could not be measured."""

    name: str
    base: float | None
    head: float | None
    n: int


class Difference(NamedTuple):
    """One thing that differs between the sides: `chunking.size`, `160 → 96`, and what else there is to say of it, by line."""

    name: str
    text: str
    more: tuple[str, ...] = ()
    wrong: bool = False


@dataclass(frozen=True, slots=True)
class FlipRow:
    """One line of the flips. `label` and `suggested` are digits of causes, 0 for none; `until` is the last day of an intended
    one, in words."""

    qid: str
    text: str
    change: ChangeKind
    half: Half = "retrieval"
    decided: Decided = "open"
    suggested: int = 0
    label: int = 0
    until: str = ""
    kind: str = ""
    tags: tuple[str, ...] = ()

    @property
    def moved(self) -> bool:
        """It passes or fails as before, and needs nobody's word."""
        return self.change in ("worse", "better")

    @property
    def reviewed(self) -> bool:
        return self.decided in _REVIEWED


@dataclass(frozen=True, slots=True)
class ReviewView:
    """A review as list, verdicts and header show it. `flips` are in the order they are shown. `differs` is all that differs,
    `short` the same in a few words, the longest form first. `warning` says why a side's figures cannot be relied on."""

    base: SideName
    head: SideName
    k_base: int
    k_head: int
    flips: tuple[FlipRow, ...]
    categories: tuple[CategoryView, ...]
    figures: tuple[FigureChange, ...] = ()
    differs: tuple[Difference, ...] = ()
    short: tuple[str, ...] = ()
    common: int = 0
    warning: str = ""
    read_only: str = ""

    @property
    def to_review(self) -> tuple[FlipRow, ...]:
        return tuple(row for row in self.flips if not row.moved)

    @property
    def reviewed(self) -> int:
        return sum(row.reviewed for row in self.to_review)


class RungView(NamedTuple):
    """One step of the ladder with its ranks on both sides (`bm25 2 → 31`). `made`: this one made the difference. `worse`: a
    lower rank that broke nothing."""

    text: str
    state: Literal["ok", "broken", "worse", "plain"]
    ranked: bool = False
    made: bool = False


@dataclass(frozen=True, slots=True)
class PlacedChunk:
    """One ranked chunk of a side. `other` is the rank of the passage that holds its text on the other side, None where that
    side did not retrieve it. `at` is where today's document has it, None where it does not."""

    rank: int
    chunk_id: str
    doc_id: str
    text: str
    holds: Literal["whole", "part", "none"] = "none"
    evidence: tuple[Extent, ...] = ()
    other: int | None = None
    other_id: str = ""
    at: int | None = None
    judged: Literal["+", "-", ""] = ""


@dataclass(frozen=True, slots=True)
class SideView:
    """What a side did for one question. `no_chunks` and `no_answer` say why they are missing; `failed`: an answer was asked
    for and did not come."""

    chunks: tuple[PlacedChunk, ...] = ()
    no_chunks: str = ""
    answer: AnswerView | None = None
    no_answer: str = ""
    failed: bool = False


@dataclass(frozen=True, slots=True)
class FlipView:
    """All that the right half shows of one flip. `proof` is the rest of the verdict line, the longest form first; `said` what
    was decided, in words; `note` the reason or the note that goes with it."""

    qid: str
    text: str
    change: ChangeKind
    half: Half
    base: SideView
    head: SideView
    k_base: int
    k_head: int
    kind: str = ""
    split: str = "dev"
    proof: tuple[str, ...] = ()
    needs: tuple[NeedView, ...] = ()
    rungs: tuple[RungView, ...] = ()
    because: str = ""
    note: str = ""
    said: str = ""
    reason: str = ""
    base_rank: int | None = None
    head_rank: int | None = None

    def rank(self, side: Side) -> int | None:
        """At which rank a side has all of the evidence that decides."""
        return self.base_rank if side == "base" else self.head_rank

    def side(self, side: Side) -> SideView:
        return self.base if side == "base" else self.head


class TextPart(NamedTuple):
    """A chunk's text: `#2`, its size in words, where evidence lies and where the other side has its borders (`was #3`).

    `main`: it is one that was asked for, the others stand beside it."""

    label: str
    facts: str
    text: str
    evidence: tuple[Extent, ...] = ()
    borders: tuple[tuple[int, str], ...] = ()
    holds: Literal["whole", "part", "none"] = "none"
    main: bool = True


class Texts(NamedTuple):
    """The texts of a passage on both sides. `edited`: they differ in words, not only in their borders. `base_why` and
    `head_why` say why a side has none."""

    side: Side
    chunk_id: str
    base: tuple[TextPart, ...]
    head: tuple[TextPart, ...]
    edited: bool = False
    base_why: str = ""
    head_why: str = ""


class ReviewDoor(Protocol):
    """What Review asks of the engine. Every call may take long and runs in a worker; none shows anything."""

    def kept(self, asked: Asked) -> ReviewView | None:
        """The review that was measured before in this session, with the verdicts that stand now; None: measure."""
        ...

    def check(self, asked: Asked) -> None:
        """Raise DoorError where there is no git, or no such revision: before anything is measured."""
        ...

    def review(self, asked: Asked, progress: Progress) -> ReviewView:
        """Measure both sides and compare them."""
        ...

    def overview(self) -> ReviewView:
        """The list as it is now: after a verdict, after a label was fixed."""
        ...

    def flip(self, qid: str) -> FlipView | None:
        """The right half for one flip."""
        ...

    def texts(self, qid: str, side: Side, chunk_id: str) -> Texts:
        """What stands in a chunk, and what the other side has of it."""
        ...

    def label(self, qid: str, key: int, note: str | None = None) -> Change:
        """Say why the question fails (0 takes back what was decided); on disk when this returns."""
        ...

    def intended(self, qid: str, reason: str) -> Change:
        """Accept the flip for 90 days; on disk when this returns."""
        ...

    def undo(self) -> Change: ...

    def redo(self) -> Change: ...
