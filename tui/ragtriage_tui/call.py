"""What a command is given: its arguments, where it writes, and the project it works on."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ragtriage_tui.output import Output

if TYPE_CHECKING:
    from ragtriage.project import Project
    from ragtriage.types import Groups, Progress

__all__ = ["Call", "clean", "open_project_at", "parse_groups"]


@dataclass(frozen=True, slots=True)
class Call:
    """One run of one command."""

    args: argparse.Namespace
    out: Output

    @property
    def path(self) -> Path:
        """PATH of the command line, seen from `-C`."""
        return Path(self.args.directory or ".") / (getattr(self.args, "path", None) or ".")

    def project(self, *, extra: Sequence[str] = ()) -> Project:
        """The project that PATH lies in, with `--set` and `extra` applied. Raises UsageError, ConfigError."""
        return open_project_at(self, self.path, extra=extra)

    def progress(self) -> Progress:
        """A progress line on a terminal; elsewhere nothing, or a log with --verbose."""
        if self.args.verbose:
            from ragtriage_tui.progress import ProgressLog

            return ProgressLog()
        if sys.stderr is not None and sys.stderr.isatty():
            from ragtriage_tui.progress import ProgressLine

            return ProgressLine(ascii_only=self.out.ascii)
        from ragtriage.types import no_progress

        return no_progress

    def must_write(self) -> None:
        """Raise UsageError under --read-only."""
        if self.args.read_only:
            from ragtriage.errors import UsageError

            raise UsageError("--read-only: nothing was written")


def open_project_at(call: Call, path: Path, *, extra: Sequence[str] = ()) -> Project:
    """The project that `path` lies in, as the call's options want it."""
    from ragtriage.project import Project

    args = call.args
    qrels = getattr(args, "qrels", None)
    return Project.open(
        path,
        overrides=(*args.set, *extra),
        groups=parse_groups(args.groups),
        qrels=Path(qrels) if qrels else None,
        rehash=getattr(args, "rehash", False),
        progress=call.progress(),
    )


def parse_groups(text: str | None) -> Groups:
    """`--as GROUPS`, separated by commas; None where it was not given. An empty text sees public documents only."""
    if text is None:
        return None
    return tuple(part.strip() for part in clean(text).split(",") if part.strip())


def clean(text: str) -> str:
    """A text argument as the engine takes it: bytes that were not the terminal's encoding become U+FFFD."""
    return text if text.isascii() else text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
