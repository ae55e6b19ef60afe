"""The default generator, without model, key or cost: it picks the context's best sentences, cites them, or refuses.

It is the floor that every real generator should beat, and it makes live and oracle answers comparable for nothing: the same
question over the same passages always gets the same answer.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from ragtriage.ids import spec_of
from ragtriage.types import Answer, Passage

if TYPE_CHECKING:
    from ragtriage.answers.reading import PassageReader, Reading

__all__ = ["REFUSAL", "ExtractiveGenerator", "Fit", "Statistics"]

REFUSAL = "I could not find the answer to this question in the passages."
"""The one sentence that is said when nothing fits."""


class Statistics(Protocol):
    """What the retriever knows of its texts."""

    def terms(self, text: str) -> list[str]:
        """The index terms of a text in order, stop words left out."""
        ...

    def idf(self, term: str) -> float:
        """The term's BM25 weight, above 0, largest for a term that no text holds."""
        ...

    def similarity(self, query_text: str, chunk_ids: Sequence[str]) -> npt.NDArray[np.float32] | None:
        """Cosine of the question with each chunk, float32[n]; None where a vector is not at hand. Runs no model."""
        ...


@dataclass(frozen=True, slots=True)
class _Rule:
    """When and how much is said; a part of the generator's identity.

    The context fits when its best cosine + half of its coverage reaches `fits`; without vectors coverage alone has to reach
    `covers`. Coverage is the largest share of the question's terms, by idf, that two neighbouring sentences speak of: terms
    that are strewn over a page answer nothing. `fits` and the half balance the two errors on sets whose questions were asked
    with and without their evidence in the context; the benchmark `refusal_threshold` chooses them, and shows how they do on
    a set that it does not choose by. A sentence is added while it scores `near` × the best.
    """

    fits: float = 0.77
    covers: float = 0.6
    near: float = 0.5
    sentences: int = 3


# passages that `fits` and `covers` are for, and how the bar rises with e times as many: the best of more is better, and
# evidence should be answered from as often alone as among others; chosen by `refusal_threshold` too
_USUAL, _PER_FOLD = 5, 0.08
_SATURATION = 1.2  # BM25's k1; its length norm is left out: within a passage long sentences are no worse
_BEFORE, _AFTER = 0.3, 0.15  # of the neighbours' scores: an answer often follows the sentence that names the matter
_AROUND = 0.3  # of a term in title or heading


class Fit(NamedTuple):
    """How well a context fits a question: its best cosine (None without vectors), its coverage in 0..1, its passages."""

    cosine: float | None
    coverage: float
    passages: int


class _Candidate(NamedTuple):
    score: float
    passage: int
    sentence: int


class ExtractiveGenerator:
    """Answers from the retriever's own statistics. `spec` identifies what it would say; texts that it read are remembered."""

    def __init__(self, statistics: Statistics) -> None:
        self._statistics = statistics
        self._rule = _Rule()
        self.spec = spec_of("extractive", self._rule)

    @cached_property
    def _reader(self) -> PassageReader:
        from ragtriage.answers.reading import PassageReader  # with the first answer: it has patterns to compile

        return PassageReader(self._statistics.terms)

    def answer(self, question: str, passages: Sequence[Passage], *, sent: str = "") -> Answer:
        """The best one to three sentences in the order of the context, each with its `[n]`, or REFUSAL.

        `sent` is what the retriever was asked where that is another text: its vector is at hand, the question's may or may
        not be, and an answer must not depend on what a cache happens to hold.
        """
        ids = tuple(passage.chunk_id for passage in passages)
        weights = self._weights(question)
        if not passages or not weights:
            return Answer(REFUSAL, ids, self.spec)
        readings = [self._reader.read(passage) for passage in passages]
        cosines = self._cosines(sent or question, ids)
        if not self._fits(_fit(weights, readings, cosines)):
            return Answer(REFUSAL, ids, self.spec)
        said = [
            f"{readings[chosen.passage].sentences[chosen.sentence]} [{passages[chosen.passage].number}]"
            for chosen in sorted(self._choose(weights, readings, cosines), key=lambda one: one[1:])
        ]
        return Answer(" ".join(said) or REFUSAL, ids, self.spec)

    def fit(self, question: str, passages: Sequence[Passage], *, sent: str = "") -> Fit | None:
        """What decides whether `answer` answers or refuses; None without passages or without a term in the question."""
        weights = self._weights(question)
        if not passages or not weights:
            return None
        cosines = self._cosines(sent or question, tuple(passage.chunk_id for passage in passages))
        return _fit(weights, [self._reader.read(passage) for passage in passages], cosines)

    def _cosines(self, sent: str, ids: Sequence[str]) -> list[float] | None:
        similarity = self._statistics.similarity(sent, ids)
        return None if similarity is None else [float(value) for value in similarity]

    def _weights(self, question: str) -> dict[str, float]:
        """Each term's share in what is asked: its idf, all of them summing to 1."""
        idf = {term: self._statistics.idf(term) for term in sorted(set(self._statistics.terms(question)))}
        total = math.fsum(idf.values())
        return {term: value / total for term, value in idf.items()} if total > 0 else {}

    def _fits(self, fit: Fit) -> bool:
        bar = _PER_FOLD * math.log(fit.passages / _USUAL)
        if fit.cosine is None:
            return fit.coverage >= self._rule.covers + bar
        return fit.cosine + fit.coverage / 2 >= self._rule.fits + bar

    def _choose(
        self, weights: Mapping[str, float], readings: Sequence[Reading], cosines: Sequence[float] | None
    ) -> list[_Candidate]:
        candidates: list[_Candidate] = []
        for number, reading in enumerate(readings):
            base = cosines[number] if cosines is not None else 0.0
            base += _AROUND * sum(weight for term, weight in weights.items() if term in reading.around)
            scores = _scores(weights, reading)
            # rounded, so that the last bit of a cosine never decides between two sentences
            candidates += [_Candidate(round(base + score, 4), number, at) for at, score in enumerate(scores)]
        candidates.sort(key=lambda one: (-one.score, one.passage, one.sentence))
        chosen: dict[str, _Candidate] = {}
        for one in candidates:
            if len(chosen) == self._rule.sentences or one.score < self._rule.near * candidates[0].score:
                break
            chosen.setdefault(readings[one.passage].sentences[one.sentence], one)  # what two pages say alike is said once
        return list(chosen.values())


def _fit(weights: Mapping[str, float], readings: Sequence[Reading], cosines: Sequence[float] | None) -> Fit:
    best = None if cosines is None else max(cosines)
    return Fit(best, max(_coverage(weights, reading) for reading in readings), len(readings))


def _coverage(weights: Mapping[str, float], reading: Reading) -> float:
    """The largest share of the question that two neighbouring sentences speak of."""
    pairs = [0.0] * (len(reading.sentences) + 1)  # pair i holds the sentences i - 1 and i
    for term, weight in weights.items():
        for pair in {at + step for at, _ in reading.postings.get(term, ()) for step in (0, 1)}:
            pairs[pair] += weight
    return max(pairs)


def _scores(weights: Mapping[str, float], reading: Reading) -> list[float]:
    own = [0.0] * len(reading.sentences)
    for term, weight in weights.items():
        for at, times in reading.postings.get(term, ()):
            own[at] += weight * times * (_SATURATION + 1) / (times + _SATURATION)
    before, after = [0.0, *own][:-1], [*own, 0.0][1:]
    return [score + _BEFORE * first + _AFTER * last for score, first, last in zip(own, before, after, strict=True)]
