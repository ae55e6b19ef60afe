"""`ragtriage judge run|calibrate|show`: have a model judge the answers, and see how far it agrees with people."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from ragtriage_tui.agreeing import asking_arguments, repeat_argument
from ragtriage_tui.call import Call, listed
from ragtriage_tui.figures import Marks, count
from ragtriage_tui.newest_run import calibration_at, stored_run
from ragtriage_tui.problems import exit_code, problems_of, say_problems

if TYPE_CHECKING:
    from ragtriage.answers.calibration import Calibration, Pair
    from ragtriage.answers.judge import Judge
    from ragtriage.errors import Problem
    from ragtriage.measure.results import Run
    from ragtriage.project import Project
    from ragtriage.triage.reviews import Review

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
    _configured(project)
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

    newest = stored_run(project)
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
    from datetime import UTC, datetime

    from ragtriage.answers.calibration import Calibration, calibrate
    from ragtriage.answers.calibration_file import FILE_NAME, save_calibration
    from ragtriage.errors import UsageError
    from ragtriage.triage.reviews import ReviewLog

    log = ReviewLog(project.evals / "reviews.jsonl")
    reviews, problems = log.current(), log.problems()
    if not reviews:
        say_problems(call, problems)
        raise UsageError(f"{log.path}: no reviews yet; J in the app shows answers to judge, the least certain first")
    judge, answers = _judged(call, project)
    pairs = _pairs(answers, reviews)
    if not pairs:
        raise UsageError(
            f"none of the {count(len(reviews), 'reviewed answer')} is among the judged ones of today's run: "
            "ragtriage judge run has the judge say what it thinks of them, J in the app reviews others"
        )
    at = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    found = Calibration(judge, at, calibrate(pairs))
    path = project.evals / FILE_NAME
    if not call.args.read_only:
        save_calibration(path, found)
    _print_calibration(call, found, reviews=len(reviews), pairs=len(pairs), written="" if call.args.read_only else str(path))
    return say_problems(call, problems)


def _print_calibration(call: Call, found: Calibration, *, reviews: int, pairs: int, written: str) -> None:
    import dataclasses

    from ragtriage_tui.judge_lines import calibration_lines
    from ragtriage_tui.text import one_line

    if call.out.json:
        axes = {axis: {**dataclasses.asdict(one), "few": one.few} for axis, one in found.axes.items()}
        figures = {"reviews": reviews, "pairs": pairs, "axes": axes}
        call.out.document({"format": 1, "judge": found.judge, "at": found.at, **figures, "written": written or None})
        return
    elsewhere = reviews - pairs
    of = f"; {elsewhere} more were reviewed, and are not judged today" if elsewhere else ""
    lines = [f"{one_line(found.judge)}", f"{count(pairs, 'answer')} that people and the judge have judged{of}", ""]
    lines += calibration_lines(found.axes)
    call.out.text(*map(Marks(call.out.ascii), [*lines, *(["", f"wrote {written}"] if written else [])]))


def _judged(call: Call, project: Project) -> tuple[str, Run]:
    """The judge's identity, and the newest run that it judged, or what is known of it today."""
    from ragtriage.measure.evaluate import evaluate

    judge = _configured(project)
    newest = stored_run(project)
    if newest is None or not any(answer.judged for question in newest.questions for answer in question.answers.values()):
        newest = evaluate(project, store=False, progress=call.progress())
    return judge.identity, newest


def _configured(project: Project) -> Judge:
    from ragtriage.errors import UsageError

    if project.judge is None:
        raise UsageError("no judge is configured: provider and model under [judge] in ragtriage.toml name one")
    return project.judge


def _pairs(result: Run, reviews: dict[str, Review]) -> list[Pair]:
    """Each reviewed answer once, as the judge saw it; the same text as a live and an oracle answer is taken as the live one."""
    from ragtriage.answers.calibration import Pair
    from ragtriage.triage.reviews import answer_sha

    found: dict[str, Pair] = {}
    for question in result.questions:
        for answer in question.answers.values():
            sha = answer_sha(question.qid, answer.text)
            review = reviews.get(sha)
            if review is not None and answer.judged is not None and not answer.judged.reason and sha not in found:
                found[sha] = Pair(question.qid, answer.judged, review, len(answer.text))
    return list(found.values())
