"""`ragtriage eval`: measure, store the run, and print the report."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from ragtriage_tui.call import Call, clean, open_project_at

if TYPE_CHECKING:
    from ragtriage.errors import Problem
    from ragtriage.measure.results import Run
    from ragtriage.project import Project

__all__ = ["arguments", "exit_code", "fresh_run", "overrides", "print_report", "problems_of", "report_on", "run"]

_MOST_PROBLEMS = 20


def arguments(parser: argparse.ArgumentParser) -> None:
    from ragtriage.types import KINDS

    parser.add_argument(
        "path", nargs="?", metavar="PATH", help="a project folder, one below it, or a BEIR folder (default: here)"
    )
    parser.add_argument("--mode", choices=("bm25", "dense", "hybrid"), help="retrieval.mode for this run")
    parser.add_argument("--k", metavar="N", help="retrieval.k for this run: passages in the prompt")
    parser.add_argument("--only", metavar="QID,…", help="only these questions, separated by commas")
    parser.add_argument("--failing", action="store_true", help="only the questions that fail in the newest run")
    parser.add_argument("--kind", choices=[kind for kind in KINDS if kind], help="only questions of this kind")
    parser.add_argument("--split", choices=("dev", "holdout", "all"), default="dev", help="looking at the holdout is logged")
    parser.add_argument("--answers", choices=("none", "live", "oracle", "both"), default="both", help="which answers to make")
    parser.add_argument("--note", default="", metavar="TEXT", help="kept with the run")
    parser.add_argument("--qrels", metavar="FILE", help="which judgements of a BEIR folder that has several")
    parser.add_argument("--rehash", action="store_true", help="read every file again, whatever its time and size say")


def run(call: Call) -> int:
    from ragtriage.measure.evaluate import evaluate

    args = call.args
    project = call.project(extra=overrides(args))
    try:
        only = [qid.strip() for qid in clean(args.only).split(",") if qid.strip()] if args.only is not None else None
        if args.failing:
            only = [qid for qid in _failing(project) if only is None or qid in only]
        result = evaluate(
            project,
            split=args.split,
            kind=args.kind,
            only=only,
            answers=args.answers,
            note=clean(args.note),
            store=not args.read_only,
            progress=call.progress(),
        )
        return print_report(call, project, result, stored=not args.read_only)
    finally:
        project.close()


def overrides(args: argparse.Namespace) -> list[str]:
    """--mode and --k as the keys that they stand for."""
    named = (("retrieval.mode", args.mode), ("retrieval.k", args.k))
    return [f"{key}={value}" for key, value in named if value is not None]


def report_on(call: Call, path: Path) -> int:
    """The report of `ragtriage PATH` without a terminal: of the newest run that fits, or of a new one."""
    project = open_project_at(call, path)
    try:
        return print_report(call, project, fresh_run(call, project))
    finally:
        project.close()


def fresh_run(call: Call, project: Project) -> Run:
    """The newest complete run of today's corpus, configuration and golden set; measured where there is none."""
    from ragtriage.errors import StorageError
    from ragtriage.measure.evaluate import evaluate

    info = project.runs.newest(project.fingerprints())
    if info is not None and info.manifest.get("split") == "dev":
        try:
            return project.runs.load(info.id)
        except StorageError:  # a damaged run is measured again, which costs little
            pass
    return evaluate(project, store=not call.args.read_only, progress=call.progress())


def print_report(call: Call, project: Project, run: Run, *, stored: bool = True) -> int:
    """The report or its JSON on standard output, what is wrong with the files on standard error; the exit code."""
    from ragtriage.measure.report import relabelled_means, to_json

    verdicts = project.verdicts.current()
    problems = problems_of(project)
    if call.out.json:
        document = to_json(run, verdicts)
        document["problems"] = [str(problem) for problem in problems]
        document["skipped"] = [item._asdict() for item in project.corpus.skipped]
        call.out.document(document)
    else:
        from ragtriage_tui.plain import Marks, report_lines, skipped_lines

        texts = {question.qid: question.question for question in project.golden.questions}
        without = relabelled_means(run.questions, verdicts, int(run.manifest["k"]))
        lines = report_lines(run, texts, verdicts, without_bad_labels=without)
        skipped = skipped_lines(project.corpus.skipped)
        mark = Marks(call.out.ascii)
        call.out.text(*map(mark, [*lines, *(["", *skipped] if skipped else [])]))
    if stored and project.read_only:
        call.out.say(f"{project.root} cannot be written; the run is in {project.runs.folder / run.id}")
    say_problems(call, problems)
    return exit_code(run, problems)


def problems_of(project: Project) -> list[Problem]:
    """What is wrong with golden set, verdicts and documents; advice left out."""
    found = [*project.golden.problems, *project.verdicts.problems(), *project.corpus.problems]
    return [problem for problem in found if problem.severity != "advice"]


def say_problems(call: Call, problems: list[Problem]) -> None:
    """The first of them on standard error."""
    call.out.say(*map(str, problems[:_MOST_PROBLEMS]))
    if len(problems) > _MOST_PROBLEMS:
        call.out.say(f"… and {len(problems) - _MOST_PROBLEMS} more; ragtriage golden check and ragtriage doctor list them")


def exit_code(run: Run, problems: list[Problem]) -> int:
    """2 where a file is wrong, 3 where a question could not be measured, else 0."""
    if any(problem.severity == "error" for problem in problems):
        return 2
    return 3 if any(question.status == "failed" for question in run.questions) else 0


def _failing(project: Project) -> list[str]:
    from ragtriage.errors import UsageError

    newest = project.runs.newest()
    if newest is None:
        raise UsageError("--failing: there is no run yet; ragtriage eval measures all questions")
    run = project.runs.load(newest.id)
    known = {question.qid for question in project.golden.questions}
    return [
        question.qid
        for question in run.questions
        if question.qid in known and (question.suggested or question.status == "failed")
    ]
