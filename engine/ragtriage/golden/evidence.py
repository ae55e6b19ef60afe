"""Where evidence lies in the corpus as it is today."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

from ragtriage.golden.quotes import find_quote
from ragtriage.golden.references import format_reference, parse_reference
from ragtriage.golden.sections import find_section, page_span
from ragtriage.ids import text_sha
from ragtriage.types import Document, Evidence, Place, Question, Span

if TYPE_CHECKING:
    from ragtriage.chunking.base import Chunks
    from ragtriage.corpus.base import Corpus

__all__ = ["How", "Located", "ResolvedItem", "ResolvedPlace", "resolve", "resolve_item"]

How: TypeAlias = Literal[
    "exact", "folded", "fuzzy", "coarse", "chunk", "stale",
    "missing-document", "missing-quote", "missing-anchor", "missing-chunk", "no-text",
]  # fmt: skip
"""How a place was found, or why not. `stale`: a chunk label that no longer fits, scored at document level."""


class Located(NamedTuple):
    """A span of a document of the corpus."""

    doc_id: str
    span: Span


@dataclass(frozen=True, slots=True)
class ResolvedPlace:
    """A place and what it means in the corpus.

    `spans` are those any of which counts; empty where it was not found. `occurrences` tells how often a quote occurs in its
    document, whether or not `at`, `prefix` or `suffix` settle which one is meant; `ambiguous` that it does more than once.
    `stale` marks a chunk label whose chunk has changed, also where its quote has taken over.
    """

    place: Place
    spans: tuple[Located, ...]
    how: How
    chunk_id: str = ""
    ambiguous: bool = False
    occurrences: int = 1
    stale: bool = False


@dataclass(frozen=True, slots=True)
class ResolvedItem:
    """One item of evidence with all its places, in the label's order."""

    evidence: Evidence
    places: tuple[ResolvedPlace, ...]

    @property
    def best(self) -> ResolvedPlace:
        """The first place that was found, else the first."""
        return next((place for place in self.places if place.spans), self.places[0])

    @property
    def found(self) -> bool:
        """Whether any place is in the corpus."""
        return any(place.spans for place in self.places)

    @property
    def spans(self) -> tuple[Located, ...]:
        """The spans of all places."""
        return tuple(located for place in self.places for located in place.spans)


_NOTHING: Mapping[str, str] = MappingProxyType({})


def resolve(
    question: Question, corpus: Corpus, chunks: Chunks | None, known_shas: Mapping[str, str] = _NOTHING
) -> tuple[ResolvedItem, ...]:
    """Look every item of `question` up in the corpus. `known_shas` maps chunk ids to the hash of the text they had when they
    were last known to fit; a label's own `chunk_sha` goes before. Without `chunks` no chunk id is found.
    """
    return tuple(resolve_item(evidence, corpus, chunks, known_shas) for evidence in question.evidence)


def resolve_item(
    evidence: Evidence, corpus: Corpus, chunks: Chunks | None, known_shas: Mapping[str, str] = _NOTHING
) -> ResolvedItem:
    """`resolve` for one item."""
    if not evidence.also:
        return ResolvedItem(evidence, (_place(evidence.place, corpus, chunks, known_shas),))
    return ResolvedItem(evidence, tuple(_place(place, corpus, chunks, known_shas) for place in evidence.places))


def _place(place: Place, corpus: Corpus, chunks: Chunks | None, known_shas: Mapping[str, str]) -> ResolvedPlace:
    if place.chunk:
        return _chunk(place, corpus, chunks, known_shas)
    document = corpus.get(place.doc)
    found = _in_document(place, document) if document else ResolvedPlace(place, (), "missing-document")
    if found.spans or place.quote or chunks is None or found.how == "no-text":
        return found
    # a chunk id of the user's own may look like a document or a heading: c-17, guide#intro
    text = format_reference(place)
    row = chunks.row(text) if isinstance(text, str) else None
    return found if row is None else _fitting(place, chunks, row)


def _chunk(place: Place, corpus: Corpus, chunks: Chunks | None, known_shas: Mapping[str, str]) -> ResolvedPlace:
    row = chunks.row(place.chunk) if chunks is not None else None
    if chunks is not None and row is not None:
        sha = place.chunk_sha or known_shas.get(place.chunk, "")
        if not sha or text_sha(chunks.text(row)).startswith(sha):
            return _fitting(place, chunks, row)
        document: Document | None = chunks.document_of(row)
    else:
        other = _as_reference(place.chunk)
        if other is not None and (document := corpus.get(other.doc)) and (found := _in_document(other, document)).spans:
            return ResolvedPlace(place, found.spans, found.how)
        name, mark, _ = place.chunk.rpartition("#")
        document = corpus.get(place.doc or name) if place.doc or mark else None
        if document is None and not (place.doc and place.quote):
            return ResolvedPlace(place, (), "missing-document" if place.doc or mark else "missing-chunk")
    if document is None:
        return ResolvedPlace(place, (), "missing-document", stale=True)
    if place.quote:
        found = _quote(place, document)
        return ResolvedPlace(place, found.spans, found.how, "", found.ambiguous, found.occurrences, stale=True)
    if not document.text.strip():
        return ResolvedPlace(place, (), "no-text", stale=True)
    return ResolvedPlace(place, (Located(document.doc_id, Span(0, len(document.text))),), "stale", stale=True)


def _fitting(place: Place, chunks: Chunks, row: int) -> ResolvedPlace:
    chunk_id = chunks.ids[row]
    span = Span(int(chunks.starts[row]), int(chunks.ends[row]))
    return ResolvedPlace(place, (Located(chunks.document_of(row).doc_id, span),), "chunk", chunk_id)


def _as_reference(text: str) -> Place | None:
    """A chunk id that names no chunk, read as the reference it may be: billing.md#refunds in a list of chunk ids."""
    try:
        place = parse_reference(text)
    except ValueError:
        return None
    return None if place.chunk else place


def _in_document(place: Place, document: Document) -> ResolvedPlace:
    if place.quote:
        return _quote(place, document)
    if place.section:
        spans = find_section(document, place.section)
    elif place.page is not None:
        page = page_span(document, place.page)
        spans = () if page is None else (page,)
    else:
        spans = (Span(0, len(document.text)),)
    if not spans:
        return ResolvedPlace(place, (), "missing-anchor")
    spans = tuple(span for span in spans if document.text[span.start : span.end].strip())
    if not spans:
        return ResolvedPlace(place, (), "no-text")
    located = tuple(Located(document.doc_id, span) for span in spans)
    return ResolvedPlace(place, located, "coarse", "", len(spans) > 1, len(spans))


def _quote(place: Place, document: Document) -> ResolvedPlace:
    found = find_quote(document.text, place.quote, prefix=place.prefix, suffix=place.suffix, at=place.at)
    if not found.spans:
        return ResolvedPlace(place, (), found.how if document.text.strip() else "no-text")
    spans = found.spans
    if len(spans) > 1 and (place.section or place.page is not None):  # the label says in which part it stands
        page = page_span(document, place.page) if place.page is not None else None
        parts = find_section(document, place.section) if place.section else (page,) if page else ()
        inside = tuple(span for span in spans if any(part.start <= span.start and span.end <= part.end for part in parts))
        spans = inside or spans
    located = tuple(Located(document.doc_id, span) for span in spans)
    return ResolvedPlace(place, located, found.how, "", found.occurrences > 1, found.occurrences)
