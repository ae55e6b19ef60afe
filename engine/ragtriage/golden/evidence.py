"""Where evidence lies in the corpus as it is today, and at which rank a ranking has it. The same rules for every chunking.

A quote's rank is the smallest r at which the texts at positions 1..r, taken within the quote's own document and united, cover
at least 80 % of its non-space characters and every digit in it. A coarse reference's rank is that of the first text whose
overlap with it, in non-space characters, is at least half of the smaller of the two. A chunk id's rank is its position.
A foreign text that stands in several places covers all of them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
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

__all__ = [
    "How", "Located", "PromptText", "PromptTexts", "ResolvedItem", "ResolvedPlace", "enough_of_quote", "gaps_after", "rank_of",
    "resolve", "resolve_item",
]  # fmt: skip

How: TypeAlias = Literal[
    "exact", "folded", "fuzzy", "coarse", "chunk", "stale",
    "missing-document", "missing-quote", "missing-anchor", "missing-chunk", "no-text",
]  # fmt: skip
"""How a place was found, or why not. `stale`: a chunk label that no longer fits, scored at document level."""


class Located(NamedTuple):
    """A span of a document of the corpus."""

    doc_id: str
    span: Span


class PromptText(NamedTuple):
    """What goes into the prompt at one position: the chunk's text or, under small-to-big, its parent's.

    A foreign passage may stand `also` elsewhere, as a whole or with its other parts; `ink` then are the non-space characters
    of all of it.
    """

    chunk_id: str
    doc_id: str
    span: Span
    also: tuple[Located, ...] = ()
    ink: int = 0


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


class PromptTexts:
    """The texts of one prompt, indexed once for all items of a question."""

    def __init__(self, texts: Sequence[PromptText]) -> None:
        self.by_document: dict[str, list[tuple[int, Span]]] | None = None
        self.texts = texts
        self.inks: dict[int, int] = {}
        # from the last to the first, so that a repeated chunk keeps its best rank
        self.position = dict(zip([text[0] for text in reversed(texts)], range(len(texts), 0, -1), strict=True))

    def of(self, doc_id: str) -> list[tuple[int, Span]]:
        """Rank and span of each text of a document, best first."""
        if self.by_document is None:
            self.by_document = {}
            for rank, text in enumerate(self.texts, start=1):
                self.by_document.setdefault(text.doc_id, []).append((rank, text.span))
                if text.also:
                    self.inks[rank] = text.ink
                for other, span in text.also:
                    self.by_document.setdefault(other, []).append((rank, span))
        return self.by_document.get(doc_id, [])


def rank_of(item: ResolvedItem, texts: Sequence[PromptText] | PromptTexts, corpus: Corpus) -> int | None:
    """The rank, from 1, at which the texts hold the item: the best of its places and their spans. None: they do not.

    Whoever asks about several items makes one PromptTexts, so that the texts are looked at once.
    """
    return _rank(item, texts if isinstance(texts, PromptTexts) else PromptTexts(texts), corpus)


def _rank(item: ResolvedItem, texts: PromptTexts, corpus: Corpus) -> int | None:
    best: int | None = None
    for place in item.places:
        if place.how == "chunk":
            rank = texts.position.get(place.chunk_id)
            best = rank if best is None or (rank is not None and rank < best) else best
            continue
        coarse = place.how in ("coarse", "stale")
        for doc_id, span in place.spans:
            if entries := texts.of(doc_id):
                document = corpus.get(doc_id)
                if document is None:
                    continue
                text = document.text
                rank = _coarse_rank(text, span, entries, texts.inks) if coarse else _quote_rank(text, span, entries)
                best = rank if best is None or (rank is not None and rank < best) else best
    return best


def enough_of_quote(text: str, quote: Span, gaps: Sequence[tuple[int, int]]) -> bool:
    """Whether a quote of `text` counts as covered when these parts of it, half-open, are missing: at most a fifth of its
    non-space characters, and none of its digits.
    """
    total = _ink(text, *quote)
    missing = sum(_ink(text, *gap) for gap in gaps)
    return total > 0 and missing * 5 <= total and not any(_has_digit(text, *gap) for gap in gaps)


def gaps_after(gaps: Sequence[tuple[int, int]], span: Span) -> list[tuple[int, int]]:
    """What is left of `gaps` where `span` is taken out of them."""
    left: list[tuple[int, int]] = []
    for low, high in gaps:
        inner, outer = max(low, span.start), min(high, span.end)
        if inner >= outer:
            left.append((low, high))
            continue
        if low < inner:
            left.append((low, inner))
        if outer < high:
            left.append((outer, high))
    return left


def _quote_rank(text: str, quote: Span, entries: list[tuple[int, Span]]) -> int | None:
    gaps: list[tuple[int, int]] = [quote]
    for rank, span in entries:
        if span.end <= quote.start or span.start >= quote.end:
            continue
        gaps = gaps_after(gaps, span)
        if enough_of_quote(text, quote, gaps):
            return rank
    return None


def _coarse_rank(text: str, part: Span, entries: list[tuple[int, Span]], inks: Mapping[int, int]) -> int | None:
    """`inks` has the non-space characters of texts that stand in several places, by rank: they count as one."""
    whole: int | None = None
    spread: dict[int, int] = {}
    for rank, (start, end) in entries:
        low, high = max(start, part.start), min(end, part.end)
        if low >= high:
            continue
        shared = _ink(text, low, high)
        if not shared:
            continue
        if rank in inks:
            shared = spread[rank] = spread.get(rank, 0) + shared
            if (low, high) == part or 2 * shared >= inks[rank]:
                return rank
        elif (low, high) in ((start, end), part) or 2 * shared >= _ink(text, start, end):
            return rank  # one lies in the other, or half of the text lies in the part
        if whole is None:
            whole = _ink(text, *part)
        if 2 * shared >= whole:
            return rank
    return None


def _ink(text: str, start: int, end: int) -> int:
    """Non-space characters of text[start:end]."""
    return len("".join(text[start:end].split()))


def _has_digit(text: str, start: int, end: int) -> bool:
    return any(character.isdigit() for character in text[start:end])
