"""References: the strings and objects that say where evidence lies, read into a Place and written back.

policy-refunds                 a document           {"doc": "policy-refunds"}
policy-refunds#3               a chunk              {"chunk": "policy-refunds#3", "chunk_sha": "9f2c…", "quote": "…"}
billing.md#refunds             a heading            {"doc": "billing", "section": "refunds"}
contract-0442/§14.2            a numbered section   {"doc": "contract-0442", "section": "§14.2"}
handbook.pdf#page=12           a page               {"doc": "handbook", "page": 12}
                               a quote              {"doc": "faq", "quote": "…", "prefix": "", "suffix": "", "at": 1704}
                               an offset range      {"doc": "finance", "start": 27346, "end": 27425, "text": "…"}
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ragtriage.types import Evidence, Place

__all__ = ["format_reference", "parse_evidence", "parse_reference"]

_SUFFIXES = (".md", ".markdown", ".mdx", ".rst", ".txt", ".text", ".html", ".htm", ".pdf", ".jsonl", ".json", ".csv")


def parse_reference(value: str | Mapping[str, Any]) -> Place:
    """A string or object in any of the forms above as a Place. Raises ValueError with a message for the user."""
    if isinstance(value, str):
        return _from_string(value)
    if isinstance(value, Mapping):
        return _from_object(value)
    raise ValueError(f"a reference is a string or an object, not {_named(value)}")


def format_reference(place: Place) -> str | dict[str, Any]:
    """The shortest form that `parse_reference` reads back into the same Place: a string where one can say it all."""
    text = ""
    if place == Place(chunk=place.chunk):
        text = place.chunk
    elif place == Place(doc=place.doc):
        text = place.doc
    elif place == Place(doc=place.doc, page=place.page):
        text = f"{place.doc}#page={place.page}"
    elif place == Place(doc=place.doc, section=place.section):
        text = f"{place.doc}/{place.section}" if place.section.startswith("§") else f"{place.doc}#{place.section}"
    if text:
        try:
            if _from_string(text) == place:
                return text
        except ValueError:
            pass  # an id that reads as something else; the object says it
    names = ("doc", "quote", "prefix", "suffix", "at", "section", "page", "chunk", "chunk_sha")
    return {name: value for name in names if (value := getattr(place, name)) not in ("", None)}


def parse_evidence(value: Any, read: Callable[[Any], Place] = parse_reference) -> Evidence:
    """One evidence item: a reference, where an object may have `also` (other places) and `gain`. Raises ValueError."""
    place = read(value)
    if not isinstance(value, Mapping):
        return Evidence(place)
    also = value.get("also")
    if also is None:
        also = []
    elif isinstance(also, str | Mapping):
        also = [also]
    elif not isinstance(also, list):
        raise ValueError(f"also: a list of references is needed, not {_named(also)}")
    gain = value.get("gain", 1.0)
    if isinstance(gain, bool) or not isinstance(gain, int | float) or not 0 < gain < 1e9:
        raise ValueError("gain: a number above 0 is needed")
    return Evidence(place, tuple(_inside("also", read, other) for other in also), float(gain))


def _inside(key: str, read: Callable[[Any], Place], value: Any) -> Place:
    try:
        return read(value)
    except ValueError as error:
        raise ValueError(f"{key}: {error}") from None


def _from_string(text: str) -> Place:
    if not text.strip():
        raise ValueError("an empty reference; write a document, doc#chunk, doc.md#heading, doc/§section or doc.pdf#page=n")
    name, mark, number = text.rpartition("/§")
    if mark and name and number:
        return Place(doc=name, section=f"§{number}")
    name, mark, tail = text.rpartition("#")
    if not mark or not name or not tail:
        return Place(doc=text)
    key, equals, page = tail.partition("=")
    if equals and key.lower() == "page" and _is_number(page):
        return _page(Place(doc=name, page=int(page)))
    # an ordinal: all digits after # on a name without suffix; billing.md#3 is a heading called "3"
    if _is_number(tail) and not name.lower().endswith(_SUFFIXES):
        return Place(chunk=text)
    return Place(doc=name, section=tail)


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) < 10


def _from_object(value: Mapping[str, Any]) -> Place:
    doc = _string(value, "doc") or _string(value, "doc_id")
    quote = _string(value, "quote") or _string(value, "text") or _string(value, "content")
    at = _whole(value, "at")
    if at is None:
        at = _whole(value, "start")
    section, chunk = _string(value, "section"), _string(value, "chunk") or _string(value, "chunk_id")
    place = Place(
        doc, quote, _string(value, "prefix"), _string(value, "suffix"), at, section, _whole(value, "page"), chunk,
        _string(value, "chunk_sha"),
    )  # fmt: skip
    if not doc.strip() and not chunk.strip():
        raise ValueError('where is it? "doc" (or "chunk") is missing')
    if "quote" in value and not quote.strip():
        raise ValueError("quote: empty; quote the words that answer the question, or leave the key out")
    if value.get("section") is not None and not section.strip():
        raise ValueError("section: empty; name a heading or a numbered section, or leave the key out")
    if quote and not quote.strip():
        raise ValueError("text: nothing but white space")
    if ("start" in value or "end" in value) and not quote and not chunk:
        raise ValueError('offsets alone break with the next edit of the document; add "text" with the words between them')
    return _page(place)


def _page(place: Place) -> Place:
    if place.page is not None and place.page < 1:
        raise ValueError("page: pages count from 1")
    return place


def _string(value: Mapping[str, Any], key: str) -> str:
    found = value.get(key)
    if found is None:
        return ""
    if isinstance(found, int) and not isinstance(found, bool) and key in ("section", "doc", "doc_id", "chunk", "chunk_id"):
        return str(found)
    if not isinstance(found, str):
        raise ValueError(f"{key}: a string is needed, not {_named(found)}")
    return found


def _whole(value: Mapping[str, Any], key: str) -> int | None:
    found = value.get(key)
    if found is None:
        return None
    if isinstance(found, bool) or not isinstance(found, int) or found < 0:
        raise ValueError(f"{key}: a whole number is needed")
    return found


def _named(value: Any) -> str:
    names = {list: "a list", str: "a string", bool: "true or false", type(None): "null", dict: "an object"}
    return names.get(type(value), "a number")
