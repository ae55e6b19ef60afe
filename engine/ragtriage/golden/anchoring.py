"""Labels written anew: given the place that a person accepted, or a quote and a hash where they had a chunk's name alone.

A question is changed label by label: what else stands on its line, other labels and unknown keys too, stays as it is.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from ragtriage.errors import GoldenError
from ragtriage.golden.capture import Mark, label, quote_of
from ragtriage.golden.dialects import labels_in
from ragtriage.golden.evidence import ResolvedPlace, resolve_item
from ragtriage.golden.new_place import NewPlace
from ragtriage.golden.references import format_reference, parse_evidence
from ragtriage.golden.sections import find_section, page_span
from ragtriage.ids import text_sha
from ragtriage.types import Document, Place, Span

if TYPE_CHECKING:
    from ragtriage.chunking.base import Chunks
    from ragtriage.corpus.base import Corpus
    from ragtriage.golden.anchors import PlaceIndex

__all__ = ["anchored", "obsoleted", "reanchored"]

_OF_PLACE = frozenset(
    (
        "doc",
        "doc_id",
        "quote",
        "text",
        "content",
        "prefix",
        "suffix",
        "at",
        "start",
        "end",
        "section",
        "page",
        "chunk",
        "chunk_id",
    )
) | {"chunk_sha"}
_IN_PLACE = ("evidence", "references")  # keys whose items are objects as we write them; ids are other tools' and stay
_SHA_LENGTH = 16
_NOTHING: Mapping[str, str] = {}

_Change = Callable[[Place], dict[str, Any] | None]


def reanchored(obj: Mapping[str, Any], index: PlaceIndex, new: NewPlace, document: Document) -> dict[str, Any]:
    """The question `obj` with the place at `index` rewritten to `new`, a place of `document`: a quote of exactly that text
    with its offset, and the text around it where it stands there twice.

    A coarse label stays as coarse as it was. Raises GoldenError where the question has no such place.
    """
    written = _changed(obj, {index: lambda place: _fresh(place, new, document)})
    if written is None:
        raise GoldenError(f"there is no label {index.item + 1} to give a new place; the question was changed meanwhile")
    return written


def anchored(
    obj: Mapping[str, Any], corpus: Corpus, chunks: Chunks, known_shas: Mapping[str, str] = _NOTHING
) -> dict[str, Any] | None:
    """The question `obj` with a quote and a hash at each label of a chunk that fits; None where none lacks them.

    A chunk fits while its text has the label's `chunk_sha`, else the hash in `known_shas`; where neither tells, it is taken
    as it is, as every evaluation does.
    """
    from ragtriage.golden.anchors import PlaceIndex

    changes: dict[PlaceIndex, _Change] = {}
    written = labels_in(obj)
    for item, value in enumerate(written.items):
        evidence = parse_evidence(value, written.read)
        for number, found in enumerate(resolve_item(evidence, corpus, chunks, known_shas).places):
            if fresh := _named(found, corpus, chunks):
                changes[PlaceIndex(item, number)] = _always(fresh)
    return _changed(obj, changes) if changes else None


def _always(written: dict[str, Any]) -> _Change:
    """A change to these words, whatever the place said."""
    return lambda place: written


def obsoleted(obj: Mapping[str, Any], reason: str) -> dict[str, Any]:
    """The question marked as asked no more; `reason` says why, or since when. Raises GoldenError where it is empty."""
    if not reason.strip():
        raise GoldenError("say why the question is obsolete, or since when")
    return {**obj, "obsolete": reason.strip()}


def _named(found: ResolvedPlace, corpus: Corpus, chunks: Chunks) -> dict[str, Any] | None:
    """What a chunk's label should say; None where it says it, or names no chunk that fits."""
    place = found.place
    if found.how != "chunk" or (place.quote and place.chunk_sha):
        return None
    fresh = label(Mark("", chunk_id=found.chunk_id), corpus, chunks)
    if place.quote:  # its words stay, which may be fewer than the chunk's
        kept = format_reference(place)
        return {**(kept if isinstance(kept, dict) else {}), "chunk": fresh["chunk"], "chunk_sha": fresh["chunk_sha"]}
    if place.chunk_sha and "quote" not in fresh:
        return None  # too long to be quoted
    return fresh


def _fresh(place: Place, new: NewPlace, document: Document) -> dict[str, Any]:
    if place.kind == "page":
        return {"doc": document.doc_id, "page": place.page}
    if place.kind == "section":
        return {"doc": document.doc_id, "section": new.section or place.section}
    if place.kind == "document":
        return {"doc": document.doc_id}
    text = document.text
    start, end = new.span
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    if not 0 <= start < end <= len(text):
        raise GoldenError(f"{document.doc_id}: there is no text at {new.span.start} to quote")
    span = Span(start, end)
    fresh = quote_of(document, span)
    if new.chunk_id:
        sha = text_sha(text[new.span.start : new.span.end])[:_SHA_LENGTH]
        fresh = {"chunk": new.chunk_id, "chunk_sha": sha, **fresh}
    if place.section and any(part.start <= start and end <= part.end for part in find_section(document, place.section)):
        fresh["section"] = place.section
    if place.page is not None and (page := page_span(document, place.page)) and page.start <= start and end <= page.end:
        fresh["page"] = place.page
    return fresh


def _changed(obj: Mapping[str, Any], changes: Mapping[PlaceIndex, _Change]) -> dict[str, Any] | None:
    """`obj` with some of its places written anew. None where one of them is not there.

    Labels that are ids of another tool's stay in their key; `evidence`, which decides, then says what all of them say now.
    """
    written = labels_in(obj)
    items: list[Any] = []
    made = 0
    for item, value in enumerate(written.items):
        fresh: dict[int, dict[str, Any]] = {}
        also: dict[int, dict[str, Any]] = {}
        places = parse_evidence(value, written.read).places
        for number, place in enumerate(places):
            change = next((change for at, change in changes.items() if at == (item, number)), None)
            if change is not None and (new := change(place)) is not None:
                made += 1
                (fresh if number == 0 else also)[number] = new
        if not fresh and not also:
            items.append(value if written.key in _IN_PLACE else _as_evidence(value, written.read))
            continue
        items.append(_rewritten(value, places[0], fresh.get(0), also))
    if made < len(changes) or not made:
        return None
    key = written.key if written.key in _IN_PLACE else "evidence"
    single = key == written.key and not isinstance(obj[key], list)
    return {**obj, key: items[0] if single else items}


def _rewritten(value: Any, place: Place, fresh: dict[str, Any] | None, also: Mapping[int, dict[str, Any]]) -> dict[str, Any]:
    """One item with its own place or some of its others written anew."""
    own: Mapping[str, Any] = value if isinstance(value, Mapping) else _object(place)
    out = dict(own) if fresh is None else {**fresh, **{key: kept for key, kept in own.items() if key not in _OF_PLACE}}
    if also:
        there = own["also"]
        others = list(there) if isinstance(there, list) else [there]
        for number, new in also.items():
            before = others[number - 1]
            rest = before if isinstance(before, Mapping) else {}
            others[number - 1] = {**new, **{key: kept for key, kept in rest.items() if key not in _OF_PLACE}}
        out["also"] = others if isinstance(there, list) else others[0]
    return out


def _as_evidence(value: Any, read: Callable[[Any], Place]) -> Any:
    """An id of a list of ids as `evidence` takes it, where the same string might mean something else."""
    return value if isinstance(value, Mapping) else format_reference(read(value))


def _object(place: Place) -> dict[str, Any]:
    said = format_reference(place)
    if isinstance(said, dict):
        return said
    names = ("doc", "section", "page", "chunk")
    return {name: found for name in names if (found := getattr(place, name)) not in ("", None)}
