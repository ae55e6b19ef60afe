"""Passages as other systems write them: texts, objects in many shapes, or a list that went through a table's cell."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from ragtriage.inbox.reports import ReportPassage
from ragtriage.json_lines import load_json

__all__ = ["Passages", "read_passages"]

_DOC = (
    "doc",
    "doc_id",
    "document_id",
    "document",
    "source",
    "file",
    "file_name",
    "filename",
    "file_path",
    "path",
    "url",
    "uri",
    "title",
)
_TEXT = ("text", "page_content", "content", "passage", "quote", "chunk_text", "body", "chunk", "pageContent", "snippet")
_ID = ("id", "chunk_id", "_id", "passage_id", "node_id")
_RANK = ("rank", "position")
_INSIDE = ("metadata", "meta", "document", "node", "payload", "_source")
_LITERAL = re.compile(r"""'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)\"""", re.DOTALL)
_BETWEEN = re.compile(r"[\s,]*")
_ESCAPE = re.compile(r"\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|(.))", re.DOTALL)
_SIGNS = {"n": "\n", "t": "\t", "r": "\r"}


class Passages(NamedTuple):
    """What was read, and what was said beside it: one object a passage, empty where there was nothing more."""

    passages: tuple[ReportPassage, ...]
    left: list[dict[str, Any]]


def read_passages(value: Any, *, ranked: bool = True) -> Passages:
    """The passages of a value. Their order is their rank where they name none. Raises ValueError that says what is wrong."""
    if isinstance(value, str):
        value = _listed(value)
    elif isinstance(value, Mapping):
        inner = next(
            (value[name] for name in ("documents", "results", "passages", "contexts") if isinstance(value.get(name), list)),
            None,
        )
        value = [value] if inner is None else inner
    if not isinstance(value, list):
        raise ValueError("a list of texts or objects is needed")
    if len(value) == 1 and isinstance(value[0], list):  # one list a query
        value = value[0]
    passages, left = [], []
    for number, item in enumerate(value, start=1):
        if isinstance(item, str):
            item = {"text": item}
        if not isinstance(item, Mapping):
            raise ValueError(f"passage {number}: a text or an object is needed")
        passage, rest = _passage(dict(item), number if ranked else None)
        passages.append(passage)
        left.append(rest)
    return Passages(tuple(passages), left if any(left) else [])


def _passage(item: dict[str, Any], number: int | None) -> tuple[ReportPassage, dict[str, Any]]:
    inner: dict[str, Any] = {}
    for name in _INSIDE:
        if isinstance(item.get(name), Mapping):
            inner |= {key: value for key, value in item.pop(name).items() if key not in inner}
    for key in list(inner):
        if key not in item:
            item[key] = inner.pop(key)
    text = _take(item, _TEXT)
    doc = _take(item, _DOC)
    name = _take(item, _ID)
    rank = next((item[key] for key in _RANK if type(item.get(key)) is int and 0 < item[key] < 1_000_000), None)
    if rank is not None:
        item = {key: value for key, value in item.items() if key not in _RANK}
    passage = ReportPassage(doc, text, number if rank is None else rank, name)
    return passage, {**item, **({"inner": inner} if inner else {})}


def _take(item: dict[str, Any], names: tuple[str, ...]) -> str:
    for name in names:
        found = item.get(name)
        if isinstance(found, str) and found.strip():
            return str(item.pop(name))
        if isinstance(found, int) and not isinstance(found, bool) and names is not _TEXT:
            return str(item.pop(name))
    return ""


def _listed(text: str) -> list[Any]:
    """A cell as a list: JSON, a list as Python or numpy prints it, else one text."""
    stripped = text.strip()
    if stripped.startswith("[") and stripped.endswith("]"):
        try:
            found = load_json(stripped)
        except ValueError:
            found = _literals(stripped[1:-1])
        if isinstance(found, list):
            return found
    return [text]


def _literals(inner: str) -> list[str] | None:
    """The strings of a printed list; None where it holds anything else. Nothing is evaluated."""
    out = []
    at = 0
    while at < len(inner):
        between = _BETWEEN.match(inner, at)
        at = between.end() if between else at
        if at == len(inner):
            break
        match = _LITERAL.match(inner, at)
        if match is None:
            return None
        out.append(_ESCAPE.sub(_sign, match[1] if match[1] is not None else match[2]))
        at = match.end()
    return out


def _sign(match: re.Match[str]) -> str:
    code = match[1] or match[2]
    if code:
        return str(json.loads(f'"\\u{code:0>4}"'))
    return _SIGNS.get(match[3], match[3])
