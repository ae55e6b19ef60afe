"""What can be quoted as evidence: sentences. A heading alone answers nothing, so the sentence under it is taken instead."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragtriage_tui.workers import DoorError

if TYPE_CHECKING:
    from ragtriage.types import Document, Span

__all__ = ["quotable", "quoted"]

_REACH = 20_000  # how far below its heading a sentence is looked for


def quotable(document: Document, start: int = 0, end: int | None = None) -> list[Span]:
    """The sentences of a document in order, or those of a part of it; headings left out."""
    return [unit for unit, heading in _units(document, start, len(document.text) if end is None else end) if not heading]


def quoted(document: Document, span: Span) -> Span:
    """A place grown to whole sentences, without headings at its ends; for a heading the first sentence under it.

    Raises DoorError where there is no sentence.
    """
    from ragtriage.golden.capture import grown
    from ragtriage.types import Span as Made

    whole = grown(document.text, span)
    if whole.start >= whole.end:
        raise DoorError("there is no sentence here")
    units = _units(document, whole.start, whole.end)
    if not any(heading for _, heading in units):
        return whole
    if said := [unit for unit, heading in units if not heading]:
        return Made(said[0].start, said[-1].end)
    last = units[-1][0]
    stop = next((one.span.end for one in reversed(document.sections) if one.span.start <= last.start), len(document.text))
    under = quotable(document, last.end, min(stop, last.end + _REACH))
    if not under:
        raise DoorError("a heading alone is no evidence, and no sentence stands under this one")
    return grown(document.text, under[0])


def _units(document: Document, start: int, end: int) -> list[tuple[Span, bool]]:
    """The units of a part of the text, and whether each is a heading: by its `#`, or since a section begins with it and it
    says no more than that section's title."""
    from ragtriage.answers.sentences import is_heading, sentence_spans
    from ragtriage.types import Span as Made

    part = document.text[start:end]
    titles = {section.span.start: _letters(section.path[-1]) for section in document.sections if section.path}
    out = []
    for low, high in sentence_spans(part):
        unit = part[low:high]
        title = titles.get(start + low)
        out.append((Made(start + low, start + high), is_heading(unit) or (title is not None and _letters(unit) == title)))
    return out


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text)).casefold()
