"""`judge calibrate`: what the judge says of a project's answers, compared with what people say in evals/reviews.jsonl."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from ragtriage.answers.calibration import Calibration, Pair, calibrate
from ragtriage.answers.calibration_file import FILE_NAME, save_calibration
from ragtriage.errors import UsageError
from ragtriage.measure.evaluate import evaluate
from ragtriage.measure.newest_run import newest_run
from ragtriage.measure.results import Run
from ragtriage.project import Project
from ragtriage.triage.reviews import Review, ReviewLog, answer_sha
from ragtriage.types import Progress, no_progress

if TYPE_CHECKING:
    from ragtriage.errors import Problem

__all__ = ["Calibrated", "calibrate_judge"]


class Calibrated(NamedTuple):
    """How far the judge agrees with people: over `pairs` answers that both judged, of `reviews` that people did. `problems`
    are lines of the reviews that cannot be used; `path` is where it was written, None where it was not."""

    calibration: Calibration
    reviews: int
    pairs: int
    problems: tuple[Problem, ...]
    path: Path | None


def calibrate_judge(project: Project, *, write: bool = True, progress: Progress = no_progress) -> Calibrated:
    """Compare the configured judge with people, and keep that in evals/calibration.json unless `write` is False.

    No model is asked: what the judge said is that of the newest run which it judged, or what is known of it. Raises UsageError
    where no judge is configured or nothing can be compared, with the `problems` of the reviews where there are none, and
    StorageError.
    """
    log = ReviewLog(project.evals / "reviews.jsonl")
    reviews, problems = log.current(), log.problems()
    if not reviews:
        raise UsageError(f"{log.path}: no reviews yet; J in the app shows answers to judge, the least certain first", problems)
    if project.judge is None:
        raise UsageError("no judge is configured: provider and model under [judge] in ragtriage.toml name one")
    pairs = _pairs(_judged(project, progress), reviews)
    if not pairs:
        number = "1 reviewed answer" if len(reviews) == 1 else f"{len(reviews):,} reviewed answers"
        raise UsageError(
            f"none of the {number} is among the judged ones of today's run: "
            "ragtriage judge run has the judge say what it thinks of them, J in the app reviews others"
        )
    at = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    found = Calibration(project.judge.identity, at, calibrate(pairs))
    path = project.evals / FILE_NAME if write else None
    if path is not None:
        save_calibration(path, found)
    return Calibrated(found, len(reviews), len(pairs), tuple(problems), path)


def _judged(project: Project, progress: Progress) -> Run:
    """The newest run that the judge judged, or what is known of it today."""
    newest = newest_run(project)
    if newest is not None and any(answer.judged for question in newest.questions for answer in question.answers.values()):
        return newest
    return evaluate(project, store=False, progress=progress)


def _pairs(result: Run, reviews: Mapping[str, Review]) -> list[Pair]:
    """Each reviewed answer once, as the judge saw it; the same text as a live and an oracle answer is taken as the live one."""
    found: dict[str, Pair] = {}
    for question in result.questions:
        for answer in question.answers.values():
            sha = answer_sha(question.qid, answer.text)
            review = reviews.get(sha)
            if review is not None and answer.judged is not None and not answer.judged.reason and sha not in found:
                found[sha] = Pair(question.qid, answer.judged, review, len(answer.text))
    return list(found.values())
