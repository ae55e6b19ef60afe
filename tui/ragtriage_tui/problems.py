"""What is wrong with the files of a project, as every command says it, and the exit code that follows from it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ragtriage_tui.text import one_line

if TYPE_CHECKING:
    from ragtriage.errors import Problem
    from ragtriage.measure.results import QuestionResult
    from ragtriage.project import Project
    from ragtriage_tui.call import Call

__all__ = ["MOST_PROBLEMS", "exit_code", "problems_of", "say_problems"]

MOST_PROBLEMS = 20  # that are said one by one


def problems_of(project: Project) -> list[Problem]:
    """What is wrong with golden set, verdicts and documents; advice left out."""
    found = [*project.golden.problems, *project.verdicts.problems(), *project.corpus.problems]
    return [problem for problem in found if problem.severity != "advice"]


def say_problems(call: Call, problems: list[Problem]) -> int:
    """The first of them on standard error; 2 where one of them is an error, else 0."""
    call.out.say(*(one_line(str(problem)) for problem in problems[:MOST_PROBLEMS]))
    if len(problems) > MOST_PROBLEMS:
        call.out.say(f"… and {len(problems) - MOST_PROBLEMS} more; ragtriage golden check and ragtriage doctor list them")
    return exit_code((), problems)


def exit_code(questions: Sequence[QuestionResult], problems: list[Problem]) -> int:
    """2 where a file is wrong, 3 where a question could not be measured or an answer failed, else 0."""
    if any(problem.severity == "error" for problem in problems):
        return 2
    return 3 if any(question.status == "failed" or question.unanswered for question in questions) else 0
