"""What Add shows and keeps, as it passes between the screen and the bridge: frozen, scrubbed, without engine and Textual."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, Protocol

from ragtriage_tui.text import Extent
from ragtriage_tui.views import ChunkView, Progress, RowState

__all__ = [
    "AddDoor", "AddStart", "Candidate", "Clash", "Draft", "Marked", "Measured", "Record", "Results", "SavedView", "Twin",
    "Unsaved",
]  # fmt: skip


class Marked(NamedTuple):
    """One item of evidence of the draft. `span` is where it lies in its document, None where that is not known.

    `kept` is the place of the item among those the saved question has, -1 for a new one: it is written back as it stands.
    `gone`: what the saved question has there leads nowhere today.
    """

    doc_id: str
    span: Extent | None
    quote: str
    kept: int = -1
    gone: bool = False


@dataclass(frozen=True, slots=True)
class Draft:
    """A question that is being written. `first` is its wording when Enter first fixed it, empty before; `qid` the saved
    question that is edited, empty for a new one; `ref` where it comes from, for the title (`ticket 8812`). `base` is the line
    of the saved question as it was when it was opened: what somebody else changed since is not overwritten. `report` is the
    report it is made of, and `given` what that says of it, as a line of the golden file."""

    text: str = ""
    first: str = ""
    marks: tuple[Marked, ...] = ()
    mentions: tuple[str, ...] = ()
    kind: str = "paraphrase"
    split: str = "dev"
    answerable: bool = True
    qid: str = ""
    ref: str = ""
    base: str = ""
    report: str = ""
    given: str = ""

    @property
    def key(self) -> str:
        """What its kept draft is named by: the saved question, the report, or nothing."""
        return self.qid or self.report

    @property
    def fixed(self) -> bool:
        return bool(self.first)


class AddStart(NamedTuple):
    """What opening the screen found. `setup` are forms of the configuration, the longest first; `question` the saved question
    as a draft; `gone`: there is no such question. `read_only` says why nothing can be written."""

    project: str
    golden: str
    setup: tuple[str, ...] = ()
    question: Draft | None = None
    gone: bool = False
    read_only: str = ""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A retrieved chunk that may hold the evidence. `span` is its place in the document, `best` the sentence of it that
    matches the question best (as it would be saved), `before` and `after` the chunks around it."""

    chunk: ChunkView
    label: str
    span: Extent
    tokens: int
    best: Marked
    before: tuple[str, str] = ("", "")
    after: tuple[str, str] = ("", "")


class Results(NamedTuple):
    """What the retriever gave. `complete`: every stage that will run has run."""

    text: str
    stages: tuple[str, ...]
    candidates: tuple[Candidate, ...]
    complete: bool = True
    problem: str = ""


class Twin(NamedTuple):
    """A question of the set that is like this one; `score` from 0 to 1. `nearly`: one of the two may be superfluous."""

    qid: str
    text: str
    score: float
    nearly: bool = False


class Record(NamedTuple):
    """What follows from a draft: its id, mentions that its evidence suggests, how many of its content words (`shared` of
    `words`; those of one stem are one) stand in the quotes that are its evidence, and the questions like it. `then` says
    whether it was retrieval when the report came, where the draft is of one. `unsaid` are the draft's mentions that its
    evidence does not say: no answer passes that keeps to it."""

    qid: str
    mentions: tuple[str, ...] = ()
    shared: int = 0
    words: int = 0
    twins: tuple[Twin, ...] = ()
    then: str = ""
    unsaid: tuple[str, ...] = ()


class SavedView(NamedTuple):
    """A question that is on disk, on which line of the file. `merged`: somebody else had changed it too, and that stayed.
    `depth` is how many edits of the session could be undone before this one. `beside` says what was done with it, `unsaid`
    what it must mention and its evidence does not say."""

    qid: str
    line: int
    merged: bool = False
    depth: int = 0
    beside: str = ""
    unsaid: str = ""


class Clash(NamedTuple):
    """Nothing was saved: somebody else changed the same thing meanwhile, `text` says to what. `draft` is what saving over it
    would write."""

    qid: str
    text: str
    draft: Draft


class Unsaved(NamedTuple):
    """The newest edit of the session is undone. `whole`: the save is taken back, and not only something done after it."""

    message: str
    whole: bool


class Measured(NamedTuple):
    """How a saved question does today: `cause` is a category's short name, `proof` the ranks of its evidence."""

    qid: str
    state: RowState
    cause: str = ""
    proof: str = ""


class AddDoor(Protocol):
    """What Add asks of the engine. Every call but those of the draft may take long and runs in a worker."""

    def start(self, qid: str) -> AddStart:
        """The project, and the question to be edited (empty: a new one)."""
        ...

    def search(self, text: str, progress: Progress, *, wait: bool, few: bool = False) -> Results:
        """Candidates for evidence. Without `wait` the model is not used for what it has not seen: BM25 at once. `few`: where
        more stages follow, no more than a screen shows."""
        ...

    def record(self, draft: Draft) -> Record:
        """What follows from the draft as it is. Raises DoorError."""
        ...

    def save(self, draft: Draft) -> SavedView | Clash:
        """Write the question; on disk when this returns, unless somebody else changed the same thing. Raises DoorError."""
        ...

    def measure(self, qid: str) -> Measured:
        """Measure one saved question."""
        ...

    def guard(self, qid: str) -> None:
        """Write that a question which passes is kept as a guard. Raises DoorError."""
        ...

    def unsave(self, saved: SavedView) -> Unsaved:
        """Take back the last thing done to a question from its save on. Raises DoorError."""
        ...
