"""`ragtriage golden check`: every problem of the golden set with its line, and what the set holds."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ragtriage_tui.call import Call
from ragtriage_tui.figures import Marks, count

if TYPE_CHECKING:
    from ragtriage.errors import Problem
    from ragtriage.golden.gap import Gaps
    from ragtriage.golden.lint import Description
    from ragtriage.project import Project

__all__ = ["arguments", "problem_json", "run"]


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("path", nargs="?", metavar="PATH", help="the project (default: here)")
    parser.add_argument("--qrels", metavar="FILE", help="which judgements of a BEIR folder that has several")


def run(call: Call) -> int:
    from ragtriage.golden.lint import describe

    project = call.project()
    golden = project.golden
    labels, gaps = _labels(project)
    problems = [*golden.problems, *_logs(project), *labels]
    problems = sorted(dict.fromkeys(problems), key=lambda problem: (problem.where, problem.line))
    description = describe(golden)
    errors = sum(problem.severity == "error" for problem in problems)
    if call.out.json:
        shown = gaps._asdict() if gaps else None
        found = [problem_json(problem) for problem in problems]
        call.out.document({"format": 1, "errors": errors, "problems": found, "set": description._asdict(), "gap": shown})
    else:
        lines = [f"{problem.severity}: {problem}" for problem in problems]
        call.out.text(*map(Marks(call.out.ascii), [*lines, *([""] if lines else []), *_described(description), *_gap(gaps)]))
    return 2 if errors else 0


def problem_json(problem: Problem) -> dict[str, Any]:
    """A problem as `--json` shows it."""
    return {
        "where": problem.where,
        "line": problem.line or None,
        "key": problem.key or None,
        "severity": problem.severity,
        "message": problem.message,
    }


def _labels(project: Project) -> tuple[list[Problem], Gaps | None]:
    """What is wrong with the labels, and the vocabulary gaps; where there is no corpus to look them up in, that."""
    from ragtriage.errors import CorpusError, Problem
    from ragtriage.golden.lint import examine
    from ragtriage.measure.label_shas import known_label_shas
    from ragtriage.search.lexical import content_terms

    terms = content_terms(project.config.retrieval.language)
    try:
        found = examine(project.golden, project.corpus, project.chunks, known_label_shas(project), terms=terms)
    except CorpusError as error:
        where = str(project.corpus_root)
        return list(error.problems) or [Problem(where, 0, str(error).removeprefix(f"{where}: "))], None
    return found.problems, found.gaps


def _logs(project: Project) -> list[Problem]:
    """What is wrong with the logs beside the golden set: a merge may have left its marks in them."""
    from ragtriage.files import read_log
    from ragtriage.inbox.log import InboxLog
    from ragtriage.project import EVENT_LOGS
    from ragtriage.triage.judgements import JudgementLog
    from ragtriage.triage.reviews import ReviewLog

    read = {
        "verdicts.jsonl": project.verdicts.problems,
        "reviews.jsonl": ReviewLog(project.evals / "reviews.jsonl").problems,
        "judgements.jsonl": JudgementLog(project.evals / "judgements.jsonl").problems,
        "inbox.jsonl": InboxLog(project.evals / "inbox.jsonl").problems,
    }
    found: list[Problem] = []
    for name in EVENT_LOGS:
        problems = read[name]() if name in read else read_log(project.evals / name)[1]
        found += problems
    return found


def _described(found: Description) -> list[str]:
    answers = f"{found.answerable} answerable · {found.unanswerable} unanswerable · {found.unlabelled} unlabelled"
    if not found.questions:
        return ['No questions yet: ragtriage add "a question as a user wrote it"']
    lines = [f"{count(found.questions, 'question')}: {found.dev} dev · {found.holdout} holdout", answers]
    lines += [f"{name}: {_counts(counts)}" for name, counts in (("kind", found.by_kind), ("source", found.by_source)) if counts]
    return lines


def _gap(gaps: Gaps | None) -> list[str]:
    if gaps is None or gaps.mean is None:
        return []
    kinds = " · ".join(f"{kind} {share:.2f}" for kind, share in gaps.by_kind.items())
    return [f"words of a question that its evidence has, too: {gaps.mean:.2f} ({kinds}); near 1 it was written from the page"]


def _counts(counts: Mapping[str, int]) -> str:
    return " · ".join(f"{name} {count}" for name, count in counts.items())
