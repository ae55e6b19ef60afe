"""What Inbox shows, as the bridge hands it over: frozen, scrubbed, without engine and without Textual."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple, Protocol, TypeAlias

from ragtriage_tui.add_views import Candidate, Draft, Results, Twin
from ragtriage_tui.text import Extent
from ragtriage_tui.views import Progress

__all__ = [
    "DiffPart",
    "DraftOf",
    "InboxChange",
    "InboxDoor",
    "InboxRow",
    "InboxView",
    "LabelDetail",
    "LabelRow",
    "Mended",
    "NewPlaceView",
    "PassageView",
    "ReportDetail",
    "ReportRow",
    "ReportState",
    "SafeRow",
]

ReportState = Literal["open", "done", "dismissed", "duplicate"]


class ReportRow(NamedTuple):
    """A report in the list. `source` is where it comes from (`ticket 8812`), `qid` what it became or repeats; `synthetic`: a
    model wrote it."""

    id: str
    source: str
    text: str
    state: ReportState = "open"
    qid: str = ""
    synthetic: bool = False


class LabelRow(NamedTuple):
    """A label that a person has to look at. `id` names the place in it, `state` is the word for what happened to it."""

    id: str
    qid: str
    text: str
    state: str


class Mended(NamedTuple):
    """A label that may be mended unread: its old text, and where the same text stands now."""

    qid: str
    old: str
    place: str
    why: str


class SafeRow(NamedTuple):
    """All labels whose text merely moved, or changed in white space, signs or case: one row, mended at one key."""

    labels: tuple[Mended, ...]

    @property
    def id(self) -> str:
        return "safe"


InboxRow: TypeAlias = "ReportRow | LabelRow | SafeRow"


@dataclass(frozen=True, slots=True)
class InboxView:
    """The list. `labels` and `safe` are those of the last look at all labels, which comes after the reports: `looked` tells
    whether it has come. `problem` is what is wrong with the files, `read_only` why nothing can be written."""

    project: str
    reports: tuple[ReportRow, ...] = ()
    labels: tuple[LabelRow, ...] = ()
    safe: tuple[Mended, ...] = ()
    looked: bool = False
    problem: str = ""
    read_only: str = ""


class PassageView(NamedTuple):
    """What the production system had at a rank. `where` is its document of today, or as it was named; `note` says where it is
    not word for word there. `holds`: the evidence of the question is in it."""

    rank: int
    where: str
    text: str
    note: str = ""
    holds: bool = False


@dataclass(frozen=True, slots=True)
class ReportDetail:
    """All about one report. `masked` are the places in `text` where something was put out of sight. `origin` says what the
    question is in it. `retrieval` answers *was it retrieval at the time?*, once the question has evidence. `results` is None
    where there is nothing to search in; `problem` then says why."""

    id: str
    source: str
    at: str
    text: str
    question: str
    origin: str
    state: ReportState = "open"
    qid: str = ""
    masked: tuple[Extent, ...] = ()
    synthetic: bool = False
    answer: str = ""
    feedback: str = ""
    expected: str = ""
    passages: tuple[PassageView, ...] = ()
    retrieval: str = ""
    twins: tuple[Twin, ...] = ()
    results: Results | None = None
    problem: str = ""

    @property
    def candidates(self) -> tuple[Candidate, ...]:
        return self.results.candidates if self.results else ()


class DiffPart(NamedTuple):
    """A run of text that both have, or only the old or the new one."""

    kind: Literal["kept", "removed", "added"]
    text: str


class NewPlaceView(NamedTuple):
    """A place that a label may be given. `score` is how like the old text it is (0-100); `diff` leads from that to it."""

    doc_id: str
    span: Extent
    heading: str
    before: str
    text: str
    after: str
    score: float
    same_numbers: bool = True
    diff: tuple[DiffPart, ...] = ()


@dataclass(frozen=True, slots=True)
class LabelDetail:
    """A label to re-anchor: whose it is, what it said, why it no longer fits, and where it may belong."""

    id: str
    qid: str
    question: str
    state: str
    why: str
    old: str
    place: str
    places: tuple[NewPlaceView, ...] = ()


class InboxChange(NamedTuple):
    """What a key did, and what is looked at next: `id` the row, `qid` the question. Both empty: nothing was done. `warn`: it
    was done, and something is wrong with it now."""

    message: str
    id: str = ""
    qid: str = ""
    warn: bool = False


class DraftOf(NamedTuple):
    """A report as a draft, or why it cannot be one. `reword`: its wording has to be edited first."""

    draft: Draft | None
    why: str = ""
    reword: bool = False


class InboxDoor(Protocol):
    """What Inbox asks of the engine. Every call may take long and runs in a worker; what it writes is on disk when it is
    back."""

    def view(self) -> InboxView:
        """The reports, and the labels as far as they were looked at."""
        ...

    def labels(self, progress: Progress) -> InboxView:
        """Look at every label of the set; the same as `view` where nothing has changed since."""
        ...

    def changed(self) -> bool:
        """Whether somebody else has written to the inbox."""
        ...

    def report(self, report_id: str, progress: Progress, *, wait: bool) -> ReportDetail | None:
        """All about a report; None when it is gone. Without `wait` no model runs."""
        ...

    def label(self, label_id: str) -> LabelDetail | None:
        """All about a label; None when it fits again."""
        ...

    def draft(self, report_id: str) -> DraftOf:
        """The question that a report may become."""
        ...

    def dismiss(self, report_id: str) -> InboxChange:
        """A report is nothing for the set."""
        ...

    def duplicate(self, report_id: str, qid: str) -> InboxChange:
        """A report asks what a question of the set asks. Raises DoorError where there is no such question."""
        ...

    def accept(self, label_id: str, place: int) -> InboxChange:
        """Give a label its new place number `place`, from 0. Raises DoorError where the question was changed meanwhile."""
        ...

    def mend(self) -> InboxChange:
        """Give all safe labels their new place, as one change."""
        ...

    def obsolete(self, label_id: str, reason: str) -> InboxChange:
        """The question of a label is asked no more."""
        ...

    def undo(self) -> InboxChange: ...

    def redo(self) -> InboxChange: ...
