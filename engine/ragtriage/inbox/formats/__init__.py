"""What can be imported: one module a format, told apart by content. A new format is one more module in the table."""

from __future__ import annotations

from ragtriage.errors import UsageError
from ragtriage.inbox.formats.base import Content, Format
from ragtriage.inbox.formats.chat import FORMAT as CHAT
from ragtriage.inbox.formats.paragraphs import FORMAT as PARAGRAPHS
from ragtriage.inbox.formats.promptfoo import FORMAT as PROMPTFOO
from ragtriage.inbox.formats.ragas import FORMAT as RAGAS
from ragtriage.inbox.formats.records import FORMAT as RECORDS
from ragtriage.inbox.formats.table import FORMAT as TABLE
from ragtriage.inbox.formats.trace import FORMAT as TRACE
from ragtriage.inbox.formats.trec import FORMAT as TREC

__all__ = ["FORMATS", "NAMES", "format_of"]

FORMATS: tuple[Format, ...] = (
    PROMPTFOO, TRACE, CHAT, RAGAS, RECORDS, TREC, TABLE, PARAGRAPHS,
)  # fmt: skip
"""In the order in which content is asked: the first that fits reads it; any text is paragraphs."""

_ALSO = {"json": "jsonl", "tsv": "csv"}
NAMES: tuple[str, ...] = tuple(sorted((*(one.name for one in FORMATS), *_ALSO)))
"""What `--format` takes."""


def format_of(content: Content, name: str = "") -> Format:
    """The format of that name, or the one that fits. Raises UsageError for a name that is none."""
    if name:
        wanted = _ALSO.get(name, name)
        found = next((one for one in FORMATS if one.name == wanted), None)
        if found is None:
            raise UsageError(f"{name!r} is no format; known are {', '.join(NAMES)}")
        return found
    return next(one for one in FORMATS if one.fits(content))
