"""The vocabulary gap: how much of a question is said in the words of its own evidence.

Users do not know the words of the page that answers them. Where nearly every word of a question occurs in its evidence, it was
written from the page, and retrieval by words finds it more easily than anything a user would ask.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from statistics import fmean
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from ragtriage.corpus.base import Corpus
    from ragtriage.golden.evidence import ResolvedItem
    from ragtriage.types import Question

__all__ = ["Gaps", "Terms", "evidence_texts", "gaps", "vocabulary_gap"]

Terms: TypeAlias = Callable[[str], list[str]]
"""A text's content words as the index has them: see search.lexical.content_terms."""


_PIECE = 1_000  # characters, so that no piece has more words than are looked at


class Gaps(NamedTuple):
    """The gap of each question that has one, by id; their mean, None where there is none; and the mean of each kind."""

    questions: dict[str, float]
    mean: float | None
    by_kind: dict[str, float]


def vocabulary_gap(question: str, evidence: Iterable[str], terms: Terms) -> float | None:
    """The share, 0 to 1, of the question's different content words that occur in its evidence; None where either has none."""
    asked = set(terms(question))
    said: set[str] = set()
    for text in evidence:
        said |= _said(text, terms)
    return len(asked & said) / len(asked) if asked and said else None


def _said(text: str, terms: Terms) -> set[str]:
    """All content words of a text of any length; `terms` looks at no more of one than a question needs."""
    return {term for start, end in _pieces(text) for term in terms(text[start:end])}


def _pieces(text: str) -> Iterator[tuple[int, int]]:
    start = 0
    while start < len(text):
        end = min(len(text), start + _PIECE)
        cut = text.rfind(" ", start, end) if end < len(text) else -1
        end = cut + 1 if cut > start else end
        yield start, end
        start = end


def evidence_texts(items: Sequence[ResolvedItem], corpus: Corpus) -> list[str]:
    """What the places of a question's labels say, each span once. A quote that is not found stands for itself."""
    out: dict[tuple[str, int, int], str] = {}
    missing = []
    for item in items:
        for place in item.places:
            for doc_id, span in place.spans:
                document = corpus.get(doc_id)
                if document is not None:
                    out[doc_id, span.start, span.end] = document.text[span.start : span.end]
            if not place.spans and place.place.quote:
                missing.append(place.place.quote)
    return [*out.values(), *missing]


def gaps(questions: Sequence[Question], texts: Mapping[str, Sequence[str]], terms: Terms) -> Gaps:
    """The gaps of a set; `texts` are the `evidence_texts` by question id."""
    found: dict[str, float] = {}
    kinds: dict[str, list[float]] = {}
    said: dict[str, list[str]] = {}  # many questions may share a page

    def remembered(text: str) -> list[str]:
        if text not in said:
            said[text] = terms(text)
        return said[text]

    for question in questions:
        gap = vocabulary_gap(question.question, texts.get(question.qid, ()), remembered)
        if gap is not None:
            found[question.qid] = gap
            kinds.setdefault(question.kind or "(none)", []).append(gap)
    by_kind = {kind: fmean(values) for kind, values in sorted(kinds.items())}
    return Gaps(found, fmean(found.values()) if found else None, by_kind)
