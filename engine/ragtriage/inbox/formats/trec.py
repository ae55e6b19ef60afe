"""TREC topics: the classic files, whose inner tags nothing closes, and their XML descendants.

Both are read by their tags alone, so that no entity and no document type can do anything.
"""

from __future__ import annotations

import html
import re
from typing import Any

from ragtriage.errors import Problem
from ragtriage.inbox.formats.base import Content, Format, Found, Record

__all__ = ["FORMAT"]

_FIRST = re.compile(
    r"(?:<\?xml[^>]{0,200}>|<!--.{0,5000}?-->|<!DOCTYPE[^>\[]{0,500}(?:\[.{0,20000}?\]\s{0,9})?>|\s)*<(?:top|topics?|trec_topics|xml)\b",
    re.DOTALL | re.IGNORECASE,
)
_TOPIC = re.compile(r"<(top|topic)\b([^<>]{0,2000})>", re.IGNORECASE)
_CLOSING = re.compile(r"</(?:top|topic)\s{0,5}>", re.IGNORECASE)
_TAG = re.compile(r"<([A-Za-z][\w.-]{0,60})\b[^<>]{0,2000}>([^<]*(?:<!\[CDATA\[[^<]*)?)")
_ATTRIBUTE = re.compile(r"([\w.-]{1,60})\s{0,5}=\s{0,5}[\"']([^\"']{0,1000})[\"']")
_CAPTION = re.compile(r"\s*(?:Number|Topic|Title|Description|Narrative|Domain|Summary|Concepts?)\s?:")
_NUMBER, _QUESTION, _TEXT = (
    ("num", "number", "identifier", "id", "qid"),
    ("question", "query", "title"),
    ("desc", "description"),
)


def _fits(content: Content) -> bool:
    return _FIRST.match(content.text) is not None


def _read(content: Content) -> Found:
    records, problems = [], []
    text = content.text
    starts = list(_TOPIC.finditer(text))
    line, counted = 1, 0
    for at, start in enumerate(starts):
        line, counted = line + text.count("\n", counted, start.start()), start.start()
        limit = starts[at + 1].start() if at + 1 < len(starts) else len(text)
        closing = _CLOSING.search(text, start.end(), limit)
        if closing is None:
            problems.append(Problem(content.where, line, f"<{start[1]}> is never closed"))
        end = closing.start() if closing else limit
        values: dict[str, Any] = {name: html.unescape(value) for name, value in _ATTRIBUTE.findall(start[2])}
        for name, inner in _TAG.findall(text, start.end(), end):
            _put(values, name.lower(), _plain(inner))
        records.append(_record(line, values))
    if not starts:
        problems.append(Problem(content.where, 1, "there is no <top> and no <topic> in it"))
    return Found(records, problems)


def _put(values: dict[str, Any], name: str, text: str) -> None:
    if not text:
        return
    there = values.get(name)
    values[name] = text if there is None else [*(there if isinstance(there, list) else [there]), text]


def _plain(inner: str) -> str:
    inner = inner.replace("<![CDATA[", "").replace("]]>", "")
    return " ".join(html.unescape(_CAPTION.sub("", inner, count=1)).split())


def _record(line: int, values: dict[str, Any]) -> Record:
    known = {}
    for field, names in (("ref", _NUMBER), ("question", _QUESTION), ("text", _TEXT)):
        name = next((name for name in names if isinstance(values.get(name), str)), None)
        if name is not None:
            known[field] = values.pop(name)
    return Record(line, values, known, source="builder")


FORMAT = Format("trec", "TREC topics, classic or XML", _fits, _read)
