"""`ragtriage verdict QID CATEGORY`: why a question fails, or that a flip was meant, as a person decided it; on disk when this
returns.
"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from ragtriage_tui.call import Call, clean
from ragtriage_tui.commands.verdict_intended import is_intended, record_intended, standing_intended
from ragtriage_tui.commands.verdict_list import list_verdicts
from ragtriage_tui.naming import cause

if TYPE_CHECKING:
    from ragtriage.measure.results import QuestionResult
    from ragtriage.project import Project

__all__ = ["arguments", "run"]


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Say why a question fails, or with the word intended that its flip in a review was meant: --note has the reason. "
        "Neither changes a metric or the gate."
    )
    parser.add_argument("qid", nargs="?", metavar="QID")
    parser.add_argument("category", nargs="?", metavar="CATEGORY", help="a key from 1 to 7, its name, 0 to clear, or intended")
    parser.add_argument("--note", default="", metavar="TEXT", help="why")
    parser.add_argument("--until", metavar="DAY", help="intended: the last day it holds, as 2026-12-31 (default: 90 days)")
    parser.add_argument("--against", metavar="BASE", help="intended: the base of the review (default: as review)")
    parser.add_argument("--head", metavar="REF", help="intended: the head of the review (default: the files as they are)")
    parser.add_argument("--list", action="store_true", help="what is decided now, intended flips with their last day")
    parser.add_argument("--undo", action="store_true", help="take back your newest verdict")


def run(call: Call) -> int:
    from ragtriage.errors import UsageError

    args = call.args
    intended = is_intended(args.category)
    for option in ("until", "against", "head"):
        if getattr(args, option) is not None and not intended:
            raise UsageError(f"--{option}: is for a flip that is intended: ragtriage verdict q001 intended --note WHY")
    if not args.list:
        call.must_write()
    project = call.project()
    try:
        if args.list:
            if args.qid is not None or args.undo:
                raise UsageError("--list shows all that is decided now; it goes with nothing else")
            return list_verdicts(call, project)
        if args.undo:
            if args.qid is not None:
                raise UsageError("--undo takes no question: it takes back your newest verdict")
            return _undo(call, project)
        if args.qid is None or args.category is None:
            raise UsageError("a question and a category are needed: ragtriage verdict q001 2")
        return record_intended(call, project) if intended else _record(call, project)
    finally:
        project.close()


def _record(call: Call, project: Project) -> int:
    from ragtriage.errors import UsageError
    from ragtriage.measure.evaluate import evaluate
    from ragtriage.measure.newest_run import newest_run
    from ragtriage.triage.categories import category as named

    args = call.args
    qid = clean(args.qid)
    cleared = args.category in ("0", "none", "clear")
    meant = standing_intended(project, qid) if cleared else None
    if meant is not None:
        project.verdicts.withdraw(meant)
        if qid not in project.verdicts.current():
            return _say_withdrawn(call, qid)
    category = None if cleared else named(clean(args.category))
    if project.golden.get(qid) is None:
        raise UsageError(project.golden.why_unused(qid) or f"{qid}: no such question in {project.golden_path}")
    newest = newest_run(project)
    stored = newest.get(qid) if newest else None
    result = stored or evaluate(project, only=[qid], store=False, progress=call.progress()).get(qid)
    if result is None:
        raise UsageError(f"{qid}: this question could not be measured")
    verdict = project.verdicts.record(
        qid,
        category.slug if category else None,
        run=newest.id if newest and stored else "",
        seen=result.seen,
        note=clean(args.note),
    )
    if call.out.json:
        call.out.document(
            {
                "format": 1,
                "id": verdict.id,
                "qid": qid,
                "category": category.slug if category else None,
                "status": result.status,
                "suggested": result.suggested or None,
                "note": verdict.note,
            }
        )
    elif category is None:
        call.out.text(f"{qid} has no verdict now; ragtriage verdict --undo takes that back")
    else:
        said = f"{qid} is now {category.key} {category.name} ({_beside(result, category.slug)})"
        call.out.text(f"{said}; ragtriage verdict --undo takes that back")
    return 0


def _say_withdrawn(call: Call, qid: str) -> int:
    if call.out.json:
        call.out.document({"format": 1, "qid": qid, "category": None, "decision": None})
    else:
        call.out.text(f"{qid} is not intended any more")
    return 0


def _beside(result: QuestionResult, slug: str) -> str:
    """What the machine says of a question that a person has just labelled."""
    if result.suggested:
        return "as suggested" if result.suggested == slug else f"suggested was {cause(result.suggested)}"
    if result.status == "failed":
        return f"it could not be measured: {result.reason}"
    if result.status == "unlabelled":
        return "it has no evidence, so nothing was suggested"
    return "though it passes today"


def _undo(call: Call, project: Project) -> int:
    from ragtriage.errors import UsageError

    undone = project.verdicts.undo()
    if undone is None:
        raise UsageError(f"there is no verdict of yours to take back in {project.verdicts.path}")
    now = project.verdicts.current().get(undone.qid)
    meant = standing_intended(project, undone.qid)
    if call.out.json:
        decided = {"category": now.category if now else None, "decision": meant.decision if meant else None}
        call.out.document({"format": 1, "qid": undone.qid, **decided})
    elif undone.decision:
        call.out.text(
            f"{undone.qid} is intended until {meant.expires} again" if meant else f"{undone.qid} is not intended any more"
        )
    else:
        call.out.text(
            f"{undone.qid} is {cause(now.category)} again" if now and now.category else f"{undone.qid} has no verdict again"
        )
    return 0
