"""Other places of the words that a passage, or a part of it, was found to be."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from ragtriage.search.systems.alignment_index import RUN
from ragtriage.search.systems.alignment_pages import Pages
from ragtriage.search.systems.alignment_stretch import occurrences
from ragtriage.search.systems.alignment_words import Words, numbers
from ragtriage.types import Groups, Span

__all__ = ["Copy", "copies_of"]

_MOST = 16


class Copy(NamedTuple):
    """A place of the same words."""

    row: int
    span: Span


def copies_of(said: Words, pages: Pages, row: int, place: Span, groups: Groups, *, elsewhere: bool) -> tuple[Copy, ...]:
    """The places of the words `said` beside `place` in the document of `row`: there and, with `elsewhere`, in all others."""
    if len(said.hashes) < RUN:
        return ()
    found: list[Copy] = []
    rows = [row, *(other for other in pages.holders(said, groups) if other != row)] if elsewhere else [row]
    wanted = numbers(said.said(0, len(said.hashes)))
    for other in rows:
        for span in _spans(said, pages.words(other), wanted):
            same = other == row and span.start < place.end and place.start < span.end
            if not same and len(found) < _MOST:
                found.append(Copy(other, span))
    return tuple(found)


def _spans(said: Words, page: Words, wanted: list[str]) -> Iterator[Span]:
    count = len(said.hashes)
    for at in occurrences(said.hashes, page.hashes, _MOST + 1):
        if numbers(page.said(at, at + count)) == wanted:
            yield Span(int(page.starts[at]), int(page.ends[at + count - 1]))
