"""Which parser reads which file, by suffix; and parsing that never raises."""

from __future__ import annotations

from collections.abc import Callable

from ragtriage.corpus.base import ParsedFile, Skipped
from ragtriage.corpus.decoding import NotText

__all__ = ["VERSION", "Parser", "kind_of", "parse"]

VERSION = 3
"""Raised whenever a parser gives something else for the same bytes: every cached text is then made anew."""

Parser = Callable[[bytes, str, str], ParsedFile]
"""parser(data, source, access_key). Raises NotText."""

_KINDS = {
    "md": "markdown", "markdown": "markdown", "mdown": "markdown", "mdx": "markdown",
    "html": "html", "htm": "html", "xhtml": "html",
    "pdf": "pdf",
    "jsonl": "jsonl", "ndjson": "jsonl",
}  # fmt: skip


def kind_of(source: str) -> str:
    """ "markdown", "html", "pdf", "jsonl" or, for every other suffix, "text"."""
    name = source.rpartition("/")[2]
    return _KINDS.get(name.rpartition(".")[2].lower(), "text") if "." in name else "text"


def _parser(kind: str) -> Parser:
    if kind == "markdown":
        from ragtriage.corpus.markdown import parse_markdown

        return parse_markdown
    if kind == "html":
        from ragtriage.corpus.html import parse_html

        return parse_html
    if kind == "pdf":
        from ragtriage.corpus.pdf import parse_pdf

        return parse_pdf
    if kind == "jsonl":
        from ragtriage.corpus.jsonl import parse_jsonl

        return parse_jsonl
    if kind == "beir":
        from ragtriage.corpus.jsonl import parse_beir_corpus

        return parse_beir_corpus
    from ragtriage.corpus.plain_text import parse_plain_text

    return parse_plain_text


def parse(kind: str, data: bytes, source: str, access_key: str) -> ParsedFile:
    """All that a file gives; a file that gives nothing is a Skipped, whatever its bytes."""
    try:
        parsed = _parser(kind)(data, source, access_key)
    except NotText as error:
        return ParsedFile([], skipped=(Skipped(source, error.reason, error.detail),))
    except RecursionError:
        return ParsedFile([], skipped=(Skipped(source, "unreadable", "nested too deeply"),))
    if kind == "jsonl" or kind == "beir":
        return parsed
    empty = [document for document in parsed.documents if not document.text.strip()]
    if not empty:
        return parsed
    skipped = (*parsed.skipped, Skipped(source, "no text"))
    # A scanned PDF stays a document, so that a label on it can be told from a label on a missing file.
    return parsed._replace(documents=parsed.documents if kind == "pdf" else [], skipped=skipped)
