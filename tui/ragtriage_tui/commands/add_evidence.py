"""The evidence that `ragtriage add` is given: a quote in a document, or a coarser place, each of which has to be there."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ragtriage_tui.figures import clip_text
from ragtriage_tui.question_text import how_found

if TYPE_CHECKING:
    from ragtriage.golden.capture import Mark
    from ragtriage.project import Project
    from ragtriage.types import Document

__all__ = ["item_of", "mark_of"]

_MOST_LINES = 8


def mark_of(project: Project, doc: str, quote: str) -> Mark:
    """The place of a quote in its document. Raises UsageError where it does not stand there, or in several places."""
    from ragtriage.errors import UsageError
    from ragtriage.golden.capture import Mark, grown
    from ragtriage.golden.quotes import find_quote

    document, line = _document(project, doc)
    text = document.text
    spans = find_quote(text, quote).spans if quote.strip() else ()
    if not spans:
        raise UsageError(f"{document.doc_id} does not say {clip_text(quote, 80)!r}; ragtriage find TEXT looks everywhere")
    lines = [text.count("\n", 0, span.start) + 1 for span in spans]
    places = {grown(text, span): span for span, at in zip(spans, lines, strict=True) if line in (0, at)}
    if not places:
        raise UsageError(f"{document.doc_id} does not say {clip_text(quote, 80)!r} on line {line}, but on {_lines(lines)}")
    if len(places) > 1:
        hint = "quote more of it" + ("" if line else f", or name the line: --quote {document.doc_id}:{lines[0]} {quote!r}")
        where = f"on line {line}" if line else f"on {_lines(lines)}"
        raise UsageError(f"{document.doc_id} says {clip_text(quote, 80)!r} {len(places)} times, {where}; {hint}")
    return Mark(document.doc_id, next(iter(places.values())))


def _document(project: Project, doc: str) -> tuple[Document, int]:
    """The document of DOC or DOC:LINE, and the line from 1, 0 where none is named. Raises CorpusError."""
    name, colon, line = doc.rpartition(":")
    if colon and line.isdecimal() and project.corpus.get(doc) is None:
        return project.corpus.document(name), int(line)
    return project.corpus.document(doc), 0


def _lines(lines: Sequence[int]) -> str:
    several = [str(line) for line in dict.fromkeys(lines)]
    if len(several) == 1:
        return f"line {several[0]}"
    if len(several) > _MOST_LINES:
        return f"lines {', '.join(several[:_MOST_LINES])} and {len(several) - _MOST_LINES} more"
    return f"lines {', '.join(several[:-1])} and {several[-1]}"


def item_of(project: Project, text: str) -> Any:
    """One evidence item of a reference, which must name something that is there."""
    from ragtriage.errors import UsageError
    from ragtriage.golden.capture import Mark, label
    from ragtriage.golden.evidence import resolve_item
    from ragtriage.golden.references import format_reference, parse_reference
    from ragtriage.types import Evidence

    try:
        place = parse_reference(text)
    except ValueError as error:
        raise UsageError(f"--evidence {text}: {error}") from None
    if place.kind == "chunk":
        return label(Mark("", chunk_id=place.chunk), project.corpus, project.chunks)
    project.corpus.document(place.doc)
    found = resolve_item(Evidence(place), project.corpus, project.chunks).places[0]
    if not found.spans:
        raise UsageError(f"--evidence {text}: {how_found(found.how)}")
    return format_reference(place)
