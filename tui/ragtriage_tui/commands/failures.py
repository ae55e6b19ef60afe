"""`ragtriage failures`: the failing questions of the newest run, with cause, rung and label."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from ragtriage_tui.call import Call, clean
from ragtriage_tui.figures import Marks, count
from ragtriage_tui.judge_lines import cause_lines
from ragtriage_tui.newest_run import calibration_at, fresh_run, texts_of
from ragtriage_tui.plain import failing_lines
from ragtriage_tui.problems import exit_code, problems_of, say_problems

if TYPE_CHECKING:
    from ragtriage.measure.results import QuestionResult
    from ragtriage.triage.verdicts import Verdict

__all__ = ["arguments", "run"]


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "The questions that have a suggested cause, and those that could not be measured, in the newest complete run of "
        "today's documents, configuration and golden set; where there is none, all questions are measured first."
    )
    parser.add_argument("path", nargs="?", metavar="PATH", help="the project (default: here)")
    parser.add_argument(
        "--category",
        metavar="CATEGORY",
        help="only this cause, by key (1 to 7) or name: the label's, or the suggested one where there is no label",
    )
    parser.add_argument("--unlabelled", action="store_true", help="only those without a label, or whose label is old")


def run(call: Call) -> int:
    from ragtriage.triage.categories import category

    args = call.args
    wanted = category(clean(args.category)) if args.category is not None else None
    project = call.project()
    try:
        result = fresh_run(call, project)
        verdicts = project.verdicts.current()
        failing = [question for question in result.questions if question.suggested or question.status == "failed"]
        if args.unlabelled:
            failing = [question for question in failing if _label(question, verdicts) is None]
        if wanted is not None:
            failing = [q for q in failing if (_label(q, verdicts) or q.suggested) == wanted.slug]
        problems = problems_of(project)
        calibration = calibration_at(project, result, problems)
        texts = texts_of(project)
    finally:
        project.close()
    if call.out.json:
        rows = [_row(question, texts, verdicts) for question in failing]
        call.out.document({"format": 1, "run": result.id, "questions": len(result.questions), "failing": rows})
    else:
        lines = failing_lines(failing, texts, verdicts, ends_at=(result.manifest.get("system") or {}).get("ends_at")) or [
            "Nothing fails."
        ]
        lines += ["", *judged] if (judged := cause_lines(result, calibration)) and failing else []
        call.out.text(*map(Marks(call.out.ascii), lines))
    if unanswered := sum(len(question.unanswered) for question in result.questions):
        call.out.say(f"{count(unanswered, 'answer')} failed; ragtriage runs show says why, eval --answers both asks again")
    say_problems(call, problems)
    return exit_code(result.questions, problems)


def _label(question: QuestionResult, verdicts: dict[str, Verdict]) -> str | None:
    verdict = verdicts.get(question.qid)
    return verdict.category if verdict is not None and verdict.fits(question.seen) else None


def _row(question: QuestionResult, texts: dict[str, str], verdicts: dict[str, Verdict]) -> dict[str, Any]:
    verdict = verdicts.get(question.qid)
    return {
        "qid": question.qid,
        "question": texts.get(question.qid),
        "kind": question.kind,
        "status": question.status,
        "suggested": question.suggested or None,
        "labelled": _label(question, verdicts),
        "old": verdict.category if verdict is not None and not verdict.fits(question.seen) else None,
        "lost_at": question.lost_at or None,
        "ranks": list(question.ranks),
        "reason": question.reason or None,
    }
