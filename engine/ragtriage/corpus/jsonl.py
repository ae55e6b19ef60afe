"""JSON lines: documents, ready-made chunks, and the corpus.jsonl of a BEIR folder.

Texts are taken as they stand, line ends included, because offsets into them were made elsewhere.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ragtriage.corpus.access_lists import HIDDEN, read_access
from ragtriage.corpus.base import Parsed, ParsedFile, Skipped
from ragtriage.corpus.decoding import NotText, decode, scrub
from ragtriage.corpus.markdown import headings, may_have_headings
from ragtriage.corpus.sections import sections_of
from ragtriage.errors import Problem
from ragtriage.json_lines import load_json, not_json
from ragtriage.types import Cut, Span

__all__ = ["parse_beir_corpus", "parse_jsonl"]

_JOIN = "\n\n"


def parse_jsonl(data: bytes, source: str, access_key: str) -> ParsedFile:
    """Documents `{"id"|"_id"|"doc_id", "title"?, "text", "access"?}` and chunks `{"chunk_id", "doc_id", "text", …}`.

    The chunks of one document become one Document, in the order of their lines. Raises NotText.
    """
    reader = _Reader(source, access_key)
    documents: list[Parsed | _Chunked] = []
    chunked: dict[str, _Chunked] = {}
    for line, value in reader.lines(data):
        text = reader.text(line, value)
        if text is None:
            continue
        if "chunk_id" in value:
            chunk_id = _identifier(value, "chunk_id")
            if not chunk_id:
                reader.problem(line, "chunk_id must be a string that is not empty")
                continue
            doc_id = _identifier(value, "doc_id", "id", "_id") or chunk_id.partition("#")[0] or chunk_id
            if doc_id not in chunked:
                chunked[doc_id] = _Chunked(doc_id)
                documents.append(chunked[doc_id])
            chunked[doc_id].add(chunk_id, text, reader.title(value), reader.access(line, value))
            continue
        parsed = reader.document(line, value, text)
        if parsed is not None:
            documents.append(parsed)
    return reader.result([item.parsed() if isinstance(item, _Chunked) else item for item in documents])


def parse_beir_corpus(data: bytes, source: str, access_key: str) -> ParsedFile:
    """Each line is a document of one chunk whose id is its `_id`, also where its text is empty. Raises NotText."""
    reader = _Reader(source, access_key)
    documents = []
    spans: dict[int, Span] = {}  # a million texts have a few thousand lengths
    for line, value in reader.lines(data):
        text = reader.text(line, value)
        parsed = None if text is None else reader.document(line, value, text, plain=True)
        if parsed is not None:
            span = spans.setdefault(len(parsed.text), Span(0, len(parsed.text)))
            documents.append(parsed._replace(cuts=(Cut(parsed.doc_id, span),)))
    return reader.result(documents)


class _Reader:
    """Goes through the lines of one file and collects what is wrong with them."""

    def __init__(self, source: str, access_key: str) -> None:
        self.source = source
        self.access_key = access_key
        self.problems: list[Problem] = []
        self.skipped: list[Skipped] = []
        self.textless = 0

    def problem(self, line: int, message: str, key: str = "") -> None:
        self.problems.append(Problem(self.source, line, message, key))

    def lines(self, data: bytes) -> Iterator[tuple[int, dict[str, Any]]]:
        if data.startswith((b"\xff\xfe", b"\xfe\xff")) or b"\0" in data:
            data = decode(data).encode("utf-8")
        data = data.removeprefix(b"\xef\xbb\xbf")
        if not data.strip():
            raise NotText("empty")
        for line, raw in enumerate(_lines(data), start=1):
            if not raw.strip():
                continue
            try:
                value = load_json(raw)
            except ValueError as error:
                self.problem(line, not_json(error))
                continue
            if isinstance(value, dict):
                yield line, value
            else:
                self.problem(line, "a JSON object is needed")

    def text(self, line: int, value: Mapping[str, Any]) -> str | None:
        text = value.get("text")
        if not isinstance(text, str):
            self.problem(line, "a document needs its text as a string", "text")
            self.textless += 1
            return None
        text = scrub(text)
        if not text.strip():
            name = _identifier(value, "chunk_id", "id", "_id", "doc_id")
            self.skipped.append(Skipped(self.source, "no text", f"line {line}{f', {name}' if name else ''}"))
        return text

    def title(self, value: Mapping[str, Any]) -> str:
        title = value.get("title")
        return " ".join(scrub(title).split()) if isinstance(title, str) else ""

    def access(self, line: int, value: Mapping[str, Any]) -> tuple[str, ...] | None:
        key = self.access_key if self.access_key and self.access_key in value else "access"
        if key not in value:
            return None
        groups, problems = read_access(value[key], self.source, line, key)
        self.problems += problems
        return groups

    def document(self, line: int, value: Mapping[str, Any], text: str, *, plain: bool = False) -> Parsed | None:
        doc_id = _identifier(value, "id", "_id", "doc_id")
        if not doc_id:
            self.problem(line, "a document needs an id: one of id, _id, doc_id")
            return None
        found = headings(text) if not plain and "#" in text and may_have_headings(text) else []
        sections = sections_of(found, len(text))
        title = self.title(value) or next((heading.text for heading in found if heading.level == 1), "")
        return Parsed(doc_id, title, text, sections, access=self.access(line, value))

    def result(self, documents: list[Parsed]) -> ParsedFile:
        """A file of something else than documents (a log, a golden set) is one problem, not one a line."""
        if not documents and self.textless > 1 and self.textless == len(self.problems):
            message = f"none of its {self.textless} lines is a document; leave the file out of corpus.include"
            self.problems = [Problem(self.source, 0, message)]
        return ParsedFile(documents, tuple(self.problems), tuple(self.skipped))


def _lines(data: bytes) -> Iterator[bytes]:
    """The lines one by one: all of them at once would be the file a second time."""
    start = 0
    while (end := data.find(b"\n", start)) >= 0:
        yield data[start:end]
        start = end + 1
    yield data[start:]


class _Chunked:
    """A document that grows by its ready-made chunks."""

    def __init__(self, doc_id: str) -> None:
        self.doc_id = doc_id
        self.title = ""
        self.access: tuple[str, ...] | None = None
        self.texts: list[str] = []
        self.cuts: list[Cut] = []
        self.length = 0

    def add(self, chunk_id: str, text: str, title: str, access: tuple[str, ...] | None) -> None:
        start = self.length + len(_JOIN) if self.texts else 0
        self.cuts.append(Cut(chunk_id, Span(start, start + len(text))))
        self.length = start + len(text)
        self.texts.append(text)
        self.title = self.title or title
        if self.access is None:
            self.access = access
        elif access is not None:  # a document is as restricted as its most restricted chunk
            self.access = tuple(group for group in self.access if group in access) or HIDDEN

    def parsed(self) -> Parsed:
        return Parsed(self.doc_id, self.title, _JOIN.join(self.texts), access=self.access, cuts=tuple(self.cuts))


def _identifier(value: Mapping[str, Any], *keys: str) -> str:
    for key in keys:
        found = value.get(key)
        if isinstance(found, str) and found.strip():
            return scrub(found)
        if isinstance(found, int) and not isinstance(found, bool):
            return str(found)
    return ""
