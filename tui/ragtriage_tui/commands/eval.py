"""`ragtriage eval`: measure, store the run, and print the report."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from ragtriage_tui.agreeing import asking_arguments, repeat_argument
from ragtriage_tui.call import Call, clean, listed, open_project_at, overrides
from ragtriage_tui.commands import eval_files
from ragtriage_tui.newest_run import calibration_at, fresh_run, need_questions, texts_of
from ragtriage_tui.problems import exit_code, problems_of, say_problems

if TYPE_CHECKING:
    from ragtriage.measure.results import Run
    from ragtriage.project import Project

__all__ = ["arguments", "report_on", "run"]


def arguments(parser: argparse.ArgumentParser) -> None:
    from ragtriage.types import KINDS

    parser.add_argument(
        "path", nargs="?", metavar="PATH", help="a project folder, one below it, or a BEIR folder (default: here)"
    )
    parser.add_argument("--mode", choices=("bm25", "dense", "hybrid"), help="retrieval.mode for this run")
    parser.add_argument("--k", metavar="N", help="retrieval.k for this run: passages in the prompt")
    parser.add_argument("--only", metavar="QID,…", help="only these questions, separated by commas")
    parser.add_argument("--failing", action="store_true", help="only the questions that ragtriage failures lists")
    parser.add_argument("--kind", choices=[kind for kind in KINDS if kind], help="only questions of this kind")
    parser.add_argument("--split", choices=("dev", "holdout", "all"), default="dev", help="looking at the holdout is logged")
    parser.add_argument(
        "--answers",
        choices=("none", "live", "oracle", "both"),
        help="which answers to make, asking the model for those that are not known; left out: both, from what is known",
    )
    parser.add_argument(
        "--split-tax", action="store_true", help="two more answers a question, which say where the tax comes from"
    )
    repeat_argument(parser, "answers of a model that is asked anew, for gate --repeat; the number tells repeats apart")
    asking_arguments(parser)
    parser.add_argument("--note", default="", metavar="TEXT", help="kept with the run")
    parser.add_argument(
        "--qrels", metavar="FILE", help="which judgements of a BEIR folder that has several; with --run, any file of them"
    )
    parser.add_argument("--rehash", action="store_true", help="read every file again, whatever its time and size say")
    eval_files.arguments(parser)


def run(call: Call) -> int:
    if eval_files.asked_for(call):
        return eval_files.run(call)
    from ragtriage.errors import UsageError
    from ragtriage.measure.evaluate import evaluate

    args = call.args
    if args.split_tax and args.answers not in (None, "both"):
        raise UsageError(f"--split-tax: needs live and oracle answers, not --answers {args.answers}")
    project = call.project()
    agreeing = call.agreeing()
    try:
        with agreeing.telling(project):
            only = _only(call, project)
            if only is None or not args.failing:
                need_questions(project, split=args.split, kind=args.kind, only=only)
            elif not only and not args.json:
                call.out.text("Nothing of that fails.")
                return exit_code((), problems_of(project))
            result = evaluate(
                project,
                split=args.split,
                kind=args.kind,
                only=only,
                answers=args.answers or "both",
                ask=agreeing if args.answers not in (None, "none") else None,
                split_tax=args.split_tax,
                repeat=args.repeat,
                note=clean(args.note),
                store=not args.read_only and only != [],
                progress=call.progress(),
            )
            return _print_report(call, project, result, stored=not args.read_only)
    finally:
        project.close()


def _only(call: Call, project: Project) -> list[str] | None:
    """The questions that `--only` and `--failing` name, `--kind` applied; None where all of the split are meant."""
    from ragtriage.errors import UsageError

    args = call.args
    only = listed(args.only) if args.only is not None else None
    if args.failing:
        if args.split != "dev":
            raise UsageError("--failing: known of the dev questions only; leave --split out, or --failing")
        known = {question.qid for question in project.golden.questions}
        failing = [one.qid for one in _run_before(call, project).questions if one.suggested or one.status == "failed"]
        only = [qid for qid in failing if qid in known and (only is None or qid in only)]
    if only is None or args.kind is None:
        return only
    found = ((qid, project.golden.get(qid)) for qid in only)
    return [qid for qid, question in found if question is None or question.kind == args.kind]


def _run_before(call: Call, project: Project) -> Run:
    """What `--failing` goes by: the run of the project as it is configured, so that another configuration is tried on what
    fails today; else that of what this command asks for, measured first where there is none."""
    import contextlib

    from ragtriage.errors import ConfigError
    from ragtriage.measure.newest_run import newest_run

    need_questions(project)
    if call.args.set or call.args.groups is not None or overrides(call.args):
        with contextlib.suppress(ConfigError):
            stored = newest_run(open_project_at(call, call.path, as_configured=True))
            if stored is not None:
                return stored
    found = newest_run(project)
    if found is None:
        call.out.say("--failing: there is no run of today's documents, configuration and golden set, so all are measured first")
    return found or fresh_run(call, project)


def report_on(call: Call, path: Path) -> int:
    """The report of `ragtriage PATH` without a terminal: of the newest run that fits, or of a new one."""
    project = open_project_at(call, path)
    try:
        return _print_report(call, project, fresh_run(call, project))
    finally:
        project.close()


def _print_report(call: Call, project: Project, run: Run, *, stored: bool = True) -> int:
    """The report or its JSON on standard output, what is wrong with the files on standard error; the exit code."""
    from ragtriage.measure.report import relabelled_means, to_json
    from ragtriage.search.encoders import server_notes

    verdicts = project.verdicts.current()
    problems = problems_of(project)
    calibration = calibration_at(project, run, problems)
    if call.out.json:
        from ragtriage_tui.judge_lines import calibrated_json

        document = to_json(run, verdicts)
        document["calibration"] = calibrated_json(run, calibration)
        document["problems"] = [str(problem) for problem in problems]
        document["skipped"] = [item._asdict() for item in project.corpus.skipped]
        call.out.document(document)
    else:
        from ragtriage_tui.figures import Marks
        from ragtriage_tui.plain import report_lines, skipped_lines

        texts = texts_of(project)
        without = relabelled_means(run.questions, verdicts, int(run.manifest["k"]))
        lines = report_lines(run, texts, verdicts, without_bad_labels=without, calibration=calibration)
        skipped = skipped_lines(project.corpus.skipped)
        mark = Marks(call.out.ascii)
        call.out.text(*map(mark, [*lines, *(["", *skipped] if skipped else [])]))
    if stored and project.read_only:
        call.out.say(f"{project.root} cannot be written; the run is in {project.runs.folder / run.id}")
    for note in server_notes(project):
        call.out.say(note)
    say_problems(call, problems)
    return exit_code(run.questions, problems)
