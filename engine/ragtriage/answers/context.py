"""What goes into the prompt: the retrieved chunks as production would send them, and the perfect context of the oracle.

Passages are whole chunks. A budget counts tokens of text, from the column that chunking wrote; nothing is tokenised here.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal
from weakref import ReferenceType, WeakKeyDictionary, ref

import numpy as np

from ragtriage.chunking.base import Chunks
from ragtriage.golden.evidence import Located, ResolvedItem, ResolvedPlace
from ragtriage.golden.ranks import PromptText
from ragtriage.types import Needs, Passage, Span

__all__ = ["Order", "forced_context", "live_context", "oracle_context", "padded_context", "prompt_texts"]

Order = Literal["ranked", "reversed", "document"]
"""How passages stand in the prompt: best first, best last, or as in their documents."""


class _PromptTexts(dict[str, PromptText]):
    """PromptTexts by chunk id, made when first asked for: lists of one run name the same chunks again and again.

    `chunks` are known by a weak reference: they are the key that this is kept by, and would never go if it held them.
    """

    def __init__(self, chunks: ReferenceType[Chunks]) -> None:
        super().__init__()
        self._chunks = chunks

    def __missing__(self, chunk_id: str) -> PromptText:
        chunks = self._chunks()
        row = chunks.row(chunk_id) if chunks is not None else None
        if chunks is None or row is None:  # a foreign system's passage that is no chunk of ours: it covers nothing
            text = PromptText(chunk_id, "", Span(0, 0))
        else:
            also = tuple(Located(one.doc_id, Span(one.start, one.end)) for one in chunks.also(row))
            ink = len("".join(chunks.text(row).split())) if also else 0
            text = PromptText(chunk_id, chunks.document_of(row).doc_id, chunks.span(row), also, ink)
        self[chunk_id] = text
        return text


_MADE: WeakKeyDictionary[Chunks, _PromptTexts] = WeakKeyDictionary()


def prompt_texts(ids: Iterable[str], chunks: Chunks) -> list[PromptText]:
    """The text that would stand in the prompt at each position of a ranking, best first."""
    made = _MADE.get(chunks)
    if made is None:
        made = _MADE[chunks] = _PromptTexts(ref(chunks))
    return [made[chunk_id] for chunk_id in ids]


def live_context(ids: Sequence[str], chunks: Chunks, k: int, max_tokens: int, order: Order = "ranked") -> tuple[Passage, ...]:
    """The first `k` of a ranking as passages, until the next would exceed `max_tokens`, in `order`.

    Where not even the first fits, its beginning is sent, as production would: in proportion to its tokens, cut at white space.
    """
    rows = [row for row in (chunks.row(chunk_id) for chunk_id in ids[:k]) if row is not None]
    kept = _that_fit(rows, chunks, max_tokens)
    if rows and not kept:
        return (_beginning(_passage(1, rows[0], chunks), max_tokens / int(chunks.tokens[rows[0]])),)
    return _passages(kept, chunks, order)


def padded_context(
    evidence: Sequence[Passage], live: Sequence[Passage], chunks: Chunks, k: int, max_tokens: int, order: Order = "ranked"
) -> tuple[Passage, ...]:
    """The evidence first, then what `live` holds besides, up to `k` passages: the best ranking that retrieval's own
    distractors allow. Evidence alone may be more than `k`."""
    rows = _rows_named(evidence, chunks)
    others = [row for row in _rows_named(live, chunks) if row not in rows]
    kept = _that_fit([*rows, *others[: max(k - len(rows), 0)]], chunks, max_tokens)
    return _passages(kept, chunks, order)


def forced_context(
    evidence: Sequence[Passage], live: Sequence[Passage], chunks: Chunks, k: int, max_tokens: int, order: Order = "ranked"
) -> tuple[Passage, ...]:
    """`live` (best first) with the evidence it lacks in its last places, for which its worst passages make room."""
    rows = _rows_named(evidence, chunks)
    kept = _rows_named(live, chunks)
    missing = [row for row in rows if row not in kept]

    def too_much() -> bool:
        all_of_it = [*kept, *missing]
        return len(all_of_it) > max(k, len(rows)) or int(chunks.tokens[all_of_it].sum()) > max_tokens

    for row in reversed(_rows_named(live, chunks)):
        if too_much() and row not in rows:
            kept.remove(row)
    return _passages([*kept, *missing], chunks, order)


def _rows_named(passages: Sequence[Passage], chunks: Chunks) -> list[int]:
    return [row for row in (chunks.row(passage.chunk_id) for passage in passages) if row is not None]


def _passages(rows: Sequence[int], chunks: Chunks, order: Order) -> tuple[Passage, ...]:
    """Rows that are given best first, numbered as they stand in the prompt."""
    arranged = chunks.in_order(rows) if order == "document" else rows[::-1] if order == "reversed" else rows
    return tuple(_passage(number, row, chunks) for number, row in enumerate(arranged, start=1))


def oracle_context(
    items: Sequence[ResolvedItem], chunks: Chunks, max_tokens: int, *, needs: Needs = "all"
) -> tuple[Passage, ...] | None:
    """The chunks that overlap the evidence, in document order: what a perfect retriever would have sent.

    Of each item the first place that exists counts. None where an item has none, or where the chunks exceed `max_tokens`.
    With `needs` "any" the items that exist are enough, as many as fit in the golden set's order, at least one.
    """
    rows: set[int] = set()
    for item in items:
        more = {*rows, *_rows_of(item.best, chunks)} if item.found else rows
        if item.found and int(chunks.tokens[sorted(more)].sum()) <= max_tokens:
            rows = more
        elif needs == "all":
            return None
    return _passages(list(rows), chunks, "document") or None


def _rows_of(place: ResolvedPlace, chunks: Chunks) -> list[int]:
    """The chunks of a place; of an ambiguous quote, those of its first occurrence."""
    if place.chunk_id:
        row = chunks.row(place.chunk_id)
        return [] if row is None else [row]
    doc_id, span = place.spans[0]
    rows = chunks.rows_of(doc_id)
    part = slice(rows.start, rows.stop)
    overlaps = (chunks.starts[part] < span.end) & (chunks.ends[part] > span.start)
    return [rows.start + int(offset) for offset in np.flatnonzero(overlaps)]


def _that_fit(rows: Sequence[int], chunks: Chunks, max_tokens: int) -> list[int]:
    kept, spent = [], 0
    for row in rows:
        spent += int(chunks.tokens[row])
        if spent > max_tokens:
            break
        kept.append(row)
    return kept


def _passage(number: int, row: int, chunks: Chunks) -> Passage:
    chunk = chunks[row]
    title = chunks.document_of(row).title
    return Passage(number, chunk.chunk_id, chunk.doc_id, chunk.span, chunk.heading, title, chunks.text(row))


def _beginning(passage: Passage, share: float) -> Passage:
    length = int(len(passage.text) * share)
    text = passage.text[:length]
    cut = max(text.rfind(" "), text.rfind("\n"))
    text = text[:cut] if cut > 0 else text
    return passage._replace(text=text, span=Span(passage.span.start, passage.span.start + len(text)))
