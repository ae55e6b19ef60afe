"""JSON lines, a JSON list, or one object: a report each."""

from __future__ import annotations

from ragtriage.inbox.formats.base import Content, Format, Found

__all__ = ["FORMAT"]

_WRAPPERS = ("reports", "data", "items", "records", "rows", "results", "samples", "questions", "tickets", "examples")


def _fits(content: Content) -> bool:
    return content.is_json


def _read(content: Content) -> Found:
    return rows(content)


def rows(content: Content) -> Found:
    """The objects of a file; of one object that only wraps a list, those of the list."""
    found = content.objects
    if len(found.records) == 1 and not found.problems:
        whole = found.records[0]
        for name in _WRAPPERS:
            inner = whole.values.get(name)
            if isinstance(inner, list) and inner and all(isinstance(one, dict) for one in inner):
                from ragtriage.inbox.formats.base import Record

                return Found([Record(0, one, key=f"{name}[{number}]") for number, one in enumerate(inner, start=1)], [])
    return found


FORMAT = Format("jsonl", "JSON lines or a JSON list", _fits, _read)
