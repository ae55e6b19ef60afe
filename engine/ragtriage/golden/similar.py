"""Questions that are nearly the same: by the words they share, rare ones counting more, and by vectors where there are any."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from heapq import nsmallest
from math import log, sqrt
from typing import NamedTuple

from ragtriage.answers.words import BREAK, tokens_of, written_numbers
from ragtriage.search.stop_words import ENGLISH
from ragtriage.types import Question

__all__ = ["NEARLY_EQUAL", "Similar", "Wordings", "likeness", "similar"]

NEARLY_EQUAL = 0.8
"""Score from which two questions of a set are reported as nearly equal, if they hold the same numbers."""

_WORDS_BESIDE = 0.1
"""How much shared words count beside a cosine of 1. Of 0 to 0.5, the best for a twin among three on two sets that it is not
reported on: more orders by names that every question of a set holds."""


class Similar(NamedTuple):
    """A question of the set and how like it is, by `likeness` of `lexical` and `vector` (cosine); all of them 0 to 1.

    `same_numbers`: both hold the same numbers. What differs in an error code or an amount asks something else.
    """

    qid: str
    question: str
    score: float
    lexical: float
    vector: float | None = None
    same_numbers: bool = True

    @property
    def nearly_equal(self) -> bool:
        """Whether it is so like that one of the two may be superfluous."""
        return self.same_numbers and self.score >= NEARLY_EQUAL


def likeness(lexical: float, vector: float | None) -> float:
    """One score of both, 0 to 1 at 6 decimals: the words alone, or the cosine with the words beside it where that is more."""
    both = 0.0 if vector is None else (vector + _WORDS_BESIDE * lexical) / (1 + _WORDS_BESIDE)
    return round(min(1.0, max(lexical, both)), 6)


def similar(
    text: str,
    questions: Sequence[Question] | Wordings,
    *,
    vectors: Mapping[str, float] | None = None,
    limit: int = 3,
    skip: str = "",
) -> list[Similar]:
    """The questions most like `text`, best first, ties by id. `vectors` maps question ids to their cosine with it: see
    golden.question_vectors.

    `skip` is an id to leave out: the question's own, while it is edited. Who asks often makes the Wordings once.
    """
    wordings = questions if isinstance(questions, Wordings) else Wordings(questions)
    vectors = vectors or {}
    lexical, numbers = wordings.like(text), written_numbers(text)
    found = []
    for question in wordings.questions:
        words, vector = lexical.get(question.qid, 0.0), vectors.get(question.qid)
        score = likeness(words, vector)
        if score > 0 and question.qid != skip:
            found.append((-score, question.qid, words, vector, question.question))
    return [
        Similar(qid, asked, -score, round(words, 6), vector, written_numbers(asked) == numbers)
        for score, qid, words, vector, asked in nsmallest(limit, found, key=lambda one: one[:2])
    ]


class Wordings:
    """The words of all questions of a set, to compare against: cosine of tf-idf weights, without stop words.

    tf-idf as in Salton and Buckley (1988): weight = tf · ln((N + 1) / df), length-normalised.
    """

    def __init__(self, questions: Sequence[Question]) -> None:
        self.questions = tuple(questions)
        words = {question.qid: _words(question.question) for question in questions}
        first: dict[frozenset[tuple[str, int]], str] = {}
        self._same = {qid: first.setdefault(frozenset(counts.items()), qid) for qid, counts in words.items()}
        self._frequency = Counter(word for counts in words.values() for word in counts)
        self._weights = {qid: self._weighted(counts) for qid, counts in words.items()}
        self._postings: dict[str, list[tuple[str, float]]] = defaultdict(list)
        for qid, weights in self._weights.items():
            for word, weight in weights.items():
                self._postings[word].append((qid, weight))

    def like(self, text: str) -> dict[str, float]:
        """The similarity, 0 to 1, of every question that shares a word with `text`."""
        return self._scores(self._weighted(_words(text)))

    def pairs(self, least: float = NEARLY_EQUAL) -> list[tuple[str, str, float]]:
        """Pairs of questions at least that similar by their words and with the same numbers, in the set's order.

        The same words again are paired with the first only.
        """
        out = [(first, qid, 1.0) for qid, first in self._same.items() if first != qid]
        order = {qid: at for at, qid in enumerate(self._weights)}
        asked = {question.qid: question.question for question in self.questions}
        for qid, weights in self._weights.items():
            if self._same[qid] != qid:
                continue
            # words that hold less than c² of the squared length cannot alone reach a cosine of c: the commonest need no look
            found = self._scores(_heaviest(weights, least * least))
            for other in found:
                if order[other] > order[qid] and self._same[other] == other:
                    score = sum(weight * self._weights[other].get(word, 0.0) for word, weight in weights.items())
                    if score >= least and written_numbers(asked[qid]) == written_numbers(asked[other]):
                        out.append((qid, other, round(score, 6)))
        return sorted(out, key=lambda pair: (order[pair[0]], order[pair[1]]))

    def _weighted(self, counts: Mapping[str, int]) -> dict[str, float]:
        raw = {word: count * log((len(self.questions) + 1) / max(1, self._frequency[word])) for word, count in counts.items()}
        length = sqrt(sum(weight * weight for weight in raw.values()))
        return {word: weight / length for word, weight in raw.items()} if length else {}

    def _scores(self, weights: Mapping[str, float]) -> dict[str, float]:
        scores: dict[str, float] = defaultdict(float)
        for word, weight in weights.items():
            for qid, other in self._postings.get(word, ()):
                scores[qid] += weight * other
        return dict(scores)


def _heaviest(weights: Mapping[str, float], spare: float) -> dict[str, float]:
    """The heaviest words, so few that those left out hold less than `spare` of the squared length."""
    out = dict(sorted(weights.items(), key=lambda pair: (-pair[1], pair[0])))
    for word in reversed(list(out)):
        spare -= out[word] ** 2
        if spare <= 1e-9:
            break
        del out[word]
    return out


def _words(text: str) -> Counter[str]:
    words = [token.text for token in tokens_of(text) if token.text != BREAK]
    return Counter(_without_stop_words(words))


def _without_stop_words(words: Iterable[str]) -> list[str]:
    words = list(words)
    return [word for word in words if word not in ENGLISH] or words
