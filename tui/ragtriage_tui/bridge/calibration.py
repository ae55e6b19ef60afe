"""How far the judge of a run is known to agree with people, in words that fit beside what it says."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ragtriage_tui.answer_views import UNCALIBRATED, CalibrationView
from ragtriage_tui.text import scrub

if TYPE_CHECKING:
    from ragtriage.measure.results import Run
    from ragtriage.project import Project

__all__ = ["calibration_of_run", "judged_tax"]


def calibration_of_run(project: Project, manifest: Mapping[str, Any]) -> CalibrationView:
    """What stands in the project's calibration of the very judge of this run; of another one, nothing counts."""
    from ragtriage.answers.calibration import calibration_of
    from ragtriage.answers.calibration_file import FILE_NAME, load_calibration
    from ragtriage.errors import GoldenError
    from ragtriage.types import AXES

    judge = manifest.get("judge")
    if not isinstance(judge, dict):
        return UNCALIBRATED
    try:
        found = load_calibration(project.evals / FILE_NAME)
    except GoldenError:  # it is for `judge calibrate` to say so; here nothing is known
        return UNCALIBRATED
    figures = [calibration_of(found, axis, str(judge.get("identity", ""))) for axis in AXES]
    return CalibrationView(
        tuple(None if one is None or one.says_nothing else one.kappa for one in figures),
        tuple("uncalibrated" if one is None else scrub(str(one)) for one in figures),
    )


def judged_tax(run: Run) -> bool:
    """Whether what a judge says is part of the retrieval tax: both answers count, and nothing but the judge decides one."""
    for question in run.questions:
        live, oracle = question.live, question.oracle
        if live is None or oracle is None or live.correct is None or oracle.correct is None:
            continue
        if live.grade.correct is None or oracle.grade.correct is None:
            return True
    return False
