"""`ragtriage doctor`: versions, model, folders and files, then the passages; what is wrong comes with what to do."""

from __future__ import annotations

import argparse
import contextlib
from collections import Counter
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

from ragtriage_tui.call import Call
from ragtriage_tui.commands.doctor_corpus import corpus_lines
from ragtriage_tui.figures import Marks, count
from ragtriage_tui.plain import skipped_lines

if TYPE_CHECKING:
    from ragtriage.diagnose.diagnosis import Diagnosis
    from ragtriage.project import Project
    from ragtriage.setup.findings import Finding

__all__ = ["arguments", "run"]

_NOTES = 5  # on one thing, without --all


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Versions, model, folders and files; then the passages: repeated ones, numbers that differ where the text is the "
        "same, what is longer than the model reads, fragments, hubs and orphans of the questions, documents without text. "
        "Nothing is embedded. What is found in the passages is advice and leaves the exit code alone."
    )
    parser.add_argument("path", nargs="?", metavar="PATH", help="the project (default: here)")
    parser.add_argument("--all", action="store_true", help="all findings, not five of a kind")


def run(call: Call) -> int:
    from ragtriage.errors import RagtriageError
    from ragtriage.setup.checks import check_project
    from ragtriage.setup.findings import Finding
    from ragtriage.setup.machine import check_machine

    findings = check_machine()
    skipped: list[Any] = []
    passages: Diagnosis | None = None
    try:
        with contextlib.closing(call.project()) as project:
            findings += [Finding("ok", "project", str(project.root)), *check_project(project)]
            with contextlib.suppress(RagtriageError):  # said already
                skipped = list(project.corpus.skipped)
                if skipped or project.corpus.documents:
                    passages = _passages(call, project, findings)
    except RagtriageError as error:
        findings.append(Finding("wrong", "project", str(error)))
    wrong = any(finding.state == "wrong" for finding in findings)
    if call.out.json:
        rows = [finding._asdict() for finding in findings]
        out = {"format": 1, "ok": not wrong, "findings": rows, "skipped": [item._asdict() for item in skipped]}
        call.out.document({**out, "passages": passages.to_dict() if passages else None})
    else:
        marks = {"ok": "✓", "note": "!", "wrong": "✗"}
        lines = []
        for finding in findings if call.args.all else _shortened(findings):
            first, *rest = finding.says.split("\n")
            lines += [f"{marks[finding.state]} {finding.what:<12} {first}", *(f"{'':<15}{line}" for line in rest)]
        lines += skipped_lines(skipped)
        lines += corpus_lines(passages, everything=call.args.all) if passages else []
        call.out.text(*map(Marks(call.out.ascii), lines))
    return 2 if wrong else 0


def _shortened(findings: list[Finding]) -> list[Finding]:
    """The findings without the sixth and further notes on one thing: a large golden set has hundreds."""
    from ragtriage.setup.findings import Finding

    out, notes = [], Counter[str]()
    for finding, after in zip_longest(findings, findings[1:]):
        noted = finding.state == "note"
        notes[finding.what] += noted
        if not noted or notes[finding.what] <= _NOTES:
            out.append(finding)
        if notes[finding.what] > _NOTES and (after is None or after.what != finding.what):
            more = notes[finding.what] - _NOTES
            out.append(Finding("note", finding.what, f"… and {count(more, 'more note')}: ragtriage doctor --all"))
    return out


def _passages(call: Call, project: Project, findings: list[Finding]) -> Diagnosis | None:
    """What is found in the passages; None, with the reason among the findings, where they cannot be looked at."""
    from ragtriage.diagnose.looking import diagnose_project
    from ragtriage.errors import RagtriageError
    from ragtriage.setup.embedding import check_embedding
    from ragtriage.setup.findings import Finding

    if check_embedding(project).state != "ok":  # a model is not fetched for this
        findings.append(Finding("note", "passages", "not looked at: they are cut by the model's tokens, and it is not here"))
        return None
    try:
        return diagnose_project(project, progress=call.progress())
    except RagtriageError as error:
        if all(finding.says != str(error) for finding in findings):
            findings.append(Finding("wrong", "passages", str(error)))
        return None
