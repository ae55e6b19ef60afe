"""What a system replied, as JSON -> its hits. Nothing in it is believed: types, sizes and numbers are looked at here."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ragtriage.errors import SystemFailed
from ragtriage.search.systems.foreign import ForeignHit
from ragtriage.surrogates import clean_text

__all__ = ["LISTS", "USUAL", "Paths", "at_path", "hits_of"]

LISTS = ("hits", "results", "documents", "passages", "contexts", "retrieved", "matches", "chunks")
_IDS = ("id", "chunk_id", "_id", "node_id", "passage_id")
_TEXTS = ("text", "page_content", "content", "passage", "chunk_text", "body", "snippet", "quote")
_DOCS = (
    "doc",
    "doc_id",
    "document_id",
    "document",
    "source",
    "file",
    "file_path",
    "file_name",
    "filename",
    "path",
    "url",
    "title",
)
_SCORES = ("score", "_score", "similarity", "relevance_score")
_INSIDE = ("metadata", "meta", "node", "document", "payload", "_source", "fields")
_LONGEST_NAME = 2_000  # characters of an id or a document's name; more is no name
_LONGEST_TEXT = 2_000_000


@dataclass(frozen=True, slots=True)
class Paths:
    """Where in a reply things stand: `hits.hits`, `_source.body`, `0.id`. "" looks under the usual names."""

    hits: str = ""
    id: str = ""
    text: str = ""
    doc: str = ""
    score: str = ""


USUAL = Paths()


def hits_of(reply: Any, most: int, paths: Paths = USUAL) -> tuple[ForeignHit, ...]:
    """The first `most` hits of a reply: a list, or an object that holds one. Raises SystemFailed with what is wrong."""
    found = at_path(reply, paths.hits) if paths.hits else reply
    if isinstance(found, Mapping) and not paths.hits:
        found = next((found[name] for name in LISTS if name in found), None)
    if isinstance(found, list) and len(found) == 1 and isinstance(found[0], list):  # one list a query
        found = found[0]
    if not isinstance(found, list):
        where = f"at {paths.hits}" if paths.hits else f"under any of {', '.join(LISTS[:4])}"
        raise SystemFailed(f"its answer has no list of hits {where}")
    return tuple(_hit(item, number, paths) for number, item in enumerate(found[:most], start=1))


def at_path(value: Any, path: str) -> Any:
    """What stands at a dotted path, None where nothing does. Numbers count the items of a list from 0; `\\.` is a dot."""
    for part in path.replace("\\.", "\0").split("."):
        name = part.replace("\0", ".")
        if isinstance(value, Mapping):
            value = value.get(name)
        elif isinstance(value, list) and name.isascii() and name.isdigit() and len(name) < 10 and int(name) < len(value):
            value = value[int(name)]
        else:
            return None
    return value


def _hit(item: Any, number: int, paths: Paths) -> ForeignHit:
    if isinstance(item, str | int) and not isinstance(item, bool):
        return ForeignHit(_text(item, _LONGEST_TEXT))
    if not isinstance(item, Mapping):
        raise SystemFailed(f"hit {number} is neither an id nor an object")
    inner = [item[name] for name in _INSIDE if isinstance(item.get(name), Mapping)]
    levels = [item, *inner, *(one[name] for one in inner for name in _INSIDE if isinstance(one.get(name), Mapping))]
    return ForeignHit(
        _text(at_path(item, paths.id), _LONGEST_NAME) if paths.id else _member(levels, _IDS, _LONGEST_NAME),
        _text(at_path(item, paths.text), _LONGEST_TEXT) if paths.text else _member(levels, _TEXTS, _LONGEST_TEXT, words=True),
        _text(at_path(item, paths.doc), _LONGEST_NAME) if paths.doc else _member(levels, _DOCS, _LONGEST_NAME),
        _score(at_path(item, paths.score) if paths.score else next((item[one] for one in _SCORES if one in item), None)),
    )


def _member(levels: Sequence[Mapping[str, Any]], names: Sequence[str], longest: int, *, words: bool = False) -> str:
    for level in levels:
        for name in names:
            value = level.get(name)
            if isinstance(value, str) and value.strip():
                return _text(value, longest)
            if isinstance(value, int) and not isinstance(value, bool) and not words:
                return _text(value, longest)
    return ""


def _text(value: Any, longest: int) -> str:
    if isinstance(value, bool) or not isinstance(value, str | int):
        return ""
    try:
        return clean_text(str(value)[:longest])
    except ValueError:  # a number of 5,000 digits
        return ""


def _score(value: Any) -> float | None:
    """A finite number; None for anything else: scores are shown, never sorted by."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if math.isfinite(number) else None
