"""What Find shows, as the bridge hands it over: frozen, scrubbed, without engine and without Textual."""

from __future__ import annotations

from typing import NamedTuple, Protocol

from ragtriage_tui.text import Extent
from ragtriage_tui.views import Progress

__all__ = ["FindDoor", "Found", "HeadingView", "Library", "ListedDocument", "MatchView", "Sentence"]


class HeadingView(NamedTuple):
    """A heading of a document, and the offset at which it stands. `level` counts from 1."""

    text: str
    level: int
    at: int


class ListedDocument(NamedTuple):
    """A document of the corpus as the list shows it."""

    doc_id: str
    title: str
    headings: tuple[HeadingView, ...] = ()


class Library(NamedTuple):
    """Every document there is."""

    project: str
    documents: tuple[ListedDocument, ...]


class MatchView(NamedTuple):
    """One place: `line` counts from 1, `context` is the line it begins in, and `inside` the place in that."""

    doc_id: str
    span: Extent
    line: int
    heading: str = ""
    context: str = ""
    inside: Extent = Extent(0, 0)


class Found(NamedTuple):
    """The answer to one search. `capped`: there may be more. `problem` says why there is none at all."""

    pattern: str
    matches: tuple[MatchView, ...] = ()
    capped: bool = False
    problem: str = ""


class Sentence(NamedTuple):
    """A place grown to whole sentences, as it would be saved."""

    span: Extent
    text: str


class FindDoor(Protocol):
    """What Find asks of the engine. Every call may take long and runs in a worker."""

    def library(self, progress: Progress) -> Library:
        """All documents with their headings. Raises DoorError."""
        ...

    def find(self, pattern: str, *, regex: bool) -> Found:
        """Search the whole text of every document, whatever index, ranking, access and chunking say."""
        ...

    def sentence(self, doc_id: str, span: Extent) -> Sentence:
        """The whole sentences around a place, of a heading the first one under it. Raises DoorError where there is none."""
        ...
