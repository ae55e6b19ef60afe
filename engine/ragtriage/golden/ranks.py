"""At which rank a ranking has evidence. The same rules for every chunking.

A quote's rank is the smallest r at which the texts at positions 1..r, taken within the quote's own document and united, cover
at least 80 % of its non-space characters and every digit in it. A coarse reference's rank is that of the first text whose
overlap with it, in non-space characters, is at least half of the smaller of the two. A chunk id's rank is its position.
A foreign text that stands in several places covers all of them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from ragtriage.golden.evidence import Located, ResolvedItem
from ragtriage.types import Span

if TYPE_CHECKING:
    from ragtriage.corpus.base import Corpus

__all__ = ["PromptText", "PromptTexts", "enough_of_quote", "gaps_after", "rank_of"]


class PromptText(NamedTuple):
    """What goes into the prompt at one position: the chunk's text or, under small-to-big, its parent's.

    A foreign passage may stand `also` elsewhere, as a whole or with its other parts; `ink` then are the non-space characters
    of all of it.
    """

    chunk_id: str
    doc_id: str
    span: Span
    also: tuple[Located, ...] = ()
    ink: int = 0


class PromptTexts:
    """The texts of one prompt, indexed once for all items of a question."""

    def __init__(self, texts: Sequence[PromptText]) -> None:
        self.by_document: dict[str, list[tuple[int, Span]]] | None = None
        self.texts = texts
        self.inks: dict[int, int] = {}
        # from the last to the first, so that a repeated chunk keeps its best rank
        self.position = dict(zip([text[0] for text in reversed(texts)], range(len(texts), 0, -1), strict=True))

    def of(self, doc_id: str) -> list[tuple[int, Span]]:
        """Rank and span of each text of a document, best first."""
        if self.by_document is None:
            self.by_document = {}
            for rank, text in enumerate(self.texts, start=1):
                self.by_document.setdefault(text.doc_id, []).append((rank, text.span))
                if text.also:
                    self.inks[rank] = text.ink
                for other, span in text.also:
                    self.by_document.setdefault(other, []).append((rank, span))
        return self.by_document.get(doc_id, [])


def rank_of(item: ResolvedItem, texts: Sequence[PromptText] | PromptTexts, corpus: Corpus) -> int | None:
    """The rank, from 1, at which the texts hold the item: the best of its places and their spans. None: they do not.

    Whoever asks about several items makes one PromptTexts, so that the texts are looked at once.
    """
    return _rank(item, texts if isinstance(texts, PromptTexts) else PromptTexts(texts), corpus)


def _rank(item: ResolvedItem, texts: PromptTexts, corpus: Corpus) -> int | None:
    best: int | None = None
    for place in item.places:
        if place.how == "chunk":
            rank = texts.position.get(place.chunk_id)
            best = rank if best is None or (rank is not None and rank < best) else best
            continue
        coarse = place.how in ("coarse", "stale")
        for doc_id, span in place.spans:
            if entries := texts.of(doc_id):
                document = corpus.get(doc_id)
                if document is None:
                    continue
                text = document.text
                rank = _coarse_rank(text, span, entries, texts.inks) if coarse else _quote_rank(text, span, entries)
                best = rank if best is None or (rank is not None and rank < best) else best
    return best


def enough_of_quote(text: str, quote: Span, gaps: Sequence[tuple[int, int]]) -> bool:
    """Whether a quote of `text` counts as covered when these parts of it, half-open, are missing: at most a fifth of its
    non-space characters, and none of its digits.
    """
    total = _ink(text, *quote)
    missing = sum(_ink(text, *gap) for gap in gaps)
    return total > 0 and missing * 5 <= total and not any(_has_digit(text, *gap) for gap in gaps)


def gaps_after(gaps: Sequence[tuple[int, int]], span: Span) -> list[tuple[int, int]]:
    """What is left of `gaps` where `span` is taken out of them."""
    left: list[tuple[int, int]] = []
    for low, high in gaps:
        inner, outer = max(low, span.start), min(high, span.end)
        if inner >= outer:
            left.append((low, high))
            continue
        if low < inner:
            left.append((low, inner))
        if outer < high:
            left.append((outer, high))
    return left


def _quote_rank(text: str, quote: Span, entries: list[tuple[int, Span]]) -> int | None:
    gaps: list[tuple[int, int]] = [quote]
    for rank, span in entries:
        if span.end <= quote.start or span.start >= quote.end:
            continue
        gaps = gaps_after(gaps, span)
        if enough_of_quote(text, quote, gaps):
            return rank
    return None


def _coarse_rank(text: str, part: Span, entries: list[tuple[int, Span]], inks: Mapping[int, int]) -> int | None:
    """`inks` has the non-space characters of texts that stand in several places, by rank: they count as one."""
    whole: int | None = None
    spread: dict[int, int] = {}
    for rank, (start, end) in entries:
        low, high = max(start, part.start), min(end, part.end)
        if low >= high:
            continue
        shared = _ink(text, low, high)
        if not shared:
            continue
        if rank in inks:
            shared = spread[rank] = spread.get(rank, 0) + shared
            if (low, high) == part or 2 * shared >= inks[rank]:
                return rank
        elif (low, high) in ((start, end), part) or 2 * shared >= _ink(text, start, end):
            return rank  # one lies in the other, or half of the text lies in the part
        if whole is None:
            whole = _ink(text, *part)
        if 2 * shared >= whole:
            return rank
    return None


def _ink(text: str, start: int, end: int) -> int:
    """Non-space characters of text[start:end]."""
    return len("".join(text[start:end].split()))


def _has_digit(text: str, start: int, end: int) -> bool:
    return any(character.isdigit() for character in text[start:end])
