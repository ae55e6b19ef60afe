"""`ragtriage sweep`: many configurations on one golden set, compared with the one in use."""

from __future__ import annotations

import argparse
from collections.abc import Collection
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ragtriage_tui.agreeing import asking_arguments
from ragtriage_tui.call import Call, clean, listed
from ragtriage_tui.newest_run import need_questions
from ragtriage_tui.problems import exit_code, problems_of, say_problems

if TYPE_CHECKING:
    from ragtriage.experiments.confirm import Confirmed
    from ragtriage.experiments.sweep import Swept
    from ragtriage.experiments.table import Table
    from ragtriage.project import Project

__all__ = ["arguments", "run"]

_AXES = {
    "strategy": "whole, fixed, recursive, semantic, small_to_big",
    "size": "tokens of a chunk; of the parents under small_to_big, whose children get a quarter unless named",
    "overlap": "tokens shared with the chunk before",
    "child-size": "tokens of the children under small_to_big",
    "heading-prefix": "on, off",
    "model": "embedding models; each has a winner of its own",
    "dtype": "float32, bfloat16",
    "mode": "bm25, dense, hybrid",
    "k": "passages in the prompt",
    "fusion": "rrf, zscore",
    "rrf-k": "the constant of rrf",
    "depth": "candidates of each retriever",
    "pool": "candidates kept for a reranker",
    "rerank": "rerankers; none: without one",
    "language": "of BM25's stemmer",
}
_NUMBERS = ("size", "overlap", "child-size", "k", "rrf-k", "depth", "pool")
_SWITCH = {"on": True, "true": True, "off": False, "false": False}
_FORMATS = {".csv": "csv", ".json": "json", ".md": "markdown", ".svg": "svg"}


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Every combination of the named values is measured on the dev questions and compared with the configuration in use. "
        "Without values those of [sweep] in ragtriage.toml. What was measured is kept: an interrupted sweep goes on."
    )
    parser.add_argument("path", nargs="?", metavar="PATH", help="the project (default: here)")
    for axis, says in _AXES.items():
        parser.add_argument(f"--{axis}", dest=f"axis_{axis}", metavar="V,…", help=says)
    parser.add_argument("--refine", action="store_true", help="then the values halfway between the winner's and the next ones")
    parser.add_argument("--answers", choices=("none", "live"), default="none", help="live: also whether the answers are right")
    asking_arguments(parser)
    parser.add_argument(
        "--adopt", action="store_true",
        help="write the winner into ragtriage.toml; without values that of the newest sweep, and nothing is measured",
    )  # fmt: skip
    parser.add_argument("--no-confirm", action="store_true", help="leave the holdout alone: the winner is not looked at there")
    parser.add_argument(
        "--out", action="append", default=[], metavar="FILE", help="also write the table: .csv, .json, .md or .svg; repeatable"
    )
    parser.add_argument("--chart", choices=("tokens", "latency"), default="tokens", help="what the .svg shows recall against")
    parser.add_argument("--all", action="store_true", help="show every row, also the dominated ones")


def run(call: Call) -> int:
    from ragtriage.errors import UsageError
    from ragtriage.experiments.confirm import confirm
    from ragtriage.experiments.grid import configured, grid_of
    from ragtriage.experiments.kept import keep, newest
    from ragtriage.experiments.sweep import plan, sweep

    args = call.args
    files = [_format_of(Path(args.directory or "."), clean(name)) for name in args.out]
    call.must_write()
    project = call.project()
    agreeing = call.agreeing()
    try:
        with agreeing.telling(project):
            need_questions(project)
            axes = _axes(args)
            if args.adopt and not axes and (known := newest(project)) is not None:
                _adopt(call, project, known)
                return 0
            axes = axes or configured(project.config)
            if not axes:
                raise UsageError(
                    "name what to vary, such as --size 128,256,512 --mode bm25,hybrid, or write [sweep] into ragtriage.toml"
                )
            grid = grid_of(axes, project.config)
            total = len(plan(project, grid).candidates)
            _say_ready_made(call, project, grid.values)
            if call.watched:
                call.out.say(f"{total} configurations, the one in use first. Ctrl-C stops; what is measured stays.")
            table = sweep(
                project,
                grid,
                answers=args.answers,
                ask=agreeing if args.answers != "none" else None,
                refine=args.refine,
                told=_teller(call) if call.watched else None,
                progress=call.progress(),
            )
            keep(project, table, grid)
            confirmed = None if args.no_confirm else confirm(project, table, progress=call.progress())
            _print(call, table, confirmed)
            for path, form in files:
                _write(path, form, table, confirmed, args.chart)
                call.out.say(f"wrote {path}")
            if args.adopt:
                _adopt(call, project, table)
            problems = problems_of(project)
    finally:
        project.close()
    say_problems(call, problems)
    return exit_code([question for row in table.rows for question in row.run.questions], problems)


def _axes(args: argparse.Namespace) -> dict[str, list[Any]]:
    return {axis: _values(axis, said) for axis in _AXES if (said := getattr(args, f"axis_{axis}")) is not None}


def _values(axis: str, said: str) -> list[Any]:
    """What an option names, as TOML would have it; what is no value of this axis stays a word, for the grid to name."""
    words = listed(said)
    if axis == "heading-prefix":
        return [_SWITCH.get(word, word) for word in words]
    if axis in _NUMBERS:
        return [int(word) if word.isascii() and word.isdecimal() and len(word) < 19 else word for word in words]
    return ["" if axis == "rerank" and word == "none" else word for word in words]


def _adopt(call: Call, project: Project, table: Table) -> None:
    """Write the winner into the configuration file, and say what was written."""
    from ragtriage.experiments.adopt import proposed, write
    from ragtriage.experiments.words import adopting_sentence, winner_sentence
    from ragtriage_tui.adopt_text import written_lines
    from ragtriage_tui.figures import wrapped

    if table.winner is None:
        lines = wrapped(f"{winner_sentence(table)} Nothing was written.")
    else:
        proposal = proposed(project, table.winner.candidate.config)
        base = table.in_use(project.config) or table.current
        write(proposal)
        lines = [*written_lines(table.winner.name, proposal), *wrapped(adopting_sentence(table.winner, base))]
    for line in lines:
        call.out.say(line)


def _format_of(here: Path, name: str) -> tuple[Path, str]:
    from ragtriage.errors import UsageError
    from ragtriage.files import check_writable

    path = here / name
    if path.suffix.lower() not in _FORMATS:
        raise UsageError(f"--out: {name} must end in one of {', '.join(_FORMATS)}")
    if not path.parent.is_dir():  # said before the sweep, not after it
        raise UsageError(f"--out: {path.parent} is no folder")
    check_writable(path)
    return path, _FORMATS[path.suffix.lower()]


def _say_ready_made(call: Call, project: Project, keys: Collection[str]) -> None:
    """Documents that came as passages are not cut again: rows that differ in nothing else are alike, which must be known."""
    documents = project.corpus.documents
    ready = sum(document.cuts is not None for document in documents)
    if ready and any(key.startswith("chunking.") and key != "chunking.heading_prefix" for key in keys):
        call.out.say(f"{ready:,} of {len(documents):,} documents came as passages, which no strategy or size changes")


def _teller(call: Call) -> Any:
    from ragtriage_tui.sweep_pace import SweepPace
    from ragtriage_tui.sweep_text import trial_line

    pace = SweepPace()

    def told(swept: Swept) -> None:
        pace.came(found=swept.found)
        call.out.say(trial_line(swept, pace.left_s(swept.total - swept.place)))

    return told


def _print(call: Call, table: Table, confirmed: Confirmed | None) -> None:
    if call.out.json:
        from ragtriage.experiments.document import to_json

        call.out.document(to_json(table, confirmed))
        return
    from ragtriage_tui.figures import Marks
    from ragtriage_tui.sweep_text import table_lines

    call.out.text(*map(Marks(call.out.ascii), table_lines(table, confirmed, everything=call.args.all)))


def _write(path: Path, form: str, table: Table, confirmed: Confirmed | None, chart: Any) -> None:
    from ragtriage.files import atomic_write

    if form == "svg":
        from ragtriage.experiments.svg import to_svg

        text = to_svg(table, chart)
    elif form == "markdown":
        from ragtriage.experiments.markdown import to_markdown

        text = to_markdown(table, confirmed)
    else:
        from ragtriage.experiments.document import to_csv, to_json
        from ragtriage_tui.output import encode_json

        text = to_csv(table) if form == "csv" else encode_json(to_json(table, confirmed)) + "\n"
    atomic_write(path, text.encode("utf-8", "replace"))
