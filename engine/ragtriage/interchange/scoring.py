"""A run file against a file of judgements, and nothing else: no project, no model. trec_eval's rules unless others are wanted.

- Only questions that both files have are measured. With `complete` those of the judgements that the run lacks count 0.
- A question whose judgements name no relevant document counts 0 everywhere.
- A document is relevant from grade `level` on; one that nobody judged is not. nDCG gains its grade, if that is above 0.
- The rank column is not looked at; see placing for the order. Only the first `depth` of a question count, if that is given.
- Of a document that is listed twice for a question the better place counts (trec_eval refuses such a run).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import AnyStr, NamedTuple

from ragtriage.errors import InputError, Problem, UsageError
from ragtriage.interchange.measures import file_metrics, parse_measure
from ragtriage.interchange.placing import Ties, comparable, places
from ragtriage.interchange.qrels import read_qrels
from ragtriage.interchange.runs import RunFile
from ragtriage.interchange.writing import text_of
from ragtriage.metrics.base import Metric

__all__ = ["FileScores", "QuestionScores", "Rules", "score", "score_files"]


class Rules(NamedTuple):
    """How files are scored; the defaults are those of trec_eval."""

    ties: Ties = "trec_eval"
    complete: bool = False
    level: int = 1
    depth: int | None = None


class QuestionScores(NamedTuple):
    """One question: how many documents the run lists, how many are relevant, how many of these it found; a value a metric."""

    qid: str
    retrieved: int
    relevant: int
    found: int
    values: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class FileScores:
    """What a run is worth. `questions` are those measured, in the order of the judgements; `values` follow `metrics`.

    `missing` are questions of the judgements that the run lacks (measured as 0 under `complete`), `unknown` counts those of
    the run that nobody judged, `unanswerable` the measured ones without a relevant document. `repeated` counts entries that
    name a document again. `forms` says how both files were read: judgements, run.
    """

    metrics: tuple[Metric, ...]
    rules: Rules
    questions: tuple[QuestionScores, ...]
    missing: tuple[str, ...] = ()
    unknown: int = 0
    repeated: int = 0
    lines: int = 0
    judgements: int = 0
    forms: tuple[str, str] = ("", "")
    problems: tuple[Problem, ...] = ()

    @property
    def means(self) -> dict[str, float]:
        """The mean of each metric over the measured questions, by its name (`recall@5`)."""
        n = len(self.questions)
        columns = zip(*(question.values for question in self.questions), strict=True)
        return {repr(metric): math.fsum(column) / n for metric, column in zip(self.metrics, columns, strict=True)}

    @property
    def unanswerable(self) -> int:
        return sum(not question.relevant for question in self.questions)


def score_files(
    qrels: Path | str, run: Path | str, *, metrics: Sequence[Metric | str] | None = None, rules: Rules | None = None
) -> FileScores:
    """Score the run file `run` against the judgements of `qrels`: see `read_qrels` and `read_run` for what they may look like.

    `metrics` may be names that `parse_measure` knows, such as "ndcg@10". Lines that cannot be used are in `problems`, the
    others are measured. Raises InputError where a file cannot be read or no question is in both, UsageError for rules that
    make no sense and measures that nobody knows.
    """
    rules = _checked(rules or Rules())
    judged = read_qrels(Path(qrels))
    file = RunFile(Path(run))
    measure = _Measure(_parsed(metrics), rules)
    found: dict[bytes, tuple[QuestionScores, int]] = {}
    for one in file.questions(judged.grades):
        best = one.best(comparable(one.scores, rules.ties))
        scores = measure.question(text_of(one.qid), best, judged.grades[one.qid])
        found[one.qid] = scores, len(one.docs) - len(best)
    if not found and not rules.complete:
        raise InputError(f"{run}: has no question of {judged.path}", (*judged.problems, *file.problems))
    missing = [qid for qid in judged.grades if qid not in found]
    measured = [qid for qid in judged.grades if rules.complete or qid in found]
    return FileScores(
        metrics=measure.metrics,
        rules=rules,
        questions=tuple(
            found[qid][0] if qid in found else measure.question(text_of(qid), {}, judged.grades[qid]) for qid in measured
        ),
        missing=tuple(map(text_of, missing)),
        unknown=len(file.unknown),
        repeated=sum(repeated for _, repeated in found.values()),
        lines=file.lines,
        judgements=judged.judgements,
        forms=(judged.form, file.form),
        problems=(*judged.problems, *file.problems),
    )


def score(
    qrels: Mapping[str, Mapping[str, float]],
    run: Mapping[str, Mapping[str, float]],
    *,
    metrics: Sequence[Metric | str] | None = None,
    rules: Rules | None = None,
) -> FileScores:
    """`score_files` of what is in memory: grades and scores, by question and document. Raises UsageError, InputError."""
    rules = _checked(rules or Rules())
    measure = _Measure(_parsed(metrics), rules)
    measured = []
    for qid, grades in qrels.items():
        if qid in run or rules.complete:
            listed = run.get(qid, {})
            values = list(listed.values())
            if not all(map(math.isfinite, values)):
                raise InputError(f"{qid}: a score is not a finite number")
            measured.append(measure.question(qid, dict(zip(listed, comparable(values, rules.ties), strict=True)), grades))
    if not measured:
        raise InputError("no question is both in the judgements and in the run")
    return FileScores(
        metrics=measure.metrics,
        rules=rules,
        questions=tuple(measured),
        missing=tuple(qid for qid in qrels if qid not in run),
        unknown=sum(qid not in qrels for qid in run),
        lines=sum(map(len, run.values())),
        judgements=sum(map(len, qrels.values())),
    )


def _parsed(metrics: Sequence[Metric | str] | None) -> tuple[Metric, ...]:
    if metrics is None:
        return file_metrics(5)
    names = (metrics,) if isinstance(metrics, str) else metrics
    return tuple(parse_measure(metric) if isinstance(metric, str) else metric for metric in names)


def _checked(rules: Rules) -> Rules:
    if rules.level < 1:
        raise UsageError(f"the grade from which a document is relevant must be at least 1, not {rules.level}")
    if rules.depth is not None and rules.depth < 1:
        raise UsageError(f"the depth must be at least 1, not {rules.depth}")
    return rules


class _Measure:
    """Takes the measures of one question after the other."""

    def __init__(self, metrics: tuple[Metric, ...], rules: Rules) -> None:
        if not metrics:
            raise UsageError("no measure is asked for")
        self.metrics = metrics
        self._rules = rules

    def question(self, qid: str, scores: Mapping[AnyStr, float], grades: Mapping[AnyStr, float]) -> QuestionScores:
        """`scores` are comparable ones by document, none for a question that the run lacks."""
        depth = self._rules.depth
        gains = {doc: grade for doc, grade in grades.items() if grade > 0}
        at = places(scores, gains, self._rules.ties)
        if depth is not None:
            at = {doc: rank for doc, rank in at.items() if rank <= depth}
        all_ranks = list(map(at.get, gains))
        relevant = [doc for doc, gain in gains.items() if gain >= self._rules.level]
        ranks = list(map(at.get, relevant))
        ones = [1.0] * len(ranks)
        graded, all_gains = bool(gains), list(gains.values())
        values = tuple(
            (metric.of(all_ranks, all_gains) if graded else 0.0)
            if metric.name == "ndcg"
            else (metric.of(ranks, ones) if ranks else 0.0)
            for metric in self.metrics
        )
        retrieved = len(scores) if depth is None else min(len(scores), depth)
        return QuestionScores(qid, retrieved, len(relevant), sum(rank is not None for rank in ranks), values)
