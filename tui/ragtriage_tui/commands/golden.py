"""`ragtriage golden check|fmt|diff|anchor|export`: a module for each action, named like it; only the chosen one is loaded."""

from __future__ import annotations

import argparse
import difflib
import importlib
from collections.abc import Sequence
from typing import Any

from ragtriage.errors import UsageError
from ragtriage_tui.call import Call

__all__ = ["ACTIONS", "arguments", "run"]

ACTIONS: dict[str, str] = {
    "check": "every problem of the golden set and its labels with its line, and what the set can tell (the default)",
    "fmt": "put the file in form: keys in order, an id in each line, nothing twice; mend what a merge left",
    "diff": "what differs from a git revision, question by question",
    "anchor": "labels that need a look since the documents changed; give quotes to chunk ids",
    "export": "write the set for other tools: jsonl, csv, beir, qrels, ragas, promptfoo",
}
"""Each action and its one line in `ragtriage golden --help`."""


def arguments(parser: argparse.ArgumentParser) -> None:
    width = max(map(len, ACTIONS))
    parser.usage = "ragtriage golden [ACTION] [options]"
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.description = "\n".join(
        [
            "Actions; ragtriage golden ACTION --help says more:",
            *(f"  {name:<{width}}  {line}" for name, line in ACTIONS.items()),
        ]
    )
    parser.add_argument("--qrels", metavar="FILE", help="check: which judgements of a BEIR folder that has several")
    parser.add_argument("action", nargs=argparse.REMAINDER, action=_Chosen, help=argparse.SUPPRESS)


def run(call: Call) -> int:
    return int(_module(call.args.action).run(call))


class _Chosen(argparse.Action):
    """Parses what follows the action with that action's own parser, which knows the options that hold everywhere, too."""

    def __call__(
        self, parser: argparse.ArgumentParser, namespace: argparse.Namespace, values: Any, option_string: str | None = None
    ) -> None:
        name, rest = _split(list(values))
        from ragtriage_tui.cli import command_parser

        inner = command_parser(f"{parser.prog} {name}", ACTIONS[name])
        _module(name).arguments(inner)
        inner.parse_args(rest, namespace)
        namespace.action = name


def _split(words: Sequence[str]) -> tuple[str, list[str]]:
    """The action, and what follows it. Raises UsageError for a word that is none."""
    if not words:
        return "check", []
    name = words[0]
    if name in ACTIONS:
        return name, list(words[1:])
    close = difflib.get_close_matches(name, ACTIONS, n=1)
    hint = f"did you mean {close[0]}?" if close else f"actions are {', '.join(ACTIONS)}"
    raise UsageError(f"golden {name}: no such action; {hint}")


def _module(name: str) -> Any:
    return importlib.import_module(f"ragtriage_tui.commands.golden_{name}")
