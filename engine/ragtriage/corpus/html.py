"""HTML -> the text a reader sees, with sections by h1 to h6.

Paragraphs are parted by a blank line, rows and list items stand on lines of their own, cells are parted by ` | `.
Navigation is left out: it is the same on every page.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ragtriage.corpus.access_lists import read_access
from ragtriage.corpus.base import Parsed, ParsedFile
from ragtriage.corpus.decoding import NotText, decode, scrub, unify_newlines
from ragtriage.corpus.sections import Heading, Slugs, sections_of, slug
from ragtriage.errors import Problem

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser, LexborNode

__all__ = ["parse_html"]

_UNSEEN = frozenset(
    ("script", "style", "template", "noscript", "head", "nav", "svg", "iframe", "object", "select", "datalist", "dialog")
)
_PARAGRAPHS = frozenset(
    ("address", "article", "aside", "blockquote", "body", "details", "dl", "fieldset", "figure", "footer", "form", "h1", "h2",
     "h3", "h4", "h5", "h6", "header", "hgroup", "hr", "main", "ol", "p", "pre", "section", "table", "ul")
)  # fmt: skip
_LINES = frozenset(
    ("br", "caption", "dd", "div", "dt", "figcaption", "legend", "li", "option", "summary", "tbody", "tfoot", "thead", "tr")
)
_HEADINGS = frozenset(("h1", "h2", "h3", "h4", "h5", "h6"))
_CLOSE_THEMSELVES = frozenset(
    ("area", "base", "br", "col", "dd", "dt", "embed", "hr", "img", "input", "li", "link", "meta", "optgroup", "option", "p",
     "source", "tbody", "td", "tfoot", "th", "thead", "tr", "track", "wbr")
)  # fmt: skip
_TAG = re.compile(r"<(/?)([a-zA-Z][a-zA-Z0-9]*)")
_DEEPEST = 3000  # the time to build a tree grows with the square of its depth; browsers stop at 512
_SPACE = re.compile(r"[ \t\n\f\r\u00a0]+")


def parse_html(data: bytes, source: str, access_key: str) -> ParsedFile:
    """One document. Anchors are the headings' own ids where they have one. Raises NotText."""
    from selectolax.lexbor import LexborHTMLParser

    markup = scrub(unify_newlines(decode(data)))
    if _depth(markup) > _DEEPEST:
        raise NotText("unreadable", f"elements are nested more than {_DEEPEST} deep")
    tree = LexborHTMLParser(markup)
    page = _Page()
    if tree.body is not None:
        page.read(tree.body)
    text = "".join(page.out)
    access: tuple[str, ...] | None = None
    problems: list[Problem] = []
    value = _meta(tree, access_key) if access_key else None
    if value is not None:
        access, problems = read_access(value, source, 0, access_key)
    top = next((heading.text for heading in page.headings if heading.level == 1), "")
    title = _title(tree) or top
    parsed = Parsed("", title, text, sections_of(page.headings, len(text)), access=access)
    return ParsedFile([parsed], tuple(problems))


def _title(tree: LexborHTMLParser) -> str:
    node = tree.css_first("head > title")
    return "" if node is None else scrub(" ".join(node.text().split()))


def _meta(tree: LexborHTMLParser, name: str) -> str | None:
    for node in tree.css("meta"):
        if (node.attributes.get("name") or "").lower() == name.lower():
            return node.attributes.get("content") or ""
    return None


class _Page:
    """Walks a tree without recursion, because hostile pages nest a hundred thousand deep."""

    def __init__(self) -> None:
        self.out: list[str] = []
        self.headings: list[Heading] = []
        self.length = 0
        self._breaks = 0  # line ends owed before the next text: 1 a line, 2 a paragraph
        self._space = False
        self._mark = ""  # a bullet, or what parts two cells: owed before the next text
        self._pre = 0
        # level, id, pieces and length of the text before; None: a heading inside it has ended it
        self._open: list[tuple[int, str, int, int] | None] = []
        self._slugs = Slugs()

    def read(self, body: LexborNode) -> None:
        node = body
        opened: list[LexborNode] = []
        while True:
            if self._enter(node):
                inside = node.first_child
                if inside is not None:
                    opened.append(node)
                    node = inside
                    continue
                self._leave(node.tag or "")
            while opened and node.next is None:
                node = opened.pop()
                self._leave(node.tag or "")
            if not opened or node.next is None:
                return
            node = node.next

    def _enter(self, node: LexborNode) -> bool:
        """Whether to look inside."""
        tag = node.tag
        if tag == "-text":
            self._text(node.text_content or "")
            return False
        if tag is None or tag.startswith(("-", "!")) or tag in _UNSEEN or _is_hidden(node):
            return False
        self._break(tag)
        if tag == "pre":
            self._pre += 1
        elif tag == "li":
            self._mark = "- "
        elif tag in ("td", "th"):
            self._mark = "" if self._breaks or not self.out else " | "
        elif tag in _HEADINGS:
            if self._open and (outer := self._open[-1]):
                self._heading(*outer)
                self._open[-1] = None
            self._open.append((int(tag[1]), node.attributes.get("id") or "", len(self.out), self.length))
        return True

    def _leave(self, tag: str) -> None:
        if tag == "pre":
            self._pre -= 1
        elif tag in _HEADINGS and self._open and (heading := self._open.pop()):
            self._heading(*heading)
        self._break(tag)

    def _heading(self, level: int, own_id: str, pieces: int, before: int) -> None:
        text = "".join(self.out[pieces:])
        label = " ".join(text.split())
        if label:
            start = before + len(text) - len(text.lstrip("\n"))
            anchor = self._slugs.unique(scrub(own_id) or slug(label))
            self.headings.append(Heading(level, label, start, anchor))

    def _break(self, tag: str) -> None:
        if tag in _PARAGRAPHS:
            self._breaks = max(self._breaks, 2)
        elif tag in _LINES:
            self._breaks = max(self._breaks, 1)

    def _text(self, text: str) -> None:
        if self._pre:
            if text.strip():
                self._put(text.strip("\n") if self._breaks else text)
            elif "\n" in text:
                self._breaks = max(self._breaks, 1)
            return
        parts = _SPACE.split(text)
        if not parts[0]:
            self._space = True
            parts = parts[1:]
        if parts and any(parts):
            trailing = not parts[-1]
            self._put(" ".join(part for part in parts if part))
            self._space = trailing

    def _put(self, text: str) -> None:
        if self._breaks and self.out:
            text = "\n" * self._breaks + self._mark + text
        elif self._mark:
            text = self._mark + text
        elif self._space and self.out and not self.out[-1].endswith((" ", "\n")):
            text = " " + text
        self._breaks, self._space, self._mark = 0, False, ""
        self.out.append(text)
        self.length += len(text)


def _depth(markup: str) -> int:
    """How deep elements are nested, about."""
    depth = deepest = 0
    if markup.count("<") > _DEEPEST:
        for close, name in _TAG.findall(markup):
            if name.lower() not in _CLOSE_THEMSELVES:
                depth = max(0, depth + (-1 if close else 1))
                deepest = max(deepest, depth)
    return deepest


def _is_hidden(node: LexborNode) -> bool:
    attributes = node.attributes
    return "hidden" in attributes or attributes.get("aria-hidden") == "true"
