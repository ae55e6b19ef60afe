"""`ragtriage what-if [QID]`: the rank of a lost question's evidence under each single lever, and which lever mends most."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from ragtriage_tui.call import Call, clean, listed
from ragtriage_tui.newest_run import need_questions
from ragtriage_tui.problems import problems_of, say_problems

if TYPE_CHECKING:
    from ragtriage.experiments.what_if import Tried, WhatIf
    from ragtriage.project import Project

__all__ = ["arguments", "run"]


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Every single change that may help (mode, fusion, depth, pool, size, prefix, small to big, reranker) is tried on the "
        "dev questions. With QID: where its evidence would come. Without: which lever mends most of what is lost. Nothing is "
        "embedded unless --embed; what a lever would cost is said."
    )
    parser.add_argument("qid", nargs="?", metavar="QID", help="one question of the golden set")
    parser.add_argument("--embed", action="store_true", help="also try the levers that need texts embedded first")
    parser.add_argument("--models", metavar="MODEL,…", default="", help="other embedding models to try, by name or folder")
    parser.add_argument("--rerankers", metavar="MODEL,…", default="", help="cross-encoders to try, beside lexical, or command")


def run(call: Call) -> int:
    from ragtriage.errors import UsageError
    from ragtriage.experiments.what_if import what_if

    args = call.args
    call.must_write()
    project = call.project()
    try:
        need_questions(project)
        qid = clean(args.qid) if args.qid is not None else None
        if qid is not None:
            question = project.golden.get(qid)
            if question is None or question.obsolete:
                raise UsageError(f"{qid}: no such question in the golden set")
            if question.split != "dev":
                raise UsageError(f"{qid}: kept aside (split: holdout); what chooses a lever must not look at it")
        found = what_if(
            project,
            embed=args.embed,
            models=listed(args.models),
            rerankers=listed(args.rerankers),
            progress=call.progress(),
        )
        _print(call, project, found, qid)
        problems = problems_of(project)
    finally:
        project.close()
    say_problems(call, problems)
    failed = any(question.status == "failed" for question in found.current.questions)
    return 3 if failed else 2 if any(problem.severity == "error" for problem in problems) else 0


def _print(call: Call, project: Project, found: WhatIf, qid: str | None) -> None:
    if call.out.json:
        call.out.document(_document(found, qid))
        return
    from ragtriage_tui.figures import Marks
    from ragtriage_tui.what_if_text import all_lines, question_lines

    texts = {question.qid: question.question for question in project.golden.questions}
    lines = all_lines(found, embed=call.args.embed) if qid is None else question_lines(found, qid, texts.get(qid, ""))
    call.out.text(*map(Marks(call.out.ascii), lines))


def _document(found: WhatIf, qid: str | None) -> dict[str, Any]:
    from ragtriage.experiments.what_if import cheapest, most_mending

    best = cheapest(found, qid) if qid is not None else None
    mending = most_mending(found)
    return {
        "format": 1,
        "qid": qid,
        "k": found.current.manifest["k"],
        "lost": [question.qid for question in found.lost],
        "cheapest": best.lever.name if best else None,
        "mends_most": mending[0].lever.name if mending and mending[0].versus and mending[0].versus.won else None,
        "levers": [_lever(one, qid) for one in found.tried],
    }


def _lever(tried: Tried, qid: str | None) -> dict[str, Any]:
    result = tried.result(qid) if qid is not None else None
    return {
        "kind": tried.lever.kind,
        "name": tried.lever.name,
        "settings": dict(tried.lever.candidate.settings),
        "tried": tried.run is not None,
        "reason": tried.reason or None,
        "cost": tried.cost._asdict(),
        "ranks": list(result.ranks) if result is not None else None,
        "finds": tried.finds(qid) if qid is not None else None,
        "mends": list(tried.versus.won) if tried.versus else None,
        "breaks": list(tried.versus.lost) if tried.versus else None,
    }
