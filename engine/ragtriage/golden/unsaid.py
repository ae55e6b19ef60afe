"""What an answer has to mention and none of its evidence says: such a question fails whatever is retrieved and answered."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from ragtriage.answers.must_mention import mentions
from ragtriage.golden.evidence import ResolvedItem, resolve
from ragtriage.golden.gap import evidence_texts
from ragtriage.types import Document, Question, Span

if TYPE_CHECKING:
    from ragtriage.chunking.base import Chunks
    from ragtriage.corpus.base import Corpus

__all__ = ["unsaid", "unsaid_in", "unsaid_text"]

_NOTHING: Mapping[str, str] = {}
_LONGEST = 200_000  # characters; a longer part, such as a whole book, is taken to say it
_SHOWN = 60


def unsaid(
    question: Question, items: Sequence[ResolvedItem], corpus: Corpus, chunks: Chunks | None = None
) -> tuple[tuple[str, ...], ...]:
    """The `must_mention` of which no alternative is stated by the evidence, as `answers.must_mention` compares.

    Looked at are the labelled texts, then the sections and chunks around them with their documents' titles: the words beside a
    quote go into the prompt with it. Empty where the question is unanswerable, or has no evidence that could be read.
    """
    if not (question.answerable and question.must_mention and any(item.found for item in items)):
        return ()
    left = _unstated(question.must_mention, evidence_texts(items, corpus))
    return _unstated(left, _around(items, corpus, chunks)) if left else ()


def unsaid_text(choice: Sequence[str]) -> str:
    """`mentions “48 hours”, which its evidence does not say`, for one of `unsaid`."""
    phrases = " or ".join(f"“{_short(phrase)}”" for phrase in choice)
    return f"mentions {phrases}, which its evidence does not say"


def unsaid_in(
    questions: Iterable[Question], corpus: Corpus, chunks: Chunks | None, known_shas: Mapping[str, str] = _NOTHING
) -> list[str]:
    """`q001 mentions “48 hours”, …` for each of `unsaid`, over `questions`; the obsolete ones are left out."""
    return [
        f"{question.qid} {unsaid_text(choice)}"
        for question in questions
        if question.must_mention and not question.obsolete
        for choice in unsaid(question, resolve(question, corpus, chunks, known_shas), corpus, chunks)
    ]


def _unstated(wanted: Sequence[tuple[str, ...]], texts: Sequence[str]) -> tuple[tuple[str, ...], ...]:
    if any(len(text) > _LONGEST for text in texts):
        return ()
    return tuple(
        choice for choice in wanted if choice and not any(mentions(text, phrase) for phrase in choice for text in texts)
    )


def _around(items: Sequence[ResolvedItem], corpus: Corpus, chunks: Chunks | None) -> list[str]:
    """The innermost section and every chunk that a labelled span lies in or touches, each once, and the titles."""
    found: dict[tuple[str, int, int], str] = {}
    titles: dict[str, None] = {}
    for located in (located for item in items for located in item.spans):
        document = corpus.get(located.doc_id)
        if document is None:
            continue
        titles[document.title] = None
        for span in (*_sections(document, located.span), *_chunks(document, located.span, chunks)):
            found[document.doc_id, span.start, span.end] = document.text[span.start : span.end]
    return [*found.values(), *titles]


def _sections(document: Document, span: Span) -> list[Span]:
    around = [one.span for one in document.sections if one.span.start <= span.start and span.end <= one.span.end]
    return [min(around, key=lambda one: one.end - one.start)] if around else []


def _chunks(document: Document, span: Span, chunks: Chunks | None) -> Iterator[Span]:
    if chunks is None:
        return
    for row in chunks.rows_of(document.doc_id):
        start, end = int(chunks.starts[row]), int(chunks.ends[row])
        if start < span.end and span.start < end:
            yield Span(start, end)


def _short(phrase: str) -> str:
    flat = " ".join(phrase.split())
    return flat if len(flat) <= _SHOWN else f"{flat[: _SHOWN - 1].rstrip()}…"
