"""What a run says in sum: metrics with their n, answers with the tax, counts of causes, slices. One place computes them.

The figures go into run.json, so that a stored run, the command line and the app show the same ones.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import orjson

from ragtriage.measure.advice import advise
from ragtriage.measure.answer_sums import mean_json, summarise_answers
from ragtriage.measure.holes import summarise_holes
from ragtriage.measure.label_shas import carried_on, known_label_shas
from ragtriage.measure.results import QuestionResult, Run
from ragtriage.metrics.aggregate import means
from ragtriage.metrics.base import Metric, standard_metrics
from ragtriage.project import Project
from ragtriage.triage.categories import CATEGORIES
from ragtriage.triage.verdicts import Verdict

__all__ = ["failure_counts", "relabelled_means", "summarise", "to_json"]


def summarise(run: Run, project: Project) -> dict[str, Any]:
    """The part of run.json that is counted from the questions. JSON values only."""
    questions = run.questions
    golden = project.golden.questions
    k = int(run.manifest["k"])
    split = run.manifest["split"]
    generator = run.manifest["config"]["answers"]["generator"]
    aside = sum(1 for question in golden if question.split == "holdout" and not question.obsolete) if split == "dev" else 0
    metrics = _means(questions, standard_metrics(k))
    asked = {question.qid: question for question in golden}
    no_answer = sum(not asked[question.qid].answerable for question in questions)
    unlabelled = sum(asked[question.qid].answerable and not asked[question.qid].labelled for question in questions)
    ends_at = run.manifest.get("system", {}).get("ends_at")
    advised = advise(questions, k, generator=generator, foreign=project.is_foreign, ends_at=ends_at)
    return {
        "questions": len(questions),
        "answerable": len(questions) - no_answer - unlabelled,
        "unanswerable": no_answer,
        "unlabelled": unlabelled,
        "holdout": aside,
        "obsolete": sum(question.obsolete for question in golden),
        "failed": sum(question.status == "failed" for question in questions),
        "stale": sum(item.stale for question in questions for item in question.items),
        "moved": sum(item.how == "fuzzy" for question in questions for item in question.items),
        "ambiguous": sum(item.ambiguous for question in questions for item in question.items),
        "repeated": sum(question.repeated for question in questions),
        "metrics": metrics,
        "context_tokens": _context_tokens(questions),
        "holes": summarise_holes(run, project),
        "answers": summarise_answers(questions, asked),
        **_judged(run),
        **_holdout(run),
        **_reranked(run),
        "failures": dict(Counter(question.suggested for question in questions if question.suggested)),
        "answered_anyway": [question.qid for question in questions if question.answered_anyway],
        "slices": {"kind": _slices(questions, k)},
        "advice": [advice.to_dict() for advice in advised],
        "label_shas": carried_on(known_label_shas(project), questions),
    }


def _judged(run: Run) -> dict[str, Any]:
    """What the judge said, where there is one."""
    if "judge" not in run.manifest:
        return {}
    from ragtriage.measure.judge_sums import summarise_judged

    return {"judged": summarise_judged(run.questions)}


def _holdout(run: Run) -> dict[str, Any]:
    """How dev and holdout compare, where both were measured."""
    if run.manifest["split"] != "all":
        return {}
    from ragtriage.measure.holdout_gap import holdout_gap

    return {"holdout_gap": holdout_gap(run)}


def _reranked(run: Run) -> dict[str, Any]:
    """What the reranker made of the pool, where there is one."""
    retrieval = run.manifest["config"]["retrieval"]
    if not retrieval["rerank"]:
        return {}
    from ragtriage.measure.rerank_account import account_of_run
    from ragtriage.measure.rerank_account import to_json as account_json

    found = account_of_run(run.questions, k=int(run.manifest["k"]), pool=int(retrieval["pool"]))
    return {} if found is None else {"rerank": {"reranker": retrieval["rerank"], **account_json(found)}}


def _means(questions: Sequence[QuestionResult], metrics: Sequence[Metric]) -> dict[str, Any]:
    """Means over the answerable, labelled questions; a failed one has no value and is counted."""
    entering = [question for question in questions if question.enters]
    rows = [question.values(metrics) for question in entering]
    columns = {repr(metric): [row[place] for row in rows] for place, metric in enumerate(metrics)}
    return {name: mean_json(found) for name, found in means(columns).items()}


def _headline(k: int) -> tuple[Metric, ...]:
    return Metric("recall", k), Metric("hit", k), Metric("mrr")


def _context_tokens(questions: Sequence[QuestionResult]) -> float | None:
    """Tokens of ranks 1..k, the mean of the questions whose retrieval ran: what a larger k or chunk costs."""
    tokens = [question.context_tokens for question in questions if question.status != "failed"]
    return round(sum(tokens) / len(tokens), 1) if tokens else None


def _slices(questions: Sequence[QuestionResult], k: int) -> dict[str, Any]:
    kinds = dict.fromkeys(question.kind for question in questions)
    out: dict[str, Any] = {}
    for kind in sorted(kinds):
        part = [question for question in questions if question.kind == kind]
        found = _means(part, _headline(k))
        out[kind or "(none)"] = {"questions": len(part), "failing": sum(bool(q.suggested) for q in part), "metrics": found}
    return out


def failure_counts(questions: Sequence[QuestionResult], verdicts: Mapping[str, Verdict]) -> dict[str, dict[str, int]]:
    """How many failing questions fall under each category: suggested by the machine, and confirmed by a person.

    A label on a question that passes is kept, and counted nowhere.
    """
    failing = [question for question in questions if question.suggested]
    suggested = Counter(question.suggested for question in failing)
    confirmed = Counter(v.category for question in failing if (v := verdicts.get(question.qid)) and v.fits(question.seen))
    return {
        "suggested": {category.slug: suggested[category.slug] for category in CATEGORIES},
        "confirmed": {category.slug: confirmed[category.slug] for category in CATEGORIES},
    }


def relabelled_means(questions: Sequence[QuestionResult], verdicts: Mapping[str, Verdict], k: int) -> dict[str, Any] | None:
    """The metrics without the questions that a person labelled `bad-label`, as they are today; None where there are none."""
    bad = {q.qid for q in questions if (v := verdicts.get(q.qid)) and v.category == "bad-label" and v.fits(q.seen)}
    if not bad:
        return None
    kept = [question for question in questions if question.qid not in bad]
    return {"questions": sorted(bad), "metrics": _means(kept, _headline(k))}


def to_json(run: Run, verdicts: Mapping[str, Verdict]) -> dict[str, Any]:
    """The document that `eval --json` prints; its keys are stable. For orjson: the questions are in it as encoded JSON."""
    manifest = run.manifest
    k = int(manifest["k"])
    shown = {key: value for key, value in manifest.items() if key != "label_shas"}
    return {
        **shown,
        "format": 1,
        "run": run.id,
        "failures": failure_counts(run.questions, verdicts),
        "without_bad_labels": relabelled_means(run.questions, verdicts, k),
        "per_question": [orjson.Fragment(line.rstrip()) for line in run.lines],
    }
