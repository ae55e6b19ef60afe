"""What a coarse reference that names nothing may mean today: a document of the same name elsewhere, a heading like it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragtriage.golden.new_place import NewPlace
from ragtriage.golden.sections import find_section, page_span
from ragtriage.types import Document, Place, Span

if TYPE_CHECKING:
    from ragtriage.corpus.base import Corpus

__all__ = ["renamed"]

_LEAST = 60.0
_MOST = 5


def renamed(place: Place, corpus: Corpus) -> list[NewPlace]:
    """Candidates by likeness of name (0-100), best first: of the document where it is not there, else of the section."""
    document = corpus.get(place.doc)
    if document is not None:
        return _sections(place, document) if place.section else []
    return [found for other, score in _documents(place.doc, corpus) for found in _whole(place, other, score)][:_MOST]


def _documents(name: str, corpus: Corpus) -> list[tuple[Document, float]]:
    """Documents called alike: a moved file keeps its last name, a renamed one some of it."""
    from rapidfuzz import fuzz, process

    last = name.rpartition("/")[2]
    names = [document.doc_id.rpartition("/")[2] for document in corpus.documents]
    found = process.extract(last, names, scorer=fuzz.ratio, limit=_MOST, score_cutoff=_LEAST) if last else []
    return [(corpus.documents[row], round(score, 1)) for _, score, row in found]


def _whole(place: Place, document: Document, score: float) -> list[NewPlace]:
    if place.section:
        return [_part(document, span, score, place.section) for span in find_section(document, place.section)]
    if place.page is not None:
        page = page_span(document, place.page)
        return [_part(document, page, score)] if page else []
    return [_part(document, Span(0, len(document.text)), score)]


def _sections(place: Place, document: Document) -> list[NewPlace]:
    from rapidfuzz import fuzz, process

    anchors = [section.anchor for section in document.sections]
    found = process.extract(place.section.lower(), anchors, scorer=fuzz.ratio, limit=_MOST, score_cutoff=_LEAST)
    return [_part(document, document.sections[at].span, round(score, 1), anchor) for anchor, score, at in found]


def _part(document: Document, span: Span, score: float, section: str = "") -> NewPlace:
    return NewPlace(document.doc_id, span, document.text[span.start : span.end], score, section=section)
