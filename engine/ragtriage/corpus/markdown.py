"""Markdown -> text without front matter, title, and sections by ATX and setext headings."""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, Any

from ragtriage.corpus.access_lists import HIDDEN, read_access
from ragtriage.corpus.base import Parsed, ParsedFile
from ragtriage.corpus.decoding import decode, unify_newlines
from ragtriage.corpus.front_matter import FrontMatter, split_front_matter
from ragtriage.corpus.sections import Heading, Slugs, sections_of
from ragtriage.errors import Problem

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

__all__ = ["headings", "may_have_headings", "parse_markdown"]

_MAY = re.compile(r"^ {0,3}(?:#{1,6}(?:[ \t]|$)|=+[ \t]*$|-+[ \t]*$)", re.M)
_LONGEST = 1000  # code points of a heading; what is longer is no heading that anybody wrote
_parser: MarkdownIt | None = None


def parse_markdown(data: bytes, source: str, access_key: str) -> ParsedFile:
    """One document. Its text is the file's text after the front matter. Raises NotText."""
    text = unify_newlines(decode(data))
    front = split_front_matter(text)
    body = text[front.start :]
    access, problems = _access(front, source, access_key)
    if front.error and not problems:
        problems = [Problem(source, 1, f"the front matter is {front.error}; it was left out", severity="warning")]
    found = headings(body)
    title = _title(front.values) or next((heading.text for heading in found if heading.level == 1), "")
    return ParsedFile([Parsed("", title, body, sections_of(found, len(body)), access=access)], tuple(problems))


def _title(values: Mapping[str, Any]) -> str:
    title = values.get("title")
    return " ".join(title.split()) if isinstance(title, str) else ""


def _access(front: FrontMatter, source: str, key: str) -> tuple[tuple[str, ...] | None, list[Problem]]:
    if not key:
        return None, []
    if front.error:
        return HIDDEN, [Problem(source, 1, f"the front matter is {front.error}; the document is hidden until it is mended")]
    if key in front.values:
        return read_access(front.values[key], source, 1, key)
    if re.search(rf"^[\"']?{re.escape(key)}[\"']?[ \t]*[:=]", front.unclosed, re.M):
        return HIDDEN, [Problem(source, 1, "the front matter is never closed; the document is hidden until it is mended", key)]
    return None, []


def may_have_headings(text: str) -> bool:
    """Whether parsing could find any: most plain texts need no parser."""
    return _MAY.search(text) is not None


def headings(text: str) -> list[Heading]:
    """Every heading that is not inside a list or quotation. Those inside only take part in numbering anchors."""
    if not may_have_headings(text):
        return []
    md = _markdown_it()
    tokens: list[Token] = []
    md.block.parse(text, md, {}, tokens)
    lines = [0, *accumulate(len(line) + 1 for line in text.split("\n"))]
    slugs = Slugs()
    found = []
    for token, inline in pairwise(tokens):
        if token.type != "heading_open" or token.map is None:
            continue
        label = _plain(md, inline.content)
        anchor = slugs.anchor(label)
        if token.level == 0:
            found.append(Heading(int(token.tag[1]), label, lines[token.map[0]], anchor))
    return found


def _markdown_it() -> MarkdownIt:
    global _parser  # noqa: PLW0603 - building the rules costs more than a page
    if _parser is None:
        from markdown_it import MarkdownIt

        _parser = MarkdownIt("commonmark").enable("table")
    return _parser


def _plain(md: MarkdownIt, content: str) -> str:
    """What a reader sees of a heading: no markup, no link targets."""
    if len(content) > _LONGEST:
        return " ".join(content[:_LONGEST].split())
    parts: list[str] = []
    for block in md.parseInline(content):
        for token in block.children or ():
            if token.type in ("text", "code_inline", "text_special"):
                parts.append(token.content)
            elif token.type in ("softbreak", "hardbreak"):
                parts.append(" ")
    return "".join(parts).strip()
