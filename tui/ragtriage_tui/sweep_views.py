"""What Sweep and What if show, as the bridge hands it over: frozen, scrubbed, without engine and without Textual."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal, NamedTuple, Protocol

from ragtriage_tui.views import Change, Progress

__all__ = [
    "BUDGETS", "Against", "AskedQuestion", "FailLine", "FlipLine", "LeverDoor", "LeverRow", "LeverView", "Offer", "SweepColumn",
    "SweepDetail", "SweepDoor", "SweepRow", "SweepView",
]  # fmt: skip

BUDGETS = (1000, 2000, 4000)
"""Tokens of context that recall is shown at; a view has one more where rows are chosen by that."""

Form = Literal["name", "share", "budget", "change", "flips", "count", "ms", "s", "MB", "p", "note"]


class SweepColumn(NamedTuple):
    """`rank` says which columns are left out first where there is no room; `higher` whether more is better. The form `budget`
    is a share in a column where some row's pool does not fill the budget."""

    key: str
    head: str
    form: Form
    rank: int
    higher: bool = True


class Against(NamedTuple):
    """A row beside the one that all are compared with, by what rows are chosen by; won and lost are questions at k. `p` is that
    among all rows of the table."""

    change: float | None
    won: int
    lost: int
    p: float


@dataclass(frozen=True, slots=True)
class SweepRow:
    """One configuration that was measured. `values` are those of the columns, by their keys; `budgets` the evidence recall at
    those of the view. `notes` are what must be known before the row is trusted; `barred`: it never wins. `short` are the keys
    of the columns whose budget its pool does not fill."""

    id: str
    name: str
    values: Mapping[str, float | None]
    budgets: tuple[float | None, ...] = ()
    in_use: bool = False
    best: bool = False
    dominated: str = ""
    barred: bool = False
    notes: tuple[str, ...] = ()
    short: frozenset[str] = frozenset()

    @property
    def note(self) -> str:
        """The row in a word."""
        if self.in_use:
            return "in use"
        if self.best:
            return "best"
        return "never wins" if self.barred else "dominated" if self.dominated else ""


@dataclass(frozen=True, slots=True)
class SweepView:
    """A table as it stands. `base` is the id of the row that `against` is about, by ids of rows; `first` that of the
    configuration in use when it was swept. `running` names the one that is measured now; `notice` is what sets the table
    apart from today's files; `again` what ctrl+r would measure, empty: nothing is named. `n` questions have a value.
    `budgets` are the tokens of context at which rows have a recall."""

    project: str
    setup: str
    k: int = 5
    n: int = 0
    rows: tuple[SweepRow, ...] = ()
    columns: tuple[SweepColumn, ...] = ()
    base: str = ""
    against: Mapping[str, Against] = field(default_factory=dict)
    by: str = ""
    running: str = ""
    notice: str = ""
    again: str = ""
    read_only: str = ""
    said: str = ""
    budgets: tuple[int, ...] = BUDGETS


class FlipLine(NamedTuple):
    """A question that one configuration passes and the other fails. Ranks are those of the item that is inside k on one side
    only, else of the one that came last; None: no pool holds it."""

    qid: str
    text: str
    before: int | None
    after: int | None
    won: bool


class FailLine(NamedTuple):
    """A question whose evidence a configuration does not bring inside k."""

    qid: str
    text: str
    rank: int | None
    state: Literal["partly", "missed", "failed"] = "missed"


@dataclass(frozen=True, slots=True)
class SweepDetail:
    """One row beside another: what flips, and how far that is to be trusted. `change` None: nothing was measured on both
    sides; `low` None: no change was seen. `more`: see the engine's `Versus`. `holdout` is what the questions kept aside say of
    the winner, and whether it holds there. The change is that of recall@k, or of the recall inside `budget` tokens, and then
    `at_k` is that of recall@k; questions flip at k, whatever it is. `base_k` is that of the other row, `sent` the tokens of
    context that go into a prompt, of this row and of the other. `resized`: the two have other passages."""

    row_id: str
    base_id: str
    k: int
    change: float | None
    low: float | None
    high: float | None
    p: float
    more: int | None
    rows: int
    flips: tuple[FlipLine, ...] = ()
    failing: tuple[FailLine, ...] = ()
    n: int = 0
    holdout: tuple[str, bool] | None = None
    budget: int | None = None
    at_k: float | None = None
    base_k: int | None = None
    sent: tuple[float, float] | None = None
    resized: bool = True

    @property
    def other_k(self) -> bool:
        """Whether the two send another number of passages."""
        return self.base_k is not None and self.base_k != self.k

    @property
    def at(self) -> str:
        """What stands for k where both are spoken of."""
        return "k" if self.other_k else str(self.k)

    @property
    def won(self) -> int:
        return sum(flip.won for flip in self.flips)

    @property
    def lost(self) -> int:
        return len(self.flips) - self.won


class Offer(NamedTuple):
    """A configuration that may be written into the file, when somebody says yes. `keys` are what is written and what stood
    there; `lines` must be known before."""

    name: str
    file: str
    keys: str
    lines: tuple[str, ...] = ()


class SweepDoor(Protocol):
    """What Sweep asks. All is called from workers; each raises DoorError."""

    def view(self, progress: Progress) -> SweepView:
        """The sweep that runs, else the newest one."""

    def sweep(self, progress: Progress, told: Callable[[SweepView], None]) -> SweepView:
        """Measure what `[sweep]` or the newest sweep combines; `told` is called as rows come, twice a second at most."""

    def against(self, base_id: str) -> Mapping[str, Against]:
        """All rows beside another one."""

    def row(self, row_id: str, base_id: str) -> SweepDetail | None:
        """One row beside another, None where one of them is gone."""

    def offer(self, row_id: str) -> Offer:
        """Work out what makes a row the one in use."""

    def adopt(self) -> Change:
        """Write what was offered last, where the file is still what it was then."""


class AskedQuestion(NamedTuple):
    """The question that levers are tried for. `ranks` are today's; `lost`: its evidence is not inside k."""

    qid: str
    text: str
    ranks: str
    lost: bool


@dataclass(frozen=True, slots=True)
class LeverRow:
    """One lever. `rank` is where the question's evidence comes, empty where that is not known. `texts` have to be embedded
    before it can be tried; `reason` is why it cannot be tried at all."""

    id: str
    rank: str = ""
    cost: str = ""
    mends: int | None = None
    breaks: int | None = None
    finds: bool = False
    best: bool = False
    texts: int = 0
    reason: str = ""


@dataclass(frozen=True, slots=True)
class LeverView:
    """The levers that were tried so far, in their order. `asked` None: for everything that is lost, `lost` questions.
    `todo`: how many are still to come. `advice` are sentences."""

    project: str
    setup: str
    k: int = 5
    asked: AskedQuestion | None = None
    rows: tuple[LeverRow, ...] = ()
    lost: int = 0
    n: int = 0
    todo: int = 0
    advice: tuple[str, ...] = ()
    read_only: str = ""


class LeverDoor(Protocol):
    """What What if asks. All is called from workers; each raises DoorError."""

    def levers(
        self, qid: str, progress: Progress, told: Callable[[LeverView], None], embed: frozenset[str] = frozenset()
    ) -> LeverView:
        """Try every lever for a question, empty: for all that is lost. `embed` names those that texts are embedded for;
        `told` is called as they are tried, twice a second at most."""

    def offer(self, lever: str) -> Offer:
        """Work out what makes a lever part of the configuration."""

    def adopt(self) -> Change:
        """Write what was offered last, where the file is still what it was then."""
