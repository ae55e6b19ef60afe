"""A document as rows with one cursor line, and the quote that grows in it: pure view state, without Textual and engine."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from ragtriage_tui.document_views import DocumentView, PartView
from ragtriage_tui.listing import Window
from ragtriage_tui.text import Extent, wrap

__all__ = ["DocRow", "DocumentState", "Layout", "Quote", "lay_out", "layout"]

_AT_ONCE = 20_000  # characters; a longer text is wrapped beside the screen, so that no key waits for it


class DocRow(NamedTuple):
    """A row of the document: the border before a chunk, or a row of text. `part` is an index into the view's parts (-1: before
    the first). `shared`: the chunk before holds this row too."""

    kind: Literal["border", "text"]
    part: int
    span: Extent
    shared: bool = False


def layout(view: DocumentView, cells: int) -> list[DocRow]:
    """The document wrapped to `cells`, a border where each chunk begins; blank lines at the ends of a chunk are left out."""
    out: list[DocRow] = []
    starts = [part.span.start for part in view.parts]
    stops = [*starts, len(view.text)]
    if stops[0] > 0:
        out += _rows(view, -1, 0, stops[0], cells)
    reach = 0
    for index, part in enumerate(view.parts):
        out.append(DocRow("border", index, Extent(part.span.start, part.span.start)))
        rows = _rows(view, index, part.span.start, max(stops[index + 1], part.span.start), cells)
        out += [row._replace(shared=row.span.start < reach) for row in rows]
        reach = max(reach, part.span.end)
    return out


def _rows(view: DocumentView, part: int, start: int, end: int, cells: int) -> list[DocRow]:
    text, first = view.text, start
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    if start >= end:
        return []
    line = text.rfind("\n", 0, start) + 1
    if line >= first:
        start = line  # the first row keeps its indent
    return [DocRow("text", part, Extent(start + low, start + high)) for low, high in wrap(text[start:end], cells)]


class Layout(NamedTuple):
    """The rows of a document at a width, and the indices of those that are text."""

    view: DocumentView
    cells: int
    rows: list[DocRow]
    texts: list[int]


def lay_out(view: DocumentView, cells: int) -> Layout:
    """`layout`, as the state keeps it. Takes up to a second for a book."""
    rows = layout(view, cells)
    return Layout(view, cells, rows, [index for index, row in enumerate(rows) if row.kind == "text"])


class Quote(NamedTuple):
    """Sentences from `anchor` to `head` (either may come first), and the span that would be saved."""

    anchor: int
    head: int
    span: Extent


@dataclass
class DocumentState:
    """Where one is in a document. The cursor is an offset, so that it stays in its place when the width changes."""

    view: DocumentView | None = None
    cursor: int = 0
    quote: Quote | None = None
    window: Window = field(default_factory=Window)
    settle: bool = True
    active: Literal["doc", "side"] = "doc"
    zoomed: bool = False
    _layout: Layout | None = None
    _laying: tuple[DocumentView, int] | None = None
    _lines: tuple[DocumentView, list[int]] | None = None

    def take(self, view: DocumentView, *, chunk_id: str = "", at: int | None = None) -> None:
        """Show a document, at a chunk or an offset. The same document again keeps cursor and quote."""
        same = self.view is not None and self.view.doc_id == view.doc_id
        kept = same and self.view is not None and self.view.text == view.text
        if self._layout is not None:
            same_rows = kept and [one.span for one in view.parts] == [one.span for one in self._layout.view.parts]
            self._layout = self._layout._replace(view=view) if same_rows else None
        self.view = view
        if not kept:
            self.quote = None
        if at is None and chunk_id:
            at = next((part.span.start for part in view.parts if part.chunk_id == chunk_id), None)
        if at is not None or not same:
            self.cursor = min(max(at or 0, 0), len(view.text))
            self.settle = True

    # rows

    def rows(self, cells: int) -> list[DocRow]:
        """All rows at a width; made once. Of a long text those of another width, or none, until `take_layout`."""
        return self._laid(cells)[0]

    def _laid(self, cells: int) -> tuple[list[DocRow], list[int]]:
        if self.view is None:
            return [], []
        if not self._fits(cells) and len(self.view.text) <= _AT_ONCE:
            self._layout = lay_out(self.view, cells)
        return (self._layout.rows, self._layout.texts) if self._layout else ([], [])

    def _fits(self, cells: int) -> bool:
        return self._layout is not None and self._layout.view is self.view and self._layout.cells == cells

    def unlaid(self, cells: int) -> bool:
        """Whether the rows at a width are still to be made, by `lay_out` in a worker."""
        return self.view is not None and len(self.view.text) > _AT_ONCE and not self._fits(cells)

    def to_lay_out(self, cells: int) -> DocumentView | None:
        """The document that a worker is to lay out for a width, each once."""
        if self.view is None or not self.unlaid(cells):
            return None
        if self._laying is not None and self._laying[0] is self.view and self._laying[1] == cells:
            return None
        self._laying = (self.view, cells)
        return self.view

    def take_layout(self, made: Layout) -> None:
        """Rows that a worker made; those of a document that is no longer shown are dropped."""
        self._laying = None
        if made.view is self.view:
            self._layout = made

    def at(self, cells: int) -> int:
        """Index of the cursor's row; -1 where there is no text."""
        rows, texts = self._laid(cells)
        if not texts:
            return -1
        place = bisect_right(texts, self.cursor, key=lambda index: rows[index].span.start) - 1
        return texts[max(place, 0)]

    def shown(self, cells: int, height: int) -> range:
        """The rows in view: the cursor among them, with the border above it, and with room above when one has just come."""
        rows, _ = self._laid(cells)
        at = self.at(cells)
        if self.settle and height > 0 and rows:
            self.window.top = max(at - height // 3, 0)
            self.settle = False
        shown = self.window.show(max(at, 0), len(rows), height)
        if shown and shown.start == at > 0 and rows[at - 1].kind == "border" and height > 1:
            shown = self.window.show(at - 1, len(rows), height)
        return shown

    @property
    def part(self) -> int:
        """Index of the chunk under the cursor: the last one that begins at or before it; -1 before the first."""
        if self.view is None:
            return -1
        place = bisect_right(self.view.parts, self.cursor, key=lambda part: part.span.start) - 1
        if place < 0 and self.view.parts and not self.view.text[self.cursor : self.view.parts[0].span.start].strip():
            return 0
        return place

    @property
    def current(self) -> PartView | None:
        at = self.part
        return self.view.parts[at] if self.view and at >= 0 else None

    # moving

    def move(self, step: int, cells: int) -> None:
        """Move the cursor line, or grow the quote by sentences."""
        if self.quote is not None:
            self.grow(step)
            return
        rows, texts = self._laid(cells)
        if not texts:
            return
        place = texts.index(self.at(cells))
        self.cursor = rows[texts[min(max(place + step, 0), len(texts) - 1)]].span.start

    def step_part(self, step: int) -> None:
        """To the next or the previous chunk; in a quote, its beginning moves by a sentence."""
        if self.quote is not None:
            self._shift(step)
            return
        if self.view is None or not self.view.parts:
            return
        place = min(max(self.part + step, 0), len(self.view.parts) - 1)
        self.cursor = self.view.parts[place].span.start

    # the quote

    def start_quote(self, cells: int) -> bool:
        """Begin a quote with the sentence that the cursor was sent to; else with the first that begins in its line, or the
        one that runs through it. A heading is no sentence: the first one below it is taken."""
        rows = self.rows(cells)
        at = self.at(cells)
        view = self.view
        if view is None or at < 0:
            return False
        low, high = rows[at].span
        inside = [index for index, one in enumerate(view.sentences) if one.start < max(high, low + 1) and low < one.end]
        if not inside:
            below = bisect_left(view.sentences, high, key=lambda one: one.start)
            if not any(map(str.isalnum, view.text[low:high])) or below == len(view.sentences):
                return False
            self._set(below, below)
            return True
        first = next((index for index in inside if view.sentences[index].start >= low), inside[0])
        if self.cursor > low:
            first = next((index for index in inside if self.cursor < view.sentences[index].end), first)
        self._set(first, first)
        return True

    def _set(self, anchor: int, head: int) -> None:
        if self.view is None:
            return
        last = len(self.view.sentences) - 1
        anchor, head = min(max(anchor, 0), last), min(max(head, 0), last)
        first, final = self.view.sentences[min(anchor, head)], self.view.sentences[max(anchor, head)]
        self.quote = Quote(anchor, head, self.view.grow(Extent(first.start, final.end)))
        edge = self.view.sentences[head]
        self.cursor = edge.start if head < anchor else max(edge.end - 1, edge.start)

    def grow(self, step: int) -> None:
        """Move the quote's end by sentences; past its beginning it grows upwards."""
        if self.quote is not None:
            self._set(self.quote.anchor, self.quote.head + step)

    def _shift(self, step: int) -> None:
        quote = self.quote
        if quote is not None:
            together = quote.anchor == quote.head
            self._set(quote.anchor + step, quote.head + step if together else quote.head)

    @property
    def quoted(self) -> str:
        """The text that would be saved."""
        return self.view.text[slice(*self.quote.span)] if self.view and self.quote else ""

    @property
    def quoted_sentences(self) -> int:
        if self.view is None or self.quote is None:
            return 0
        low, high = self.quote.span
        return sum(1 for one in self.view.sentences if low <= one.start and one.end <= high)

    @property
    def quoted_rows(self) -> int:
        """How many rows of the screen the quote is on."""
        if self.quote is None or self._layout is None:
            return 0
        low, high = self.quote.span
        return sum(1 for row in self._layout.rows if row.kind == "text" and row.span.start < high and low < row.span.end)

    # lines of the text as read

    def line_of(self, offset: int) -> int:
        """The line of the text, from 1, that holds an offset."""
        return bisect_right(self._starts(), offset)

    @property
    def lines(self) -> int:
        """How many lines the text has."""
        return len(self._starts()) - (1 if self.view and self.view.text.endswith("\n") else 0)

    def _starts(self) -> list[int]:
        if self.view is None:
            return [0]
        if self._lines is None or self._lines[0] is not self.view:
            starts, at = [0], self.view.text.find("\n")
            while at >= 0:
                starts.append(at + 1)
                at = self.view.text.find("\n", at + 1)
            self._lines = (self.view, starts)
        return self._lines[1]

    def text_under_cursor(self) -> str:
        """What `y` copies: the quote, else the line as it stands in the document."""
        if self.view is None:
            return ""
        if self.quote is not None:
            return self.quoted
        starts = self._starts()
        line = self.line_of(self.cursor)
        end = starts[line] if line < len(starts) else len(self.view.text)
        return self.view.text[starts[line - 1] : end].rstrip("\n")
