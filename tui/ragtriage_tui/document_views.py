"""What Document shows, as the bridge hands it over: frozen, scrubbed, without engine and without Textual.

Spans are code points into the document's text, which scrubbing leaves where they were.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, NamedTuple, Protocol

from ragtriage_tui.text import Extent
from ragtriage_tui.views import Change, RowState

__all__ = ["AskedView", "DocumentDoor", "DocumentView", "Holds", "ItemView", "PartView", "Passage", "Where"]

Holds = Literal["whole", "part", "none"]


class PartView(NamedTuple):
    """One chunk of the document. `label` is `#4`, or the chunk's own id where it came ready-made. `ranks` are (stage, rank) of
    the question that was asked; `rank` None: not in its pool. `needed_by` are questions whose evidence lies in it,
    `judged` what a person said of it for this question."""

    chunk_id: str
    label: str
    span: Extent
    tokens: int
    heading: str = ""
    rank: int | None = None
    ranks: tuple[tuple[str, int | None], ...] = ()
    holds: Holds = "none"
    needed_by: tuple[str, ...] = ()
    judged: Literal["+", "-", ""] = ""


@dataclass(frozen=True, slots=True)
class ItemView:
    """One evidence item of the question: what it says, where it came (`in #3, rank 2`), and the rung that lost it."""

    quote: str
    doc_id: str
    holds: Holds = "none"
    places: tuple[Extent, ...] = ()
    where: str = ""
    broken: str = ""
    note: str = ""


@dataclass(frozen=True, slots=True)
class AskedView:
    """The question that the document is read for. `cause` is the short name of its category."""

    qid: str
    text: str
    kind: str = ""
    split: str = "dev"
    state: RowState = "waiting"
    cause: str = ""
    proof: str = ""
    items: tuple[ItemView, ...] = ()
    answerable: bool = True


@dataclass(frozen=True, slots=True)
class DocumentView:
    """A document with the borders of its chunks.

    `sentences` are the units a quote is made of, headings left out; `grow` is the engine's own rule for what would be saved
    of a span. `ranked`: the ranks of the parts are known. `path` is the file that $EDITOR may open, empty where there is
    none, and `path_line` the line of it at which the text begins. `read_only` says why nothing can be written, `uncut` why
    there are no chunks.
    """

    doc_id: str
    title: str
    source: str
    text: str
    grow: Callable[[Extent], Extent]
    sentences: tuple[Extent, ...] = ()
    parts: tuple[PartView, ...] = ()
    evidence: tuple[Extent, ...] = ()
    asked: AskedView | None = None
    ranked: bool = False
    seen_by: str = ""
    window: int = 0
    project: str = ""
    setup: tuple[str, ...] = ()
    path: str = ""
    path_line: int = 1
    read_only: str = ""
    uncut: str = ""


class Where(NamedTuple):
    """A place to go to: a document, and an offset in it."""

    doc_id: str
    at: int


class Passage(NamedTuple):
    """A place to quote: a document, and a part of it."""

    doc_id: str
    span: Extent


class DocumentDoor(Protocol):
    """What Document asks of the engine. Every call may take long and runs in a worker."""

    def document(self, doc_id: str, qid: str = "") -> DocumentView:
        """A document with its chunks, read for a question (empty: for none). Raises DoorError."""
        ...

    def add_evidence(self, qid: str, *passages: Passage) -> Change:
        """Make passages evidence of a saved question, as one change; on disk when this returns. Measures the question again."""
        ...
