"""`ragtriage verdict QID CATEGORY`: why a question fails, as a person decided it; on disk when this returns."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from ragtriage_tui.call import Call, clean
from ragtriage_tui.naming import cause
from ragtriage_tui.newest_run import stored_run

if TYPE_CHECKING:
    from ragtriage.measure.results import QuestionResult
    from ragtriage.project import Project

__all__ = ["arguments", "run"]


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("qid", nargs="?", metavar="QID")
    parser.add_argument("category", nargs="?", metavar="CATEGORY", help="a key from 1 to 7, its name, or 0 to clear")
    parser.add_argument("--note", default="", metavar="TEXT", help="why")
    parser.add_argument("--undo", action="store_true", help="take back your newest verdict")


def run(call: Call) -> int:
    from ragtriage.errors import UsageError

    args = call.args
    call.must_write()
    project = call.project()
    try:
        if args.undo:
            if args.qid is not None:
                raise UsageError("--undo takes no question: it takes back your newest verdict")
            return _undo(call, project)
        if args.qid is None or args.category is None:
            raise UsageError("a question and a category are needed: ragtriage verdict q001 2")
        return _record(call, project)
    finally:
        project.close()


def _record(call: Call, project: Project) -> int:
    from ragtriage.errors import UsageError
    from ragtriage.measure.evaluate import evaluate
    from ragtriage.triage.categories import category as named

    args = call.args
    qid = clean(args.qid)
    category = None if args.category in ("0", "none", "clear") else named(clean(args.category))
    if project.golden.get(qid) is None:
        raise UsageError(project.golden.why_unused(qid) or f"{qid}: no such question in {project.golden_path}")
    newest = stored_run(project)
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
    if call.out.json:
        call.out.document({"format": 1, "qid": undone.qid, "category": now.category if now else None})
    else:
        call.out.text(
            f"{undone.qid} is {cause(now.category)} again" if now and now.category else f"{undone.qid} has no verdict again"
        )
    return 0
