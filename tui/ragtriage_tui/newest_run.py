"""The run that a command means where none is named: the newest that fits today's files, with what belongs to it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ragtriage_tui.problems import MOST_PROBLEMS

if TYPE_CHECKING:
    from ragtriage.answers.calibration import Calibration
    from ragtriage.errors import Problem
    from ragtriage.measure.evaluate import SplitChoice
    from ragtriage.measure.results import Run
    from ragtriage.project import Project
    from ragtriage.types import Kind
    from ragtriage_tui.call import Call

__all__ = ["calibration_at", "fresh_run", "named_run", "need_questions", "say_passed_over", "texts_of"]


def fresh_run(call: Call, project: Project) -> Run:
    """The newest run, measured where there is none. Raises UsageError where there is no question."""
    from ragtriage.measure.evaluate import evaluate
    from ragtriage.measure.newest_run import newest_run

    need_questions(project)
    return newest_run(project) or evaluate(project, store=not call.args.read_only, progress=call.progress())


def named_run(call: Call, project: Project, name: str) -> str:
    """The id of the run that `name` means. Says on standard error where a newer partial run is not it. Raises UsageError."""
    found = project.runs.find(name).id
    say_passed_over(call, project, name)
    return found


def say_passed_over(call: Call, project: Project, *names: str) -> None:
    """Say on standard error, once, which newer run `latest` and `latest~1` do not mean, since it is partial."""
    over = next((info for info in map(project.runs.passed_over, names) if info is not None), None)
    if over is not None:
        call.out.say(f"{over.id} is newer and partial: it is passed over, and named by its id alone")


def texts_of(project: Project) -> dict[str, str]:
    """Each question's text by its id; none where there is no golden set any more."""
    if not project.golden_path.exists():
        return {}
    return {question.qid: question.question for question in project.golden.questions}


def need_questions(
    project: Project, *, split: SplitChoice = "dev", kind: Kind | None = None, only: Sequence[str] | None = None
) -> None:
    """Raise UsageError where there is nothing to measure, and say what to do."""
    from ragtriage.errors import UsageError
    from ragtriage.measure.evaluate import select

    golden = project.golden
    if only or (only is None and select(golden.questions, split=split, kind=kind)):
        return
    problems = [str(problem) for problem in golden.problems if problem.severity == "error"][:MOST_PROBLEMS]
    if problems and not golden.questions:
        raise UsageError("\n".join([f"{golden.path}: no line can be used", *problems]))
    if not golden.questions:
        how = "" if project.beir else ': ragtriage add "a question as a user wrote it"'
        raise UsageError(f"No questions yet in {golden.path}{how}")
    chosen = " ".join(
        ["no question", *([f"of kind {kind}"] if kind else []), *([f"in split {split}"] if split != "all" else [])]
    )
    aside = len(select(golden.questions, split="holdout", kind=kind))
    hint = f"; the holdout has {aside}, which --split holdout measures" if split == "dev" and aside else ""
    raise UsageError(f"{chosen if only is None else '--only: no question'} to measure{hint if only is None else ''}")


def calibration_at(project: Project, run: Run, problems: list[Problem]) -> Calibration | None:
    """What the judge of `run` was calibrated at; what is wrong with that file goes to `problems`."""
    if "judged" not in run.manifest:
        return None
    from ragtriage.answers.calibration_file import FILE_NAME, load_calibration
    from ragtriage.errors import GoldenError

    try:
        return load_calibration(project.evals / FILE_NAME)
    except GoldenError as error:
        problems += error.problems
        return None
