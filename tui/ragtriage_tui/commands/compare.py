"""`ragtriage compare RUN RUN`: what differs between two stored runs, question by question."""

from __future__ import annotations

import argparse
import dataclasses
from collections.abc import Mapping
from typing import TYPE_CHECKING

from ragtriage_tui.call import Call, clean
from ragtriage_tui.newest_run import say_passed_over

if TYPE_CHECKING:
    from ragtriage.compare.comparison import Comparison
    from ragtriage.compare.labels import LabelSplit
    from ragtriage.project import Project

__all__ = ["arguments", "run"]


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Questions that are the same in both runs are compared: broken, fixed, moved, measured on one side only. The project "
        "is that of -C, or this folder. A RUN is an id, its beginning, latest, or latest~1: the one before it. Partial runs "
        "(--only, --kind, --split, --answers) are named by their id alone."
    )
    parser.add_argument("base", nargs="?", default="latest~1", metavar="RUN", help="what is compared with (default: latest~1)")
    parser.add_argument("head", nargs="?", default="latest", metavar="RUN", help="what is looked at (default: latest)")


def run(call: Call) -> int:
    from ragtriage.compare.stored import compare_runs

    project = call.project()
    try:
        base, head = clean(call.args.base), clean(call.args.head)
        found = compare_runs(project, base, head)
        say_passed_over(call, project, head, base)
        splits = _splits(project, found)
        if call.out.json:
            from ragtriage.compare.document import to_json

            call.out.document(to_json(found, splits))
        else:
            from ragtriage_tui.compare_text import comparison_lines
            from ragtriage_tui.figures import Marks

            call.out.text(*map(Marks(call.out.ascii), comparison_lines(found, _texts(project), splits)))
        return _exit_code(found)
    finally:
        project.close()


def _splits(project: Project, found: Comparison) -> Mapping[str, LabelSplit]:
    if not found.apart.relabelled:
        return {}
    from ragtriage.compare.label_change import Unsplit
    from ragtriage.compare.labels import label_splits
    from ragtriage.errors import InputError

    try:
        whole = project.runs.load(found.base.id)  # old rankings are scored with new labels
        return label_splits(dataclasses.replace(found, base=whole), project)
    except InputError as error:  # the runs can be compared though the files of today cannot be read
        return dict.fromkeys(found.metrics, Unsplit(str(error).splitlines()[0]))


def _texts(project: Project) -> dict[str, str]:
    from ragtriage.errors import InputError
    from ragtriage_tui.newest_run import texts_of

    try:
        return texts_of(project)
    except InputError:
        return {}


def _exit_code(found: Comparison) -> int:
    """3 where nothing could be compared, or a question was not measured on one side, else 0."""
    sides = (side for pair in found.pairs for side in (pair.base, pair.head))
    return 3 if not found.pairs or any(side.status == "failed" for side in sides) else 0
