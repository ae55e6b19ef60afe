"""Which reports ask what the golden set asks already."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from ragtriage.errors import Cancelled, GoldenError, RagtriageError
from ragtriage.golden.similar import Similar, Wordings, similar
from ragtriage.inbox.reports import Report
from ragtriage.labelling.proposals import question_of
from ragtriage.types import Progress, no_progress

if TYPE_CHECKING:
    from ragtriage.golden.question_vectors import QuestionVectors
    from ragtriage.project import Project

__all__ = ["LIKELY", "MOST_EMBEDDED", "Twin", "Twins", "twins_of"]

LIKELY = 0.7
"""Score from which a question with the same numbers is pointed out: a person decides, so it is lower than `NEARLY_EQUAL`."""

MOST_EMBEDDED = 500
"""Reports of one import that are compared by vectors too: embedding more would take minutes."""


class Twin(NamedTuple):
    """A question of the set that asks what a report asks, or that was made of it (`same_source`)."""

    qid: str
    question: str
    score: float
    same_source: bool = False


class Twins(NamedTuple):
    """By report id; `problem` says why vectors had no part in it, where they should have."""

    found: dict[str, Twin]
    problem: str = ""


def twins_of(reports: Sequence[Report], project: Project, *, wait: bool = False, progress: Progress = no_progress) -> Twins:
    """The likeliest twin of each report that has one: of the same source and number, else by words and vectors.

    With `wait` what has no vector yet is embedded; else no model runs. What is wrong with corpus or model is `problem`, and
    words alone decide. Raises what `progress` raises.
    """
    if not reports or not project.golden_path.exists():
        return Twins({})
    try:
        questions = project.golden.questions
    except GoldenError as error:
        return Twins({}, f"compared with no question: {error}")
    made = {(str(one.source.get("from", "")), str(one.source["ref"])): one for one in questions if one.source.get("ref")}
    wordings = Wordings(questions)
    vectors, problem = _vectors(reports, project, wait=wait, progress=progress)
    found = {}
    for number, report in enumerate(reports, start=1):
        if report.ref and (one := made.get((report.source, report.ref))) is not None:
            found[report.id] = Twin(one.qid, one.question, 1.0, same_source=True)
            continue
        asked = question_of(report).question
        cosines = vectors.like(asked) if vectors is not None else None
        best = next((one for one in similar(asked, wordings, vectors=cosines) if _likely(one)), None)
        if best is not None:
            found[report.id] = Twin(best.qid, best.question, best.score)
        if number % 100 == 0:
            progress("comparing", number, len(reports))
    return Twins(found, problem)


def _likely(one: Similar) -> bool:
    return one.same_numbers and one.score >= LIKELY


def _vectors(
    reports: Sequence[Report], project: Project, *, wait: bool, progress: Progress
) -> tuple[QuestionVectors | None, str]:
    if project.config.retrieval.mode == "bm25":
        return None, ""
    from ragtriage.golden.question_vectors import QuestionVectors

    few = len(reports) <= MOST_EMBEDDED
    try:
        retriever = project.embedded.retriever
        vectors = QuestionVectors(project.golden.questions, retriever)
        vectors.load(progress=progress, wait=wait and few)
        if wait and few:
            retriever.question_vectors([question_of(report).question for report in reports], progress=progress, wait=True)
    except Cancelled:
        raise
    except RagtriageError as error:
        return None, f"compared by words alone: {error}"
    return vectors, "" if few or not wait else f"compared by words alone: more than {MOST_EMBEDDED} reports at once"
