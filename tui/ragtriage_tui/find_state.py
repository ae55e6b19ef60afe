"""Where one is in Find: the words, the rows they gave, and the document beside them. No Textual and no engine in here."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from ragtriage_tui.document_state import DocumentState
from ragtriage_tui.document_views import Where
from ragtriage_tui.editor import Editor
from ragtriage_tui.find_views import Found, Library, MatchView
from ragtriage_tui.listing import Window
from ragtriage_tui.text import Extent

__all__ = ["FindMark", "FindRow", "FindState", "Pattern", "library_rows", "pattern_of"]


class Pattern(NamedTuple):
    """What to search for: words as they stand, or a regular expression between two slashes."""

    text: str
    regex: bool


def pattern_of(words: str) -> Pattern:
    """`within 30 days` is literal, `/\\b3\\d days/` a regular expression."""
    words = words.strip()
    if len(words) > 2 and words.startswith("/") and words.endswith("/"):
        return Pattern(words[1:-1], True)
    return Pattern(words, False)


class FindRow(NamedTuple):
    """A row of the list: a document, a heading of it, or a match."""

    kind: Literal["document", "heading", "match"]
    doc_id: str
    at: int
    text: str = ""
    level: int = 0
    match: MatchView | None = None


class FindMark(NamedTuple):
    """A sentence that is marked and not saved yet. `place` is what it was taken from: a match, or a heading."""

    doc_id: str
    place: Extent
    span: Extent
    text: str


def library_rows(library: Library) -> list[FindRow]:
    """Every document with its headings under it. A large corpus has many: made once, in a worker."""
    out = []
    for listed in library.documents:
        out.append(FindRow("document", listed.doc_id, 0, listed.title))
        out += [FindRow("heading", listed.doc_id, one.at, one.text, one.level) for one in listed.headings]
    return out


@dataclass
class FindState:
    """Everything that the drawing of Find depends on. `preview` is the document under the cursor, and may lag behind it.

    `asked` is the question that evidence is marked for (empty: there is none yet), `words` its wording.
    """

    editor: Editor = field(default_factory=Editor)
    library: Library | None = None
    found: Found | None = None
    searching: bool = False
    cursor: int = 0
    window: Window = field(default_factory=Window)
    preview: DocumentState = field(default_factory=DocumentState)
    typing: bool = True
    active: Literal["list", "doc"] = "list"
    zoomed: bool = False
    asked: str = ""
    words: str = ""
    marks: list[FindMark] = field(default_factory=list)
    _documents: list[FindRow] = field(default_factory=list)
    _matches: list[FindRow] = field(default_factory=list)

    @property
    def pattern(self) -> Pattern:
        return pattern_of(self.editor.text)

    def take_library(self, library: Library, rows: list[FindRow]) -> None:
        """All documents, and `library_rows` of them."""
        self.library = library
        self._documents = rows

    @property
    def rows(self) -> list[FindRow]:
        """The matches, or every document with its headings while nothing is searched for."""
        return self._matches if self.pattern.text else self._documents

    def take_found(self, found: Found) -> None:
        """The matches of the words as they are now; those of older words are dropped."""
        if found.pattern == self.editor.text.strip():
            self.found = found
            self._matches = [FindRow("match", one.doc_id, one.span.start, one.heading, match=one) for one in found.matches]
            self.searching = False
            self.cursor = 0
            self.window = Window()

    def words_changed(self) -> bool:
        """The words are others now; whether there is something to search for."""
        self.cursor = 0
        self.window = Window()
        self.searching = bool(self.pattern.text)
        if not self.searching:
            self.found, self._matches = None, []
        return self.searching

    @property
    def current(self) -> FindRow | None:
        rows = self.rows
        return rows[min(self.cursor, len(rows) - 1)] if rows else None

    @property
    def place(self) -> Where | None:
        row = self.current
        return Where(row.doc_id, row.at) if row else None

    def move(self, step: int) -> bool:
        """Move by rows, stopping at the ends; whether it moved."""
        return self.go(self.cursor + step)

    def go(self, index: int) -> bool:
        before = self.cursor
        self.cursor = min(max(index, 0), max(len(self.rows) - 1, 0))
        return self.cursor != before

    def step_document(self, step: int) -> bool:
        """To the first row of the next document, or to the first of this one and then of the one before."""
        rows = self.rows
        firsts = [index for index, row in enumerate(rows) if not index or rows[index - 1].doc_id != row.doc_id]
        if step > 0:
            following = [index for index in firsts if index > self.cursor]
            return self.go(following[0]) if following else False
        behind = [index for index in firsts if index < self.cursor]
        return self.go(behind[-1]) if behind else False

    # evidence

    def to_mark(self) -> tuple[str, Extent] | None:
        """The place that a sentence would be taken from: under the cursor of the list, or of the document."""
        row, view = self.current, self.preview.view
        if row is None:
            return None
        if self.active == "doc" and view is not None and view.doc_id == row.doc_id:
            return row.doc_id, Extent(self.preview.cursor, self.preview.cursor + 1)
        return row.doc_id, _place(row)

    def marked_at(self, doc_id: str, place: Extent) -> FindMark | None:
        """The mark that was taken from a place, or that lies over it."""
        return next(
            (
                mark
                for mark in self.marks
                if mark.doc_id == doc_id
                and (mark.place == place or (mark.span.start < place.end and place.start < mark.span.end))
            ),
            None,
        )

    def marked(self, row: FindRow) -> FindMark | None:
        """The mark of a row."""
        return self.marked_at(row.doc_id, _place(row)) if self.marks else None

    def mark(self, mark: FindMark) -> None:
        """Mark a sentence; once is enough."""
        if all((one.doc_id, one.span) != (mark.doc_id, mark.span) for one in self.marks):
            self.marks.append(mark)


def _place(row: FindRow) -> Extent:
    return row.match.span if row.match else Extent(row.at, row.at + 1)
