"""From what a person marked to an object ready for the golden file.

A marked span grows to whole sentences and becomes a quote with the offset it was marked at; text around it is written down only
where the quote alone would be ambiguous. A chunk marked as a whole keeps its id, its hash and its text as quote, so that the
label is exact under this chunking and survives the next; a chunk of many pages is no quote and keeps id and hash alone.
Must-mentions are suggested, never written unasked.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from ragtriage.answers.sentences import sentence_spans
from ragtriage.errors import GoldenError
from ragtriage.golden.quotes import find_quote
from ragtriage.ids import question_id, text_sha
from ragtriage.surrogates import clean_text
from ragtriage.types import Document, Kind, Span, Split

if TYPE_CHECKING:
    from ragtriage.chunking.base import Chunks
    from ragtriage.corpus.base import Corpus

__all__ = ["SHA_LENGTH", "Mark", "grown", "label", "new_question", "quote_of", "suggest_must_mention"]

SHA_LENGTH = 16
"""Hex digits of a chunk's hash that a label keeps."""

_CONTEXT = (16, 32, 64, 128, 256)
_MONTH = r"(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Sept|Oct|Nov|Dec)[a-z]*\.?"
_MENTION = re.compile(
    rf"""
      \d{{4}}-\d{{2}}-\d{{2}}                                                   # a date
    | \d{{1,2}}(?:st|nd|rd|th)?\s{_MONTH}(?:,?\s\d{{4}})?
    | {_MONTH}\s\d{{1,2}}(?:st|nd|rd|th)?(?:,?\s\d{{4}})?(?!\d)
    | \d{{1,2}}:\d{{2}}(?:\s?[ap]\.?m\b)?                                       # a time
    | (?<![\w.-])(?=[\w./-]*\d)(?=[\w./-]*[^\W\d_])[^\W_][^\W_]*(?:[._/-][^\W_]+)+(?![\w-])   # a code: ERR_4021, AX-104, v1.2.3
    | (?<![\w])[^\W\d_]+\d[\w]*(?![\w])                                         # E42, v2
    | [$€£¥₹]\s?\d[\d.,]*\d?(?:\s?(?:million|billion|thousand|k|m|bn)\b)?       # money
    | (?<![\w.])\d[\d.,]*(?:\s?[%°€£]|(?:\s|-)[^\W\d_]{{1,20}})?                # a number and what it counts
    """,
    re.VERBOSE | re.IGNORECASE,
)
_NOT_COUNTED = frozenset(
    ("and", "or", "of", "to", "in", "on", "at", "by", "for", "with", "from", "is", "are", "was", "were", "the", "a", "an", "if")
)
_MOST_MENTIONS = 8
_REACH = 20_000
_LONGEST_QUOTE = 4_000


class Mark(NamedTuple):
    """What a person marked: a span of a document, or a whole chunk (then `chunk_id` is set). `doc_id` alone: the document."""

    doc_id: str
    span: Span | None = None
    chunk_id: str = ""


def new_question(
    text: str,
    marks: Sequence[Mark],
    corpus: Corpus,
    chunks: Chunks | None = None,
    *,
    kind: Kind = "",
    split: Split = "dev",
    answerable: bool = True,
    must_mention: Iterable[str] = (),
    expected_answer: str = "",
    tags: Sequence[str] = (),
    access: Sequence[str] | None = None,
    source: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """The object to append, with a hash as id. Raises GoldenError where a mark fits nothing, CorpusError for its document."""
    text = clean_text(text).strip()
    if not text:
        raise GoldenError("the question is empty")
    answerable = answerable and kind != "unanswerable"
    if not answerable and marks:
        raise GoldenError("evidence is marked: either the corpus has no answer, or these places are it")
    obj: dict[str, Any] = {"qid": question_id(text), "question": text}
    if kind:
        obj["kind"] = kind
    if split != "dev":
        obj["split"] = split
    if tags:
        obj["tags"] = list(tags)
    if access is not None:
        obj["access"] = list(access)
    if not answerable:
        obj["answerable"] = False
    if marks:
        obj["evidence"] = [label(mark, corpus, chunks) for mark in marks]
    if expected_answer.strip():
        obj["expected_answer"] = expected_answer
    if mentions := list(must_mention):
        obj["answer_must_mention"] = mentions
    if source:
        obj["source"] = dict(source)
    return obj


def label(mark: Mark, corpus: Corpus, chunks: Chunks | None = None) -> dict[str, Any]:
    """One evidence item for a mark. Raises GoldenError, CorpusError."""
    if mark.chunk_id:
        row = chunks.row(mark.chunk_id) if chunks is not None else None
        if chunks is None or row is None:
            raise GoldenError(f"{mark.chunk_id}: no such chunk under this chunking; mark the place in its document")
        document = chunks.document_of(row)
        chunk = {"chunk": mark.chunk_id, "chunk_sha": text_sha(chunks.text(row))[:SHA_LENGTH]}
        span = Span(int(chunks.starts[row]), int(chunks.ends[row]))
        span = _trimmed(document.text, span)
        return {**chunk, **quote_of(document, span)} if span.end - span.start <= _LONGEST_QUOTE else chunk
    document = corpus.document(mark.doc_id)
    if mark.span is None:
        return {"doc": document.doc_id}
    span = grown(document.text, mark.span)
    if span.start >= span.end:
        raise GoldenError(f"{document.doc_id}: nothing but white space is marked")
    return quote_of(document, span)


def grown(text: str, span: Span) -> Span:
    """The span grown to the whole sentences it touches, without white space around; empty where it touches none.

    What is no sentence (a rule, a row of signs) is kept as it was marked.
    """
    span = _trimmed(text, span)
    if span.start >= span.end:
        return Span(span.start, span.start)
    low = max(0, text.rfind("\n\n", 0, max(0, span.start - _REACH)))  # sentences of a whole book would take a second
    high = text.find("\n\n", span.end + _REACH)
    around = sentence_spans(text[low : high if high >= 0 else len(text)])
    touched = [one for one in around if low + one.start < span.end and span.start < low + one.end]
    if not touched:
        return span
    return Span(min(span.start, low + touched[0].start), max(span.end, low + touched[-1].end))


def suggest_must_mention(quotes: Iterable[str]) -> tuple[str, ...]:
    """Numbers with what they count, dates, times, amounts and codes of the evidence, each once, in order; at most eight."""
    out: dict[str, str] = {}
    for quote in quotes:
        for match in _MENTION.finditer(quote):
            mention = " ".join(match[0].split()).rstrip(".,-")
            number, _, unit = mention.partition(" ")
            if unit.lower() in _NOT_COUNTED and number[:1].isdigit():
                mention = number
            out.setdefault(mention.lower(), mention)
    return tuple(out.values())[:_MOST_MENTIONS]


def quote_of(document: Document, span: Span) -> dict[str, Any]:
    """The label of exactly this text: its words, where they stand, and what is around them where they stand there twice."""
    text = document.text
    quote = text[span.start : span.end]
    out: dict[str, Any] = {"doc": document.doc_id, "quote": quote, "at": span.start}
    if len(find_quote(text, quote, at=None).spans) > 1:
        out |= _context(text, span)
    return out


def _context(text: str, span: Span) -> dict[str, str]:
    """As much text before and after as makes the quote unique, if any does: else the offset alone must tell."""
    quote = text[span.start : span.end]
    for reach in _CONTEXT:
        prefix = text[max(0, span.start - reach) : span.start]
        suffix = text[span.end : span.end + reach]
        for before, after in ((prefix, ""), ("", suffix), (prefix, suffix)):
            if find_quote(text, quote, prefix=before, suffix=after).spans == (span,):
                return {name: part for name, part in (("prefix", before), ("suffix", after)) if part}
    return {}


def _trimmed(text: str, span: Span) -> Span:
    start, end = max(0, span.start), min(len(text), span.end)
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return Span(start, max(start, end))
