"""Nearly equal questions: whether one with the same answer is among three proposals, and what the default threshold reports.

Two questions are twins where one passage is judged for both. It is a lower bound of what is alike: a set may answer two
wordings of one question from two pages, and its questions about one passage may ask different things of it.

How much shared words count beside the cosine is chosen on chunking-eval and cranfield, as the weight with the most questions
that have a twin among three, in the mean of the two; the threshold is that of the words alone, 0.8, at which the pairs
reported on clapnq-dev are the same as from 0.76 to 0.83. mongodb-faq has no say in either.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from statistics import fmean
from typing import NamedTuple

import numpy as np
from tests.benchmarks.harness import Absent, Bench, Figure, at_least, at_most, info

from ragtriage.golden.question_vectors import QuestionVectors
from ragtriage.golden.similar import _WORDS_BESIDE, NEARLY_EQUAL, Wordings, similar
from ragtriage.project import Project
from ragtriage.types import Question

CHOOSE_ON = ("chunking-eval", "cranfield")
WEIGHTS = (0.0, 0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.5, 0.7, 1.0)
THRESHOLDS = (0.7, 0.75, 0.8, 0.85, 0.9)

Twins = dict[str, set[str]]


class Reported(NamedTuple):
    """Pairs at a threshold: how many are twins, how many there are, and how many pairs are twins at all."""

    right: int
    all: int
    twins: int

    @property
    def precision(self) -> float:
        return self.right / self.all if self.all else 0.0

    @property
    def note(self) -> str:
        return f"{self.right} of {self.all} pairs; recall {self.right / self.twins:.3f}, {self.right} of {self.twins}"


class Compared(NamedTuple):
    """The questions of a set with their twins, and their similarities with each other in either way."""

    questions: tuple[Question, ...]
    twins: Twins
    wordings: Wordings
    vectors: QuestionVectors

    def share(self, with_vectors: bool = True) -> float:
        """Of the questions with a twin those that have one among three proposals."""
        hits = 0
        for question in self.questions:
            if mine := self.twins.get(question.qid):
                cosines = self.vectors.like(question.question) if with_vectors else None
                found = similar(question.question, self.wordings, vectors=cosines, skip=question.qid)
                hits += any(one.qid in mine for one in found)
        return hits / len(self.twins)

    def ordered_by(self, score: Callable[[float, float], float]) -> float:
        """The same, had the score been a function of lexical similarity and cosine."""
        hits = 0
        for question in self.questions:
            if mine := self.twins.get(question.qid):
                words, cosines = self.wordings.like(question.question), self.vectors.like(question.question)
                scores = [(-score(words.get(qid, 0.0), cosine), qid) for qid, cosine in cosines.items() if qid != question.qid]
                hits += any(qid in mine for _, qid in sorted(scores)[:3])
        return hits / len(self.twins)

    def reported(self, threshold: float = NEARLY_EQUAL) -> Reported:
        """The pairs whose score reaches a threshold and whose numbers are the same."""
        pairs = set()
        for question in self.questions:
            cosines = self.vectors.like(question.question)
            for one in similar(question.question, self.wordings, vectors=cosines, limit=len(self.questions), skip=question.qid):
                if one.same_numbers and one.score >= threshold:
                    pairs.add(frozenset((question.qid, one.qid)))
        twins = {frozenset((one, other)) for one, others in self.twins.items() for other in others}
        return Reported(len(pairs & twins), len(pairs), len(twins))


def compared(folder: Path) -> Compared:
    """A set's questions, embedded where they are not yet."""
    project = Project.open(folder)
    try:
        questions = project.golden.questions
        vectors = QuestionVectors(questions, project.system.retriever)
        vectors.load(wait=True)
        return Compared(questions, twins_of(questions), Wordings(questions), vectors)
    finally:
        project.close()  # ends the encoder; the vectors are there


def twins_of(questions: tuple[Question, ...]) -> Twins:
    """By question the others that share a place of evidence."""
    asked_of: dict[tuple[str, str, str], set[str]] = {}
    for question in questions:
        for evidence in question.evidence:
            place = evidence.place
            asked_of.setdefault((place.doc, place.chunk, place.quote), set()).add(question.qid)
    twins: Twins = {}
    for group in asked_of.values():
        for qid in group if len(group) > 1 else ():
            twins.setdefault(qid, set()).update(group - {qid})
    return twins


def weighted(weight: float) -> Callable[[float, float], float]:
    """Words beside a cosine, as `likeness` does with the weight in use."""

    def score(words: float, cosine: float) -> float:
        return float(np.round(max(words, (cosine + weight * words) / (1 + weight)), 6))

    return score


def run(bench: Bench) -> list[Figure]:
    faq = compared(bench.set("mongodb-faq"))
    n = len(faq.twins)
    figures = [
        at_least("mongodb-faq: a twin among three proposals", faq.share(), 0.9, note=f"{n} questions"),
        info("mongodb-faq: by words alone", faq.share(with_vectors=False)),
        info("mongodb-faq: by cosine alone", faq.ordered_by(lambda _, cosine: cosine)),
    ]
    at_default = faq.reported()
    figures.append(info(f"mongodb-faq: precision at {NEARLY_EQUAL:g}", at_default.precision, note=at_default.note))
    try:
        others = [compared(bench.set(name)) for name in CHOOSE_ON]
        means = [round(fmean(one.ordered_by(weighted(weight)) for one in others), 6) for weight in WEIGHTS]
        chosen = WEIGHTS[int(np.argmax(means))]
        note = ", ".join(f"{weight:g}: {mean:.3f}" for weight, mean in zip(WEIGHTS, means, strict=True))
        figures.append(info(f"chosen on {' and '.join(CHOOSE_ON)}: words beside the cosine", chosen, note=note))
        figures.append(at_most("the same, away from that in use", round(abs(chosen - _WORDS_BESIDE), 4), 0.0))
        clapnq = compared(bench.set("clapnq-dev"))
        for name, one in (("clapnq-dev", clapnq), (CHOOSE_ON[0], others[0]), ("mongodb-faq", faq)):
            for threshold in THRESHOLDS:
                found = one.reported(threshold)
                figures.append(info(f"{name}: precision at {threshold:g}", found.precision, note=found.note))
    except Absent as absent:
        figures.append(info("sets to choose on", 0, note=str(absent)))
    return figures
