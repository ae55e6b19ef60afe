"""The coarse references: which part of a document a heading, a numbered section or a page number means."""

from __future__ import annotations

import re

from ragtriage.corpus.sections import slug
from ragtriage.types import Document, Section, Span

__all__ = ["find_section", "page_span"]

_NUMBERED = r"(?:§+\s*|(?:section|sec\.|clause|article|art\.|chapter|part)\s+)?(\d+(?:\.\d+)*)(?=[.):\s]|$)"
_HEADING_NUMBER = rf"\s*{_NUMBERED}"
_LINE_NUMBER = rf"(?m)^[ \t]*{_NUMBERED}"
_WANTED_NUMBER = r"\s*(?:§+\s*)?(\d+(?:\.\d+)*)\.?\s*$"


def find_section(document: Document, name: str) -> tuple[Span, ...]:
    """The spans that `name` means, sub-sections included: an anchor, a heading's text, or a number such as `§14.2`.

    Several where several headings fit equally well, none where no heading does.
    """
    name = name.strip().removeprefix("#")
    exact = [section for section in document.sections if section.anchor == name]
    wanted = slug(name)
    ways = (
        exact,
        [section for section in document.sections if section.anchor == wanted],
        [section for section in document.sections if section.path and slug(section.path[-1]) == wanted and wanted],
    )
    for sections in ways:
        if sections:
            return tuple(section.span for section in sections)
    if number := re.match(_WANTED_NUMBER, name):
        return _numbered(document, number[1])
    return ()


def page_span(document: Document, page: int) -> Span | None:
    """The span of a page, counted from 1."""
    return document.pages[page - 1] if 0 < page <= len(document.pages) else None


def _numbered(document: Document, number: str) -> tuple[Span, ...]:
    """Headings that start with the number; in a text without them, lines that do, up to the next higher number."""
    if found := [section for section in document.sections if _number_of(section) == number]:
        return tuple(section.span for section in found)
    wanted = _parts(number)
    spans = []
    start = None
    for match in re.finditer(_LINE_NUMBER, document.text, re.IGNORECASE):
        parts = _parts(match[1])
        # a list inside the section starts again at 1 and so never ends it
        if start is not None and parts > wanted and parts[: len(wanted)] != wanted:
            spans.append(Span(start, match.start()))
            start = None
        if start is None and parts == wanted:
            start = match.start()
    if start is not None:
        spans.append(Span(start, len(document.text)))
    return tuple(spans)


def _number_of(section: Section) -> str:
    match = re.match(_HEADING_NUMBER, section.path[-1], re.IGNORECASE) if section.path else None
    return match[1] if match else ""


def _parts(number: str) -> tuple[int, ...]:
    return tuple(int(part[:9]) for part in number.split("."))
