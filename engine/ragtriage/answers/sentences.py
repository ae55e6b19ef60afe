"""Sentences of a passage, by position. Knows what documents are made of: list items, table rows and code are units too."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ragtriage.types import Span

__all__ = ["is_heading", "sentence_spans", "table_cells"]

# a fence, or a line with those that continue its paragraph or list item; a heading and a table row are a line of their own
_BLOCK = re.compile(
    r"^[^\S\n]*+(?:```.*?(?:^[ \t]*```[^\n]*|\Z)|(?:#{1,6}[ \t]|\|)[^\n]*"
    r"|\S[^\n]*(?:\n(?![ \t]*+(?:[-*+•|>][ \t]|\||#{1,6}[ \t]|\d{1,3}[.)][ \t]|```|\n|$))[^\n]+)*)",
    re.DOTALL | re.MULTILINE,
)
_END = re.compile(r"""(?<![.!?])[.!?]++["'”’)\]*_]*+(?:\s*\[\d{1,3}\])*(?=\s)|[。！？]+""")
_ABBREVIATION = re.compile(
    r"(?:^|[\s(\[])(?:e\.g|i\.e|etc|vs|cf|ca|approx|incl|no|nr|fig|eq|sec|ch|vol|pp?|dr|mrs?|ms|prof|st|jr|sr|inc|ltd|co|corp"
    r"|u\.s|u\.k|a\.m|p\.m|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec|[a-z])\.$",
    re.IGNORECASE,
)
_NEXT_IS_LOWER = re.compile(r"\s+[a-z]")
_HEADING = re.compile(r"#{1,6}[ \t]")


def is_heading(sentence: str) -> bool:
    """Whether a unit is a Markdown heading: it says what follows is about, and answers nothing itself."""
    return bool(_HEADING.match(sentence))


def table_cells(sentence: str) -> list[str]:
    """The cells of a unit that is a row of a Markdown table; empty for any other."""
    return [cell.strip() for cell in sentence.strip("|").split("|")] if sentence.startswith("|") else []


def sentence_spans(text: str, *, small: bool = False) -> list[Span]:
    """Half-open spans in code points, ascending, without surrounding white space; a unit holds at least one letter or digit.
    `small`: a sentence may begin with a small letter, as people type.
    """
    return [span for span in _units(text, small) if any(map(str.isalnum, text[span.start : span.end]))]


def _units(text: str, small: bool) -> Iterator[Span]:
    for block in _BLOCK.finditer(text):
        start, end = block.span()
        if text.startswith(("```", "|"), start) or is_heading(block[0].lstrip()):
            yield _trimmed(text, start, end)
            continue
        for stop in _END.finditer(text, start, end):
            if (not small and _NEXT_IS_LOWER.match(text, stop.end())) or _ABBREVIATION.search(text[start : stop.end()][-12:]):
                continue
            yield _trimmed(text, start, stop.end())
            start = stop.end()
        yield _trimmed(text, start, end)


def _trimmed(text: str, start: int, end: int) -> Span:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return Span(start, end)
