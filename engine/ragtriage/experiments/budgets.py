"""Evidence recall at equal cost: what is found inside so many tokens of context, however large the passages are."""

from __future__ import annotations

from collections.abc import Sequence

from ragtriage.corpus.base import Corpus
from ragtriage.golden.evidence import ResolvedItem
from ragtriage.golden.ranks import PromptText, PromptTexts, rank_of
from ragtriage.metrics.recall import recall_at
from ragtriage.types import Span

__all__ = ["recall_at_tokens", "within"]


def recall_at_tokens(
    items: Sequence[ResolvedItem], passages: Sequence[PromptText], tokens: Sequence[int], budget: int, corpus: Corpus
) -> float:
    """found items / items, where the context is `within(passages, tokens, budget)`.

    An item is found by the rule that decides its rank everywhere: a quote where the context covers 80 % of its non-space
    characters and every digit in it, a coarse reference where half of the smaller of the two overlaps, a chunk id where its
    passage is there, whole or more than half. So this is recall@k, with tokens in the place of k. Raises ValueError without
    items, and where there is not one count a passage.
    """
    texts = PromptTexts(within(passages, tokens, budget))
    return recall_at([rank_of(item, texts, corpus) for item in items], None)


def within(passages: Sequence[PromptText], tokens: Sequence[int], budget: int) -> list[PromptText]:
    """The first passages of a ranking, whole, until the next would exceed `budget` tokens; of that one what still fits.

    `tokens` counts the text of each passage; what stands in two of them is paid for twice. Tokens are taken to be spread evenly
    over a passage's characters, since only their number is known: of a passage with c characters and t tokens into which r
    still fit, the first floor(c * r / t) characters are there. It names its chunk only where that is more than half of it.
    """
    left = budget
    context: list[PromptText] = []
    for passage, count in zip(passages, tokens, strict=True):
        if count > left:
            if left > 0:
                start, end = passage.span
                name = passage.chunk_id if 2 * left > count else ""
                context.append(PromptText(name, passage.doc_id, Span(start, start + (end - start) * left // count)))
            break
        context.append(passage)
        left -= count
    return context
