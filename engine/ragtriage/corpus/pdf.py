"""PDF -> the text of its pages, one span a page, counted from 1."""

from __future__ import annotations

import io
import logging
import warnings
from collections.abc import Iterator
from contextlib import contextmanager

from ragtriage.corpus.base import Parsed, ParsedFile, Skipped
from ragtriage.corpus.decoding import NotText, scrub, unify_newlines
from ragtriage.types import Span

__all__ = ["THIN_PAGE", "parse_pdf"]

THIN_PAGE = 20
"""A page with fewer characters than this is probably a picture, and is reported."""

_JOIN = "\n\n"


def parse_pdf(data: bytes, source: str, access_key: str) -> ParsedFile:
    """One document, its pages joined by blank lines. Raises NotText where pypdf cannot open it."""
    if not data:
        raise NotText("empty")
    title, texts = _extract(data)
    spans = []
    start = 0
    for text in texts:
        spans.append(Span(start, start + len(text)))
        start += len(text) + len(_JOIN)
    thin = tuple(
        Skipped(source, "thin page", f"page {number}: {count} characters")
        for number, text in enumerate(texts, start=1)
        if (count := sum(not char.isspace() for char in text)) < THIN_PAGE
    )
    return ParsedFile([Parsed("", title, _JOIN.join(texts), pages=tuple(spans))], skipped=thin)


def _extract(data: bytes) -> tuple[str, list[str]]:
    from pypdf import PdfReader

    with _quiet():
        try:
            reader = PdfReader(io.BytesIO(data))
            if reader.is_encrypted and not reader.decrypt(""):
                raise NotText("unreadable", "the PDF is encrypted")
            texts = [_clean(page.extract_text()) for page in reader.pages]
            return _title(reader.metadata.title if reader.metadata else None), texts
        except NotText:
            raise
        except Exception as error:  # pypdf raises whatever a broken file makes its code run into
            reason = str(error).strip().split("\n")[0][:200] or type(error).__name__
            raise NotText("unreadable", f"not a PDF that can be read: {reason}") from None


def _clean(text: str) -> str:
    return scrub(unify_newlines(text)).replace("\0", "").strip()


def _title(title: object) -> str:
    """The title the author gave; word processors put file names and their own there."""
    text = scrub(" ".join(title.replace("\0", "").split())) if isinstance(title, str) else ""
    given = text and not text.lower().startswith(("untitled", "microsoft word", "(anonymous)")) and "." not in text[-6:]
    return text if given else ""


@contextmanager
def _quiet() -> Iterator[None]:
    """pypdf tells the log and the warnings about every oddity of a file, in the middle of a screen."""
    logger = logging.getLogger("pypdf")
    level = logger.level
    logger.setLevel(logging.CRITICAL + 1)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        logger.setLevel(level)
