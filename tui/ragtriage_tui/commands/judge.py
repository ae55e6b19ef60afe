"""`ragtriage judge run|calibrate|show`: have a model judge the answers, and see how far it agrees with people."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from ragtriage_tui.agreeing import asking_arguments, repeat_argument
from ragtriage_tui.call import Call, listed
from ragtriage_tui.figures import Marks, count
from ragtriage_tui.newest_run import calibration_at
from ragtriage_tui.problems import exit_code, problems_of, say_problems

if TYPE_CHECKING:
    from ragtriage.errors import Problem
    from ragtriage.measure.calibrating import Calibrated
    from ragtriage.measure.results import Run
    from ragtriage.project import Project

__all__ = ["arguments", "run"]


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "run: measure, with the answers that are known, and ask the judge of [judge] about them. calibrate: compare what it "
        "says with what people say in evals/reviews.jsonl. show: what it says in the newest run."
    )
    parser.add_argument("action", choices=("run", "calibrate", "show"))
    parser.add_argument("path", nargs="?", metavar="PATH", help="the project (default: here)")
    parser.add_argument("--only", metavar="QID,…", help="run: only these questions, separated by commas")
    parser.add_argument("--stability", action="store_true", help="run: judge a second time with the passages in another order")
    repeat_argument(parser, "run: judge the answers of eval --repeat N")
    asking_arguments(parser)


def run(call: Call) -> int:
    from ragtriage.errors import UsageError

    args = call.args
    for option, given in (("--only", args.only is not None), ("--stability", args.stability), ("--repeat", args.repeat)):
        if given and args.action != "run":
            raise UsageError(f"{option}: for judge run, not for judge {args.action}")
    project = call.project()
    try:
        return {"run": _run, "calibrate": _calibrate, "show": _show}[call.args.action](call, project)
    finally:
        project.close()


def _run(call: Call, project: Project) -> int:
    from ragtriage.errors import UsageError
    from ragtriage.measure.evaluate import evaluate

    args = call.args
    if project.judge is None:
        raise UsageError("no judge is configured: provider and model under [judge] in ragtriage.toml name one")
    only = listed(args.only) if args.only is not None else None
    if only == []:
        raise UsageError("--only: no question to judge")
    agreeing = call.agreeing()
    with agreeing.telling(project):
        result = evaluate(
            project,
            only=only,
            ask_judge=agreeing,
            stability=args.stability,
            repeat=args.repeat,
            store=not args.read_only,
            progress=call.progress(),
        )
    if not any(question.answers for question in result.questions):
        again = f" --repeat {args.repeat}" if args.repeat else ""
        raise UsageError(f"there is no answer to judge yet: ragtriage eval --answers both{again} asks for them")
    problems = problems_of(project)
    _print(call, project, result, problems)
    say_problems(call, problems)
    unscored = bool(result.manifest["judged"]["unscored"])
    return exit_code(result.questions, problems) or (3 if unscored else 0)


def _show(call: Call, project: Project) -> int:
    from ragtriage.errors import UsageError
    from ragtriage.measure.newest_run import newest_run

    newest = newest_run(project)
    if newest is None or "judged" not in newest.manifest:
        raise UsageError("there is no judged run of today's documents, configuration and golden set: ragtriage judge run")
    problems: list[Problem] = []
    _print(call, project, newest, problems)
    return say_problems(call, problems)


def _print(call: Call, project: Project, result: Run, problems: list[Problem]) -> None:
    from ragtriage_tui.judge_lines import calibrated_json, judge_lines

    calibration = calibration_at(project, result, problems)
    if call.out.json:
        told = {name: result.manifest.get(name) for name in ("judge", "judged")}
        call.out.document({"format": 1, "run": result.id, **told, "calibration": calibrated_json(result, calibration)})
        return
    lines = [f"run {result.id}"]
    for block in judge_lines(result, calibration):
        lines += ["", *block] if block else []
    call.out.text(*map(Marks(call.out.ascii), lines))


def _calibrate(call: Call, project: Project) -> int:
    from ragtriage.errors import UsageError
    from ragtriage.measure.calibrating import calibrate_judge

    try:
        found = calibrate_judge(project, write=not call.args.read_only, progress=call.progress())
    except UsageError as error:
        say_problems(call, list(error.problems))
        raise
    _print_calibration(call, found)
    return say_problems(call, list(found.problems))


def _print_calibration(call: Call, done: Calibrated) -> None:
    import dataclasses

    from ragtriage_tui.judge_lines import calibration_lines
    from ragtriage_tui.text import one_line

    found, written = done.calibration, str(done.path) if done.path else None
    if call.out.json:
        axes = {axis: {**dataclasses.asdict(one), "few": one.few} for axis, one in found.axes.items()}
        figures = {"reviews": done.reviews, "pairs": done.pairs, "axes": axes}
        call.out.document({"format": 1, "judge": found.judge, "at": found.at, **figures, "written": written})
        return
    elsewhere = done.reviews - done.pairs
    of = f"; {elsewhere} more were reviewed, and are not judged today" if elsewhere else ""
    lines = [f"{one_line(found.judge)}", f"{count(done.pairs, 'answer')} that people and the judge have judged{of}", ""]
    lines += calibration_lines(found.axes)
    call.out.text(*map(Marks(call.out.ascii), [*lines, *(["", f"wrote {written}"] if written else [])]))
