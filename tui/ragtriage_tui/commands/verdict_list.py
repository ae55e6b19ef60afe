"""`ragtriage verdict --list`: what people have decided, the latest last."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING, Any

from ragtriage_tui.call import Call
from ragtriage_tui.figures import Marks, clip_text, wrapped
from ragtriage_tui.naming import cause
from ragtriage_tui.problems import say_problems
from ragtriage_tui.text import one_line

if TYPE_CHECKING:
    from ragtriage.project import Project
    from ragtriage.triage.verdicts import Verdict

__all__ = ["list_verdicts"]

_LONG = 1_000


def list_verdicts(call: Call, project: Project) -> int:
    """Labels and intended flips that nobody took back; 2 where lines of the file cannot be used."""
    from ragtriage.review.decisions import is_over

    today = date.today()
    found = list(project.verdicts.current().values())
    if call.out.json:
        rows = [{**_row(one), "expired": is_over(one.expires, today) if one.decision else None} for one in found]
        call.out.document({"format": 1, "path": str(project.verdicts.path), "verdicts": rows})
    else:
        lines = [row for one in found for row in wrapped(_line(one, over=is_over(one.expires, today)), indent="    ")]
        call.out.text(*map(Marks(call.out.ascii), lines or [f"Nothing is decided in {project.verdicts.path}."]))
    return say_problems(call, project.verdicts.problems())


def _row(verdict: Verdict) -> dict[str, Any]:
    return {
        "id": verdict.id, "qid": verdict.qid, "category": verdict.category or None, "decision": verdict.decision,
        "note": verdict.note, "expires": verdict.expires, "by": verdict.by, "at": verdict.at, "run": verdict.run or None,
    }  # fmt: skip


def _line(verdict: Verdict, *, over: bool) -> str:
    """`q017  intended until 2026-11-30 by Ada: smaller chunks lose it`"""
    if verdict.decision:
        what = f"{'was ' if over else ''}{verdict.decision}{f' until {verdict.expires}' if verdict.expires else ''}"
    else:
        what = cause(verdict.category)
    by = f" by {one_line(verdict.by)}" if verdict.by else ""
    note = f": {clip_text(one_line(verdict.note), _LONG)}" if verdict.note else ""
    return f"{clip_text(one_line(verdict.qid), 40)}  {one_line(what)}{by}{note}"
