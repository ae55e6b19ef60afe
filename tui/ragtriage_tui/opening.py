"""Opening a project: the app on a terminal, the report elsewhere."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from ragtriage_tui.call import Call, parse_groups

__all__ = ["has_terminal", "open_project"]


def has_terminal() -> bool:
    """Whether somebody sits in front of a terminal that can move its cursor."""
    return sys.stdin.isatty() and sys.stdout.isatty() and os.environ.get("TERM", "") not in ("", "dumb")


def open_project(call: Call, path: Path) -> int:
    """The app on `path`; the report where there is no terminal, or where `--plain` or `--json` asks for it."""
    args = call.args
    if args.plain or args.json or not has_terminal():
        from ragtriage_tui.commands.eval import report_on

        return report_on(call, path)
    from ragtriage_tui.app import run_app

    return run_app(
        path,
        overrides=tuple(args.set),
        groups=parse_groups(args.groups),
        read_only=args.read_only,
        trusted=args.trust,
        mouse=args.mouse,
        ascii=args.ascii,
    )
