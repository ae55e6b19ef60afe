"""`ragtriage baseline update|show`: what a gate measures against by default, kept in the repository."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from ragtriage_tui.call import Call, clean

if TYPE_CHECKING:
    from ragtriage.project import Project

__all__ = ["arguments", "run"]


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "update measures the project as it is and sets evals/baseline.json to it. It only raises: where a gated metric would "
        "fall, it writes nothing and exits with 1. show prints what is in it. The project is that of -C, or this folder."
    )
    parser.add_argument("action", nargs="?", choices=("update", "show"), default="show")
    parser.add_argument(
        "--accept-drop", metavar="REASON", help="update: also where a gated metric falls; the reason stays in the file"
    )


def run(call: Call) -> int:
    from ragtriage.errors import UsageError

    reason = clean(call.args.accept_drop).strip() if call.args.accept_drop is not None else ""
    in_words = any(character.isalnum() for character in reason)  # a zero-width blank is none
    if call.args.accept_drop is not None and (call.args.action != "update" or not in_words):
        raise UsageError("--accept-drop: goes with update, and needs a reason in words")
    project = call.project()
    try:
        return _update(call, project, reason) if call.args.action == "update" else _show(call, project)
    finally:
        project.close()


def _update(call: Call, project: Project, reason: str) -> int:
    from ragtriage.gate.gating import Head, set_baseline
    from ragtriage.measure.named_runs import BASELINE

    call.must_write()
    path = project.evals / BASELINE
    found, written = set_baseline(project, reason=reason, head=Head(progress=call.progress()))
    if call.out.json:
        lowered = {name: list(both) for name, both in found.lowered.items()}
        metrics = {name: dict(metric) for name, metric in found.baseline.metrics.items()}
        call.out.document(
            {
                "format": 1, "path": str(path), "written": written, "same": found.same, "lowered": lowered,
                "lacking": list(found.lacking), "other_set": found.other_set, "joined": list(found.joined),
                "left": list(found.left), "metrics": metrics,
            }
        )  # fmt: skip
    else:
        from ragtriage_tui.figures import Marks
        from ragtriage_tui.gate_text import proposal_lines

        call.out.text(*map(Marks(call.out.ascii), proposal_lines(found, written=written, path=str(path))))
    return 0 if written or found.same else 1


def _show(call: Call, project: Project) -> int:
    from ragtriage.errors import UsageError
    from ragtriage.gate.baseline_file import load_baseline, plain_baseline
    from ragtriage.measure.named_runs import BASELINE

    path = project.evals / BASELINE
    found = load_baseline(path)
    if found is None:
        raise UsageError(f"{path}: there is no baseline yet; `ragtriage baseline update` sets it to what is measured now")
    if call.out.json:
        call.out.document(plain_baseline(found))
        return 0
    from ragtriage_tui.figures import Marks
    from ragtriage_tui.gate_text import baseline_lines

    call.out.text(*map(Marks(call.out.ascii), baseline_lines(found, str(path))))
    return 0
