from __future__ import annotations

import logging
import random

import pytest

from ragtriage.corpus.base import ParsedFile
from ragtriage.corpus.parsers import parse


def pdf(pages: list[str], title: str = "") -> bytes:
    from fpdf import FPDF

    document = FPDF()
    if title:
        document.set_title(title)
    document.set_font("Helvetica", size=12)
    for text in pages:
        document.add_page()
        if text:
            document.multi_cell(0, 6, text)
    return bytes(document.output())


def parsed(data: bytes) -> ParsedFile:
    return parse("pdf", data, "guide.pdf", "")


PAGES = ["The first page tells how to install the reader.", "", "The third page lists every error code there is."]


def test_every_page_has_a_span_and_thin_ones_are_reported_by_number() -> None:
    result = parsed(pdf(PAGES, "Reader guide"))
    document = result.documents[0]
    assert document.title == "Reader guide"
    assert [document.text[page.start : page.end] for page in document.pages] == PAGES
    assert [(item.reason, item.detail) for item in result.skipped] == [("thin page", "page 2: 0 characters")]


def test_a_scan_stays_a_document_without_text() -> None:
    result = parsed(pdf(["", ""]))
    assert len(result.documents[0].pages) == 2
    assert [item.reason for item in result.skipped] == ["thin page", "thin page", "no text"]


@pytest.mark.parametrize("title", ["untitled", "Microsoft Word - guide.doc", "guide.pdf", " "])
def test_titles_that_programs_wrote_are_none(title: str) -> None:
    assert parsed(pdf(PAGES, title)).documents[0].title == ""


@pytest.mark.parametrize("data", [b"", b"hello", b"%PDF-1.7", b"%PDF-1.4\n%%EOF"])
def test_what_is_no_pdf_is_skipped(data: bytes) -> None:
    result = parsed(data)
    assert not result.documents
    assert result.skipped[0].reason in ("empty", "unreadable")


def test_broken_bytes_are_skipped_without_a_word_elsewhere(caplog: pytest.LogCaptureFixture) -> None:
    whole = pdf(PAGES)
    generator = random.Random(1)
    for _ in range(40):
        broken = bytearray(whole)
        for _ in range(20):
            broken[generator.randrange(len(broken))] = generator.randrange(256)
        parsed(bytes(broken))
    parsed(whole[: len(whole) // 2])
    assert not caplog.records
    assert logging.getLogger("pypdf").level == logging.NOTSET
