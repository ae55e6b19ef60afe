"""Evidence as a person names it: a quote in a document, or a coarser place. Both have to be there."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ragtriage.errors import UsageError
from ragtriage.golden.capture import Mark, grown, label
from ragtriage.golden.evidence import resolve_item
from ragtriage.golden.quotes import find_quote
from ragtriage.golden.references import format_reference, parse_reference
from ragtriage.types import Document, Evidence

if TYPE_CHECKING:
    from ragtriage.chunking.base import Chunks
    from ragtriage.corpus.base import Corpus

__all__ = ["place_of", "quoted"]

_MOST_LINES = 8
_SHOWN = 80  # characters of a quote
_LOST = {"missing-anchor": "the document has no such heading or page", "no-text": "there is no text in that place"}


def quoted(corpus: Corpus, doc: str, quote: str) -> Mark:
    """The place of a quote in its document, which `doc` names, as `refunds` or with the line from 1, as `refunds:12`.

    Raises UsageError where it does not stand there, or in several places that grow to several sentences, CorpusError where
    there is no such document.
    """
    document, line = _document(corpus, doc)
    text = document.text
    spans = find_quote(text, quote).spans if quote.strip() else ()
    if not spans:
        raise UsageError(f"{document.doc_id} does not say {_short(quote)!r}; ragtriage find TEXT looks everywhere")
    lines = [text.count("\n", 0, span.start) + 1 for span in spans]
    places = {grown(text, span): span for span, at in zip(spans, lines, strict=True) if line in (0, at)}
    if not places:
        raise UsageError(f"{document.doc_id} does not say {_short(quote)!r} on line {line}, but on {_lines(lines)}")
    if len(places) > 1:
        hint = "quote more of it" + ("" if line else f", or name the line: --quote {document.doc_id}:{lines[0]} {quote!r}")
        where = f"on line {line}" if line else f"on {_lines(lines)}"
        raise UsageError(f"{document.doc_id} says {_short(quote)!r} {len(places)} times, {where}; {hint}")
    return Mark(document.doc_id, next(iter(places.values())))


def place_of(text: str, corpus: Corpus, chunks: Chunks) -> Any:
    """The evidence item of a reference, such as `billing.md#refunds`, `handbook.pdf#page=12` or a chunk's id.

    Raises UsageError where it is none, or where nothing is there, GoldenError for no such chunk, CorpusError for no such
    document.
    """
    try:
        place = parse_reference(text)
    except ValueError as error:
        raise UsageError(f"--evidence {text}: {error}") from None
    if place.kind == "chunk":
        return label(Mark("", chunk_id=place.chunk), corpus, chunks)
    corpus.document(place.doc)
    found = resolve_item(Evidence(place), corpus, chunks).places[0]
    if not found.spans:
        raise UsageError(f"--evidence {text}: {_LOST.get(found.how, found.how)}")
    return format_reference(place)


def _document(corpus: Corpus, doc: str) -> tuple[Document, int]:
    """The document of DOC or DOC:LINE, and the line from 1, 0 where none is named. Raises CorpusError."""
    name, colon, line = doc.rpartition(":")
    if colon and line.isdecimal() and corpus.get(doc) is None:
        return corpus.document(name), int(line)
    return corpus.document(doc), 0


def _lines(lines: Sequence[int]) -> str:
    several = [str(line) for line in dict.fromkeys(lines)]
    if len(several) == 1:
        return f"line {several[0]}"
    if len(several) > _MOST_LINES:
        return f"lines {', '.join(several[:_MOST_LINES])} and {len(several) - _MOST_LINES} more"
    return f"lines {', '.join(several[:-1])} and {several[-1]}"


def _short(quote: str) -> str:
    flat = " ".join(quote.split())
    return flat if len(flat) <= _SHOWN else flat[: _SHOWN - 1].rstrip() + "…"
