"""What a command is given: its arguments, where it writes, and the project it works on."""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ragtriage_tui.output import Output

if TYPE_CHECKING:
    from ragtriage.errors import ConfigError
    from ragtriage.project import Project
    from ragtriage.types import Groups, Progress
    from ragtriage_tui.agreeing import Agreeing

__all__ = ["Call", "clean", "listed", "open_project_at", "overrides", "parse_groups"]


@dataclass(frozen=True, slots=True)
class Call:
    """One run of one command."""

    args: argparse.Namespace
    out: Output

    @property
    def path(self) -> Path:
        """PATH of the command line, seen from `-C`."""
        return Path(self.args.directory or ".") / (getattr(self.args, "path", None) or ".")

    def project(self) -> Project:
        """The project that PATH lies in, with `--set`, `--mode` and `--k` applied. Raises UsageError, ConfigError."""
        return open_project_at(self, self.path)

    @property
    def watched(self) -> bool:
        """Whether what is told on the way has a reader: a terminal, or a log with --verbose."""
        return bool(self.args.verbose) or (sys.stderr is not None and sys.stderr.isatty())

    def progress(self) -> Progress:
        """A progress line on a terminal; elsewhere nothing, or a log with --verbose."""
        if self.args.verbose:
            from ragtriage_tui.progress import ProgressLog

            return ProgressLog()
        if sys.stderr is not None and sys.stderr.isatty():
            from ragtriage_tui.progress import ProgressLine

            self.out.line = self.out.line or ProgressLine(ascii_only=self.out.ascii)
            return self.out.line
        from ragtriage.types import no_progress

        return no_progress

    def agreeing(self) -> Agreeing:
        """What asks for the user's word before anything is sent to a language model."""
        from ragtriage_tui.agreeing import Agreeing

        return Agreeing(self.out, yes=self.args.yes)

    def must_write(self) -> None:
        """Raise UsageError under --read-only."""
        if self.args.read_only:
            from ragtriage.errors import UsageError

            raise UsageError("--read-only: nothing was written")


_FLAGS = {"retrieval.mode": "--mode", "retrieval.k": "--k"}
"""Keys that have an option of their own."""


def overrides(args: argparse.Namespace) -> list[str]:
    """`--mode` and `--k` as the keys that they stand for."""
    given = {key: getattr(args, flag.removeprefix("--"), None) for key, flag in _FLAGS.items()}
    return [f"{key}={value}" for key, value in given.items() if value is not None]


def open_project_at(call: Call, path: Path, *, as_configured: bool = False) -> Project:
    """The project that `path` lies in, as the call's options want it, or with its own configuration alone."""
    from ragtriage.errors import ConfigError
    from ragtriage.project import Project

    args = call.args
    qrels = getattr(args, "qrels", None)
    named = overrides(args)
    try:
        project = Project.open(
            path,
            overrides=() if as_configured else (*args.set, *named),
            groups=None if as_configured else parse_groups(args.groups),
            qrels=Path(qrels) if qrels else None,
            rehash=getattr(args, "rehash", False),
            trusted=getattr(args, "trust", False),
            progress=call.progress(),
        )
        if project.config.embedding.provider != "local" and hasattr(args, "yes"):
            project.consent.ask = call.agreeing()
        return project
    except ConfigError as error:
        if not (named and error.problems):
            raise
        raise _as_typed(error, {text.partition("=")[0] for text in named}) from error


def _as_typed(error: ConfigError, keys: set[str]) -> ConfigError:
    """The error with `--k` where that is what was typed, and not `--set retrieval.k`."""
    import dataclasses

    problems = [
        dataclasses.replace(one, where=_FLAGS[one.key], key="") if one.where == "--set" and one.key in keys else one
        for one in error.problems
    ]
    return type(error)("\n".join(map(str, problems)), problems)


def parse_groups(text: str | None) -> Groups:
    """`--as GROUPS`, separated by commas; None where it was not given. An empty text sees public documents only."""
    if text is None:
        return None
    return tuple(listed(text))


def listed(text: str) -> list[str]:
    """What an argument lists, separated by commas, as the engine takes it."""
    return [part.strip() for part in clean(text).split(",") if part.strip()]


def clean(text: str) -> str:
    """A text argument as the engine takes it: bytes that were not the terminal's encoding become U+FFFD."""
    from ragtriage.surrogates import clean_text

    return clean_text(text)
