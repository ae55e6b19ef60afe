"""Small passages, and a retriever's statistics made of nothing but themselves."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from ragtriage.types import Passage, Span

STOP_WORDS = frozenset(
    ("a", "and", "can", "do", "for", "how", "i", "in", "is", "it", "of", "the", "to", "what", "who", "within")
)


def passages(*texts: str, title: str = "", heading: tuple[str, ...] = ()) -> tuple[Passage, ...]:
    """Passages 1..n with the chunk ids c#1..c#n."""
    return tuple(
        Passage(number, f"c#{number}", "c", Span(0, len(text)), heading, title, text)
        for number, text in enumerate(texts, start=1)
    )


class FakeStatistics:
    """Lower-case words without a final s; idf over the given texts; a cosine a chunk id, or no vectors at all."""

    def __init__(self, texts: Sequence[str], cosines: Mapping[str, float] | None = None) -> None:
        self.asked = 0
        self.texts = [set(self.terms(text)) for text in texts]
        self.cosines = cosines

    def terms(self, text: str) -> list[str]:
        self.asked += 1
        return [word.removesuffix("s") for word in re.findall(r"[a-z0-9]+", text.lower()) if word not in STOP_WORDS]

    def idf(self, term: str) -> float:
        holding = sum(term in text for text in self.texts)
        return math.log(1 + (len(self.texts) - holding + 0.5) / (holding + 0.5))

    def similarity(self, query_text: str, chunk_ids: Sequence[str]) -> npt.NDArray[np.float32] | None:
        if self.cosines is None:
            return None
        return np.array([self.cosines.get(chunk_id, 0.0) for chunk_id in chunk_ids], np.float32)
