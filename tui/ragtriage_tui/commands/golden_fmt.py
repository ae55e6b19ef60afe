"""`ragtriage golden fmt`: the golden file in one form; with --fix, what a merge left in it is mended as far as that is safe."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from ragtriage_tui.call import Call
from ragtriage_tui.commands.golden_check import problem_json
from ragtriage_tui.figures import Marks, count

if TYPE_CHECKING:
    from pathlib import Path

    from ragtriage.golden.fmt import Formatted

__all__ = ["arguments", "run"]


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "One object a line, keys in their usual order and unknown ones behind, an id in each line, what says the same once, "
        "line feeds alone, no byte order mark. Values stay as they are spelled, keys of other dialects keep their names."
    )
    parser.add_argument("path", nargs="?", metavar="PATH", help="the project (default: here)")
    parser.add_argument("--check", action="store_true", help="write nothing; exit code 2 where something would be written")
    parser.add_argument(
        "--fix",
        action="store_true",
        help="resolve the conflicts of a merge: both branches' questions are kept, one that both changed stays twice",
    )


def run(call: Call) -> int:
    from ragtriage.labelling.formatting import format_golden_set

    args = call.args
    if not args.check:
        call.must_write()
    project = call.project()
    path = project.golden_path
    found, changed, problems = format_golden_set(project, fix=args.fix, write=not args.check)
    if call.out.json:
        counts = {name: value for name, value in found._asdict().items() if name != "data"}
        document = {"format": 1, "path": str(path), "changed": changed, "lines": found.data.count(b"\n"), **counts}
        call.out.document({**document, "problems": [problem_json(problem) for problem in problems]})
    else:
        lines = [f"{problem.severity}: {problem}" for problem in problems]
        call.out.text(*map(Marks(call.out.ascii), [*lines, *([""] if lines else []), _told(path, found, changed, args)]))
    return 2 if problems or found.conflicts or (args.check and changed) else 0


def _told(path: Path, found: Formatted, changed: bool, args: argparse.Namespace) -> str:
    if found.conflicts and not args.fix:
        return f"{path}: {count(found.conflicts, 'conflict marker')}; nothing was written. --fix mends what is safe"
    did = [
        (found.mended, "conflict mended", "conflicts mended"),
        (found.ordered, "line put in order", "lines put in order"),
        (found.named, "given an id", "given an id"),
        (found.repeated, "left out that says the same as another", "left out that say the same as another"),
        (found.blank, "blank line left out", "blank lines left out"),
        (found.ended, "line end or byte order mark", "line ends or byte order marks"),
    ]
    told = [f"{number:,} {one if number == 1 else many}" for number, one, many in did if number]
    if found.conflicts:
        told.append(f"{count(found.conflicts, 'conflict marker')} left for a person")
    state = ("would change" if args.check else "written") if changed else "in form"
    return f"{path}: {count(found.data.count(bytes([10])), 'line')}, {state}" + (f": {' · '.join(told)}" if told else "")
