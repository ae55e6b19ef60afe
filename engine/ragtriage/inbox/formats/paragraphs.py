"""Plain text, one complaint a paragraph."""

from __future__ import annotations

import re

from ragtriage.inbox.formats.base import Content, Format, Found, Record

__all__ = ["FORMAT"]

_PARAGRAPH = re.compile(r"\S[^\n]*(?:\n[^\S\n]*\S[^\n]*)*")
_RULE = re.compile(r"[-=*_#~\s]{3,}")


def _read(content: Content) -> Found:
    records = []
    line, counted = 1, 0
    for match in _PARAGRAPH.finditer(content.text):
        line, counted = line + content.text.count("\n", counted, match.start()), match.start()
        if _RULE.fullmatch(match[0]) is None:
            records.append(Record(line, known={"text": match[0].rstrip()}, source="ticket"))
    return Found(records, [])


FORMAT = Format("text", "plain text, one complaint a paragraph", lambda content: True, _read)
