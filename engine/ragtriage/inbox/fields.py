"""Which key of a file is which field of a report: one table, and what `--map` adds to it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from ragtriage.errors import UsageError

__all__ = ["FIELDS", "SOURCES", "Split", "is_known", "parse_maps", "source_of", "split"]

FIELDS: Mapping[str, tuple[str, ...]] = {
    "question": (
        "question", "user_query", "user_question", "user_input", "query", "q", "search_query", "search", "prompt", "input",
    ),
    "text": ("text", "body", "message", "complaint", "description", "comment", "content", "report", "subject"),
    "answer": ("answer", "response", "bot_answer", "assistant_answer", "generated_answer", "reply", "completion", "output"),
    "passages": (
        "passages", "retrieved_contexts", "contexts", "context", "retrieved_documents", "retrieved_passages",
        "retrieved_chunks", "retrieved", "source_documents", "documents", "chunks", "hits",
    ),
    "feedback": ("feedback", "user_feedback", "rating", "thumbs", "vote"),
    "expected": (
        "expected_answer", "reference", "ground_truth", "ground_truths", "reference_answer", "expected_output", "expected",
    ),
    "mentions": ("answer_must_mention", "must_mention"),
    "evidence": ("reference_contexts", "ground_truth_contexts", "gold_contexts", "gold_passages"),
    "ref": (
        "ref", "ticket_id", "ticket", "ticket_number", "issue", "issue_id", "case", "case_id", "message_id", "trace_id",
        "conversation_id", "id", "_id", "qid", "key",
    ),
    "at": ("at", "time", "timestamp", "created_at", "created", "date", "datetime", "start_time"),
    "from": ("from", "source", "channel", "origin"),
}  # fmt: skip
"""Each field and the keys that are read as it, the best first. Capitals, spaces and dashes in a key do not matter."""

SOURCES: Mapping[str, tuple[str, ...]] = {
    "ticket": ("ticket", "support", "zendesk", "freshdesk", "jira", "issue", "e-mail", "email", "mail", "phone", "form"),
    "chat": ("chat", "bot", "assistant", "slack", "teams", "intercom", "widget", "whatsapp"),
    "log": ("log", "logs", "search", "trace", "api"),
    "owner": ("owner",),
    "builder": ("builder",),
    "synthetic": ("synthetic", "generated"),
}
"""Each word of `source.from` in the golden set and what is read as it."""

_WORDS = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|[\s\-./]+")
_FIELD_OF = {name: field for field, names in FIELDS.items() for name in names}
_SOURCE_OF = {name: source for source, names in SOURCES.items() for name in names}
_NOTHING: tuple[Any, ...] = (None, "", [], {})


class Split(NamedTuple):
    """A record's values by field with the key each came from, and the keys that are no field."""

    fields: dict[str, tuple[str, Any]]
    left: dict[str, Any]


def _folded(key: str) -> str:
    return _WORDS.sub("_", key.strip()).lower()


def is_known(key: str) -> bool:
    """Whether the table has a field for a key."""
    return _folded(key) in _FIELD_OF


def source_of(value: Any) -> str:
    """The word of `source.from` that a value means, "" where it means none."""
    return _SOURCE_OF.get(value.strip().lower(), "") if isinstance(value, str) else ""


def parse_maps(texts: Iterable[str]) -> dict[str, str]:
    """`question=user_query` as field and key. Raises UsageError that names all that are wrong."""
    import difflib

    out: dict[str, str] = {}
    wrong = []
    for text in texts:
        field, equals, key = (part.strip() for part in text.partition("="))
        if not equals or not field or not key:
            wrong.append(f"--map {text}: FIELD=KEY is needed, such as question=user_query")
        elif field not in FIELDS:
            close = difflib.get_close_matches(field, FIELDS, n=1)
            hint = f"did you mean {close[0]}?" if close else f"fields are {', '.join(FIELDS)}"
            wrong.append(f"--map {text}: {field} is no field; {hint}")
        elif field in out:
            wrong.append(f"--map {text}: {field} is mapped twice")
        else:
            out[field] = key
    if wrong:
        raise UsageError("\n".join(wrong))
    return out


def split(values: Mapping[str, Any], maps: Mapping[str, str], known: Sequence[str] = ()) -> Split:
    """Sort a record's keys into fields. `maps` goes before the table; fields in `known` are taken already, unless mapped.

    Of several keys for one field the first of the table that says something counts; the others are left.
    """
    fields: dict[str, tuple[str, Any]] = {}
    left = dict(values)
    for field, key in maps.items():
        found = _at(left, key)
        if found is not None:
            fields[field] = (key, found)
    best: dict[str, tuple[int, str]] = {}
    for key, value in left.items():
        name = _folded(key) if isinstance(key, str) else ""
        field = _FIELD_OF.get(name, "")
        if not field or field in fields or field in known or value in _NOTHING or not _fits(field, name, value):
            continue
        place = FIELDS[field].index(name)
        if field not in best or place < best[field][0]:
            best[field] = (place, key)
    for field, (_, key) in best.items():
        fields[field] = (key, left.pop(key))
    empty = [key for key, value in left.items() if value is None and isinstance(key, str) and is_known(key)]
    return Split(fields, {key: value for key, value in left.items() if key not in empty})


def _fits(field: str, name: str, value: Any) -> bool:
    """Whether a value may be what its key says: `source` is as often a file, `context` as often a note."""
    if field == "from":
        return bool(source_of(value))
    if name in ("context", "documents", "chunks", "hits", "content", "input", "output", "case", "key", "prompt", "search"):
        return isinstance(value, str | list) or field == "ref"
    return True


def _at(values: dict[str, Any], key: str) -> Any:
    """The value of a key, which may be a path such as `payload.user.query`; it is taken out of `values` where it is a key."""
    if key in values:
        return values.pop(key)
    found: Any = values
    for step in key.split("."):
        if isinstance(found, Mapping) and step in found:
            found = found[step]
        elif isinstance(found, list) and step.isdecimal() and len(step) < 7 and int(step) < len(found):
            found = found[int(step)]
        else:
            return None
    return found
