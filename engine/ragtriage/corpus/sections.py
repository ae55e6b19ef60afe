"""Headings -> sections: each with all that stands under it, and an anchor by GitHub's rules."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from typing import NamedTuple

from ragtriage.types import Document, Section, Span

__all__ = ["Heading", "Slugs", "heading_at", "sections_of", "slug"]


class Heading(NamedTuple):
    """A heading as it was found: `level` 1-6, `start` the offset of its line, `anchor` its unique name in the document."""

    level: int
    text: str
    start: int
    anchor: str


def slug(text: str) -> str:
    """GitHub's anchor of a heading, before duplicates are numbered: lower case, letters, marks, digits, `_` and `-` stay,
    spaces become `-`, all else goes.
    """
    return "".join("-" if char == " " else char for char in text.strip().lower() if char in " -_" or _stays(char))


def _stays(char: str) -> bool:
    if char.isascii():
        return char.isalnum()
    category = unicodedata.category(char)
    return category[0] in "LM" or category in ("Nd", "Nl", "Pc")


class Slugs:
    """Anchors of one document, kept unique the way github-slugger does it: `fees`, `fees-1`, `fees-2`."""

    def __init__(self) -> None:
        self._seen: dict[str, int] = {}

    def anchor(self, text: str) -> str:
        """The anchor of the next heading."""
        return self.unique(slug(text))

    def unique(self, wanted: str) -> str:
        """`wanted`, or with the first number that is free."""
        result = wanted
        while result in self._seen:
            self._seen[wanted] += 1
            result = f"{wanted}-{self._seen[wanted]}"
        self._seen[result] = 0
        return result


def sections_of(headings: Sequence[Heading], length: int) -> tuple[Section, ...]:
    """One Section a heading, in their order, for a text of `length` code points.

    A section ends where the next heading of its level or a higher one starts.
    """
    ends = [length] * len(headings)
    open_rows: list[int] = []
    paths: list[tuple[str, ...]] = []
    for row, heading in enumerate(headings):
        while open_rows and headings[open_rows[-1]].level >= heading.level:
            ends[open_rows.pop()] = heading.start
        paths.append((*(paths[open_rows[-1]] if open_rows else ()), heading.text))
        open_rows.append(row)
    return tuple(
        Section(path, Span(heading.start, end), heading.anchor, heading.level)
        for path, heading, end in zip(paths, headings, ends, strict=True)
    )


def heading_at(document: Document, position: int) -> tuple[str, ...]:
    """The heading path of the innermost section that holds `position`, () above the first heading."""
    low, high = 0, len(document.sections)
    while low < high:  # sections ascend by start, and one lasts at least until the next begins
        middle = (low + high) // 2
        if document.sections[middle].span.start <= position:
            low = middle + 1
        else:
            high = middle
    return document.sections[low - 1].path if low else ()
