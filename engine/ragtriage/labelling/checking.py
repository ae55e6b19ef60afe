"""`golden check` of a project: the golden set, its labels in today's corpus, and the logs beside it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ragtriage.errors import CorpusError, Problem
from ragtriage.golden.lint import Description, describe, examine
from ragtriage.inbox.log import InboxLog
from ragtriage.log_lines import read_log
from ragtriage.measure.label_shas import known_label_shas
from ragtriage.project_places import EVENT_LOGS
from ragtriage.search.lexical import content_terms
from ragtriage.triage.judgements import JudgementLog
from ragtriage.triage.reviews import ReviewLog

if TYPE_CHECKING:
    from ragtriage.golden.gap import Gaps
    from ragtriage.project import Project

__all__ = ["Checked", "check_golden"]


class Checked(NamedTuple):
    """Every problem once, by file and line; what the set holds; and how much of its questions is said in the words of their
    evidence, None where there is no corpus to look that up in."""

    problems: tuple[Problem, ...]
    description: Description
    gaps: Gaps | None

    @property
    def errors(self) -> tuple[Problem, ...]:
        """The problems that keep a line from being used, or a label from being found."""
        return tuple(problem for problem in self.problems if problem.severity == "error")


def check_golden(project: Project) -> Checked:
    """Look at the golden set, at each of its labels, and at the logs beside it. A corpus that cannot be read is a problem.

    Raises GoldenError where the set cannot be read at all, and StorageError.
    """
    golden = project.golden
    labels, gaps = _labels(project)
    problems = dict.fromkeys([*golden.problems, *_logs(project), *labels])
    return Checked(tuple(sorted(problems, key=lambda problem: (problem.where, problem.line))), describe(golden), gaps)


def _labels(project: Project) -> tuple[list[Problem], Gaps | None]:
    """What is wrong with the labels, and the vocabulary gaps; where there is no corpus to look them up in, that."""
    terms = content_terms(project.config.retrieval.language)
    try:
        found = examine(project.golden, project.corpus, project.chunks, known_label_shas(project), terms=terms)
    except CorpusError as error:
        where = str(project.corpus_root)
        return list(error.problems) or [Problem(where, 0, str(error).removeprefix(f"{where}: "))], None
    return found.problems, found.gaps


def _logs(project: Project) -> list[Problem]:
    """What is wrong with the logs beside the golden set: a merge may have left its marks in them."""
    read = {
        "verdicts.jsonl": project.verdicts.problems,
        "reviews.jsonl": ReviewLog(project.evals / "reviews.jsonl").problems,
        "judgements.jsonl": JudgementLog(project.evals / "judgements.jsonl").problems,
        "inbox.jsonl": InboxLog(project.evals / "inbox.jsonl").problems,
    }
    found: list[Problem] = []
    for name in EVENT_LOGS:
        found += read[name]() if name in read else read_log(project.evals / name)[1]
    return found
