"""What the screens show, as the bridge hands it over: frozen, scrubbed, without engine and without Textual.

All text in here has been through `text.scrub` already.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal, NamedTuple, Protocol

from ragtriage_tui.answer_views import AnswerView, Arm, Asked, Consent
from ragtriage_tui.text import Extent

__all__ = [
    "Advice",
    "CategoryView",
    "Change",
    "ChunkView",
    "Figure",
    "NeedView",
    "News",
    "Opened",
    "Overview",
    "Progress",
    "QuestionRow",
    "QuestionView",
    "RungView",
    "TriageDoor",
]

Progress = Callable[[str, int, int], None]
"""Called from a worker as progress(stage, done, total). Raises to stop the job."""

RowState = Literal["fails", "passes", "unasked", "nothing", "unmeasured", "waiting"]


class CategoryView(NamedTuple):
    """One of the seven causes; `key` is its digit."""

    key: int
    slug: str
    full: str
    short: str


class Figure(NamedTuple):
    """A number of the header. `value` None: nothing to measure. `n` is what it was measured on; `word` is what must be known
    of it (`stand-in`, `uncalibrated`)."""

    name: str
    value: float | None
    n: int
    word: str = ""


class Advice(NamedTuple):
    """A sentence that follows from the figures, and the questions it speaks of."""

    text: str
    qids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class QuestionRow:
    """One line of the question list. `suggested` and `label` are digits of causes, 0 for none; `old`: the verdict no
    longer fits what was seen. `look` is the question's place, from 1, among those with unjudged passages above evidence, the
    lost ones first; 0: it has none."""

    qid: str
    text: str
    state: RowState
    suggested: int = 0
    label: int = 0
    old: bool = False
    kind: str = ""
    split: str = "dev"
    tags: tuple[str, ...] = ()
    look: int = 0


@dataclass(frozen=True, slots=True)
class Overview:
    """All that the list, the causes and the header need. `questions` are in file order.

    `setup` is the configuration of the run in a few characters (`hybrid k=5`), `notice` what sets it apart from today's files,
    `warning` what is wrong with the files, `advice` the sentences that follow from the figures. `read_only` says why nothing
    can be written; empty: it can. `reports` is how many reports wait in the inbox.
    """

    project: str
    setup: str
    k: int
    questions: tuple[QuestionRow, ...]
    categories: tuple[CategoryView, ...]
    figures: tuple[Figure, ...] = ()
    tax: Figure | None = None
    run_id: str = ""
    notice: str = ""
    warning: str = ""
    advice: tuple[Advice, ...] = ()
    read_only: str = ""
    reports: int = 0


class RungView(NamedTuple):
    """One rung of the ladder as it is printed (`corpus`, `bm25 31`)."""

    text: str
    state: Literal["ok", "broken", "skipped"]
    ranked: bool = False


@dataclass(frozen=True, slots=True)
class NeedView:
    """One evidence item: where it lies, what it says, and how far it came. `rank` None: not found in the pool."""

    doc_id: str
    heading: str
    quote: str
    rank: int | None = None
    inside: bool = False
    rungs: tuple[RungView, ...] = ()
    lever: str = ""
    span: Extent | None = None


@dataclass(frozen=True, slots=True)
class ChunkView:
    """One ranked chunk. `holds`: the whole evidence, part of it, none. `ranks` go with `QuestionView.stages`. `judged` is `?`
    where nobody did and it stands above the evidence, or in its place: it may be right.

    `rank` None: not in the pool, and shown because it holds evidence.
    """

    rank: int | None
    chunk_id: str
    doc_id: str
    text: str
    holds: Literal["whole", "part", "none"] = "none"
    evidence: tuple[Extent, ...] = ()
    judged: Literal["+", "-", "?", ""] = ""
    ranks: tuple[int | None, ...] = ()


@dataclass(frozen=True, slots=True)
class QuestionView:
    """All that the right half of Triage shows about one question.

    `proof` is the rest of the verdict line (`evidence at 7, k = 5`); `reason` why it could not be measured. `no_oracle`,
    `no_live` and `no_chunks` say why an answer or the chunks are missing; `failed` why those failed that were asked for.
    `padded` and `forced` are there where the tax was split. `answers_by` says what answered where that is not a model.
    `gap` is the share of the question's words that its evidence says too. Of the first k passages nobody judged `unjudged`
    (None: not known); `above` of these stand above evidence, or in its place.
    """

    qid: str
    text: str
    k: int
    state: RowState
    kind: str = ""
    split: str = "dev"
    proof: str = ""
    reason: str = ""
    needs: tuple[NeedView, ...] = ()
    stages: tuple[str, ...] = ()
    pool: int = 0
    chunks: tuple[ChunkView, ...] = ()
    oracle: AnswerView | None = None
    live: AnswerView | None = None
    padded: AnswerView | None = None
    forced: AnswerView | None = None
    failed: Mapping[Arm, str] = field(default_factory=dict)
    no_oracle: str = ""
    no_live: str = ""
    no_chunks: str = ""
    answers_by: str = ""
    note: str = ""
    gap: float | None = None
    unjudged: int | None = None
    above: int = 0

    def answer(self, arm: Arm) -> AnswerView | None:
        """The answer of an arm."""
        return {"oracle": self.oracle, "live": self.live, "padded": self.padded, "forced": self.forced}[arm]

    def missing(self, arm: Arm) -> str:
        """Why an arm has no answer."""
        return self.failed.get(arm) or {"oracle": self.no_oracle, "live": self.no_live}.get(arm, "")


class Opened(NamedTuple):
    """What opening found. `measure`: there is no run of today's documents and configuration, so one is made at once;
    `missing` is how many texts must be embedded for it."""

    overview: Overview
    measure: bool
    missing: int = 0


class News(NamedTuple):
    """What somebody else changed on disk, as a sentence; empty: nothing. `wrong`: not all of it could be read."""

    text: str = ""
    wrong: bool = False


class Change(NamedTuple):
    """What a label, an undo or a redo did: the question, and a sentence for the footer. `qid` empty: nothing to do. `warn`: it
    was done, and something is wrong with it now."""

    qid: str
    message: str
    warn: bool = False


class TriageDoor(Protocol):
    """What Triage asks of the engine. Every call may take long and runs in a worker; none shows anything."""

    def open(self, progress: Progress) -> Opened:
        """Read project, golden set, verdicts and the newest run."""
        ...

    def overview(self) -> Overview:
        """The list as it is now: after a label, after files changed."""
        ...

    def question(self, qid: str) -> QuestionView | None:
        """The right half for one question of the shown run; None when it is gone."""
        ...

    def label(self, qid: str, key: int, note: str | None = None) -> Change:
        """Record a verdict (0 clears); on disk when this returns. `note` None: the note there is stays."""
        ...

    def undo(self) -> Change: ...

    def redo(self) -> Change: ...

    def measure(self, progress: Progress, *, bm25_only: bool = False, agreed: frozenset[str] = frozenset()) -> Overview:
        """Make a run of today's files and show that one. What must be agreed to first and is not in `agreed` (tokens of
        Consent) is raised as NeedsWord, and nothing is run or sent."""
        ...

    def ask(self, qid: str, progress: Progress, agreed: frozenset[str] = frozenset()) -> Asked | Consent:
        """Have one question answered now, oracle and live, and put the answers into the shown run. What must be agreed to and
        is not in `agreed` (tokens of Consent) is returned instead, and nothing is sent."""
        ...

    def changed(self) -> News:
        """Stat the golden set, verdicts and configuration; read in what changed and say so."""
        ...

    def raw(self, qid: str) -> str:
        """A question as it stands in the golden set, as JSON for $EDITOR."""
        ...

    def replace(self, qid: str, text: str) -> Change:
        """Put an edited question in place of its line; that line alone changes."""
        ...

    def close(self) -> None:
        """End what runs beside the app."""
        ...
