"""A passage as one joined of documents that those who asked may see, where one that they may not see has all of it."""

from __future__ import annotations

from typing import NamedTuple

from ragtriage.search.systems.alignment_pages import Pages
from ragtriage.search.systems.alignment_stretch import LEAST, Stretch, straight_of, tells
from ragtriage.search.systems.alignment_words import Words
from ragtriage.types import Groups, Span

__all__ = ["Piece", "split_of"]

_MOST = 12  # pieces
_LOOKED_AT = 20_000  # words, each time they are looked for


class Piece(NamedTuple):
    """A stretch of a passage that stands word for word in `span` of a document."""

    row: int
    stretch: Stretch
    span: Span


def split_of(said: Words, pages: Pages, groups: Groups) -> tuple[Piece, ...]:
    """Pieces of documents that `groups` may see, the longest first, that together are all of the words `said`. Empty: there is
    a word that is in none of them, or the pieces are too short to tell anything."""
    found: list[Piece] = []
    rest = [(0, len(said.hashes))]
    left = _LOOKED_AT
    while rest:
        low, high = rest.pop(0)
        left -= high - low
        if high - low < LEAST or left < 0 or len(found) == _MOST:
            return ()
        piece = _longest(said.cut(low, high), [one.row for one in found], pages, groups)
        if piece is None:
            return ()
        start, stop = low + piece.stretch.start, low + piece.stretch.stop
        found.append(piece._replace(stretch=piece.stretch._replace(start=start, stop=stop)))
        rest += [(begin, end) for begin, end in ((low, start), (stop, high)) if begin < end]
    return tuple(sorted(found, key=lambda one: -one.stretch.matched))


def _longest(said: Words, before: list[int], pages: Pages, groups: Groups) -> Piece | None:
    """The longest piece of it, in documents that hold others or in those that share most with it."""
    best: Piece | None = None
    for row in dict.fromkeys((*before, *pages.candidates(said, groups, seen_alone=True))):
        stretch = straight_of(said, there := pages.words(row))
        if stretch is not None and tells(said, stretch) and (best is None or stretch.matched > best.stretch.matched):
            best = Piece(row, stretch, Span(int(there.starts[stretch.first]), int(there.ends[stretch.last])))
    return best
