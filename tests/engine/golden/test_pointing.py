"""Evidence as a person names it."""

from __future__ import annotations

from typing import Any

import pytest
from tests.engine.golden.tiny import chunks_of, corpus_of

from ragtriage.errors import CorpusError, GoldenError, UsageError
from ragtriage.golden.pointing import place_of, quoted

REFUNDS = (
    "# Refunds\nSend it back within 30 days.\n\n## Fees\nA fee of 15 percent applies.\nA fee of 15 percent applies. Always.\n"
)
LINES = "\n".join(f"Row {number}. The same. End {number}." for number in range(12))
CORPUS = corpus_of({"refunds": REFUNDS, "lines": LINES, "empty": "# Nothing\n", "odd:3": "An odd name."})
CHUNKS = chunks_of(CORPUS, {"refunds": [(0, 40), (40, len(REFUNDS))]})


def text_of(doc: str, quote: str) -> str:
    mark = quoted(CORPUS, doc, quote)
    return CORPUS.document(mark.doc_id).text[mark.span.start : mark.span.end] if mark.span else ""


def test_a_quote_in_its_document() -> None:
    assert text_of("refunds", "within 30 days") == "within 30 days"
    assert text_of("refunds.md", "WITHIN  30 days") == "within 30 days"
    assert quoted(CORPUS, "odd:3", "odd name").doc_id == "odd:3"  # no line: a document is called so


def test_a_line_tells_which_of_several_is_meant() -> None:
    first, second = REFUNDS.index("A fee"), REFUNDS.rindex("A fee")
    for line, start in ((5, first), (6, second)):
        span = quoted(CORPUS, f"refunds:{line}", "fee of 15 percent").span
        assert span is not None
        assert span.start == start + 2


@pytest.mark.parametrize(
    ("doc", "quote", "says"),
    [
        ("refunds", "within 60 days", "refunds does not say 'within 60 days'; ragtriage find"),
        ("refunds", "  ", "refunds does not say ''"),
        ("refunds:4", "within 30 days", "does not say 'within 30 days' on line 4, but on line 2$"),
        (
            "refunds",
            "A fee of 15 percent",
            r"2 times, on lines 5 and 6; quote more of it, or name the line: --quote refunds:5 ",
        ),
        ("lines", "The same", r"12 times, on lines 1, 2, 3, 4, 5, 6, 7, 8 and 4 more; quote more"),
        ("refunds", "none " * 40, r"does not say '(none ){15}none…'"),
    ],
)
def test_a_quote_that_is_not_there_or_in_several_places(doc: str, quote: str, says: str) -> None:
    with pytest.raises(UsageError, match=says):
        quoted(CORPUS, doc, quote)


def test_no_such_document() -> None:
    for doc in ("refund", "refund:3"):
        with pytest.raises(CorpusError, match="refund"):
            quoted(CORPUS, doc, "within 30 days")
    with pytest.raises(CorpusError, match="nowhere"):
        place_of("nowhere.md#fees", CORPUS, CHUNKS)


@pytest.mark.parametrize(("text", "item"), [("refunds.md#fees", "refunds.md#fees"), ("refunds.md", "refunds.md")])
def test_a_coarse_place(text: str, item: Any) -> None:
    assert place_of(text, CORPUS, CHUNKS) == item


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("refunds.md#shipping", "--evidence refunds.md#shipping: the document has no such heading or page"),
        ("refunds.md#page=3", "the document has no such heading or page"),
        ("", "--evidence : "),
    ],
)
def test_a_place_where_nothing_is(text: str, says: str) -> None:
    with pytest.raises(UsageError, match=says):
        place_of(text, CORPUS, CHUNKS)


def test_a_chunk_by_its_id() -> None:
    item = place_of(CHUNKS.ids[1], CORPUS, CHUNKS)
    assert item["chunk"] == CHUNKS.ids[1]
    with pytest.raises((GoldenError, CorpusError), match="refunds#9"):
        place_of("refunds#9", CORPUS, CHUNKS)
