"""`ragtriage golden check`: every problem of the golden set with its line, and what the set holds."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ragtriage_tui.call import Call
from ragtriage_tui.figures import Marks, count

if TYPE_CHECKING:
    from ragtriage.errors import Problem
    from ragtriage.golden.gap import Gaps
    from ragtriage.golden.lint import Description

__all__ = ["arguments", "problem_json", "run"]


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("path", nargs="?", metavar="PATH", help="the project (default: here)")
    parser.add_argument("--qrels", metavar="FILE", help="which judgements of a BEIR folder that has several")


def run(call: Call) -> int:
    from ragtriage.labelling.checking import check_golden

    found = check_golden(call.project())
    if call.out.json:
        shown = found.gaps._asdict() if found.gaps else None
        problems = [problem_json(problem) for problem in found.problems]
        counts = {"errors": len(found.errors), "problems": problems}
        call.out.document({"format": 1, **counts, "set": found.description._asdict(), "gap": shown})
    else:
        lines = [f"{problem.severity}: {problem}" for problem in found.problems]
        told = [*lines, *([""] if lines else []), *_described(found.description), *_gap(found.gaps)]
        call.out.text(*map(Marks(call.out.ascii), told))
    return 2 if found.errors else 0


def problem_json(problem: Problem) -> dict[str, Any]:
    """A problem as `--json` shows it."""
    return {
        "where": problem.where,
        "line": problem.line or None,
        "key": problem.key or None,
        "severity": problem.severity,
        "message": problem.message,
    }


def _described(found: Description) -> list[str]:
    answers = f"{found.answerable} answerable · {found.unanswerable} unanswerable · {found.unlabelled} unlabelled"
    if not found.questions:
        return ['No questions yet: ragtriage add "a question as a user wrote it"']
    lines = [f"{count(found.questions, 'question')}: {found.dev} dev · {found.holdout} holdout", answers]
    lines += [f"{name}: {_counts(counts)}" for name, counts in (("kind", found.by_kind), ("source", found.by_source)) if counts]
    return lines


def _gap(gaps: Gaps | None) -> list[str]:
    if gaps is None or gaps.mean is None:
        return []
    kinds = " · ".join(f"{kind} {share:.2f}" for kind, share in gaps.by_kind.items())
    return [f"words of a question that its evidence has, too: {gaps.mean:.2f} ({kinds}); near 1 it was written from the page"]


def _counts(counts: Mapping[str, int]) -> str:
    return " · ".join(f"{name} {count}" for name, count in counts.items())
