"""`ragtriage golden check`: every problem of the golden set with its line, and what the set holds."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from typing import TYPE_CHECKING

from ragtriage_tui.call import Call
from ragtriage_tui.plain import Marks, count

if TYPE_CHECKING:
    from ragtriage.errors import Problem
    from ragtriage.golden.lint import Description
    from ragtriage.project import Project

__all__ = ["arguments", "run"]


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("action", nargs="?", choices=("check",), default="check", help="the default")
    parser.add_argument("path", nargs="?", metavar="PATH", help="the project (default: here)")
    parser.add_argument("--qrels", metavar="FILE", help="which judgements of a BEIR folder that has several")


def run(call: Call) -> int:
    from ragtriage.golden.lint import describe

    project = call.project()
    golden = project.golden
    problems = [*golden.problems, *project.verdicts.problems(), *_labels(project)]
    problems = sorted(dict.fromkeys(problems), key=lambda problem: (problem.where, problem.line))
    description = describe(golden)
    errors = sum(problem.severity == "error" for problem in problems)
    if call.out.json:
        found = [
            {
                "where": problem.where,
                "line": problem.line or None,
                "key": problem.key or None,
                "severity": problem.severity,
                "message": problem.message,
            }
            for problem in problems
        ]
        call.out.document({"format": 1, "errors": errors, "problems": found, "set": description._asdict()})
    else:
        lines = [f"{problem.severity}: {problem}" for problem in problems]
        call.out.text(*map(Marks(call.out.ascii), [*lines, *([""] if lines else []), *_described(description)]))
    return 2 if errors else 0


def _labels(project: Project) -> list[Problem]:
    """What is wrong with the labels; where there is no corpus to look them up in, that."""
    from ragtriage.errors import CorpusError, Problem
    from ragtriage.golden.lint import check
    from ragtriage.measure.label_shas import known_label_shas

    try:
        return check(project.golden, project.corpus, project.chunks, known_label_shas(project))
    except CorpusError as error:
        where = str(project.corpus_root)
        return list(error.problems) or [Problem(where, 0, str(error).removeprefix(f"{where}: "))]


def _described(found: Description) -> list[str]:
    answers = f"{found.answerable} answerable · {found.unanswerable} unanswerable · {found.unlabelled} unlabelled"
    if not found.questions:
        return ['No questions yet: ragtriage add "a question as a user wrote it"']
    lines = [f"{count(found.questions, 'question')}: {found.dev} dev · {found.holdout} holdout", answers]
    lines += [f"{name}: {_counts(counts)}" for name, counts in (("kind", found.by_kind), ("source", found.by_source)) if counts]
    return lines


def _counts(counts: Mapping[str, int]) -> str:
    return " · ".join(f"{name} {count}" for name, count in counts.items())
