"""`ragtriage trust`: what a project's configuration would run or send, in full, and the user's word for it."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ragtriage_tui.agreeing import types_y
from ragtriage_tui.call import Call
from ragtriage_tui.figures import count

if TYPE_CHECKING:
    from ragtriage.trust import Danger

__all__ = ["arguments", "run"]


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("path", nargs="?", metavar="PATH", help="the project (default: here)")
    action = parser.add_mutually_exclusive_group()
    action.add_argument("--yes", action="store_true", help="agree to all that is shown, without being asked")
    action.add_argument("--list", action="store_true", help="what was agreed to on this machine, in any project")
    action.add_argument("--revoke", action="store_true", help="forget what was agreed to in this project")


def run(call: Call) -> int:
    if call.args.list:
        return _list(call)
    if call.args.revoke:
        return _revoke(call)
    return _agree(call)


def _agree(call: Call) -> int:
    """Show all, ask where something is open. What is kept is what was shown, whatever the files hold by then."""
    from ragtriage.trust import agree, what_it_would_do

    project = call.project()
    dangers, pending = what_it_would_do(project)
    if not call.out.json:
        _show(call, project.root, dangers, pending)
    agreed = bool(pending) and (call.args.yes or (not call.args.json and _says_yes(call, pending)))
    if agreed:
        agree(project.root, pending)
        pending = ()
    if call.out.json:
        call.out.document({
            "format": 1,
            "root": str(project.root),
            "trusted": not pending,
            "settings": [
                {"table": one.table, "says": one.sentence, "trusted": one not in pending, "obstacle": one.obstacle or None}
                for one in dangers
            ],
        })  # fmt: skip
    elif agreed:
        call.out.text("Agreed. `ragtriage trust --revoke` takes it back; a change to any of this asks again.")
    return 2 if pending else 0


def _show(call: Call, root: Path, dangers: Sequence[Danger], pending: Sequence[Danger]) -> None:
    if not dangers:
        call.out.text(f"{root}: nothing to agree to; its configuration runs no program and sends nothing anywhere.")
        return
    for heading, some in (
        ("agreed to before:", [one for one in dangers if one not in pending]),
        ("not agreed to yet:", pending),
    ):
        if some:
            call.out.text(heading, *(f"  {one.sentence}" for one in some))


def _says_yes(call: Call, pending: Sequence[Danger]) -> bool:
    """Ask on the terminal; without one, say how to agree."""
    if any(one.obstacle for one in pending):
        return True  # and be told why it cannot be
    if not (sys.stdin and sys.stdin.isatty() and sys.stdout.isatty()):
        call.out.say("ragtriage: nothing was agreed to: there is no terminal to ask on; --yes agrees to all of this")
        return False
    call.out.text(f"Agree to {count(len(pending), 'setting')}? Y agrees, anything else does not.")
    if types_y():
        return True
    call.out.say("ragtriage: nothing was agreed to")
    return False


def _list(call: Call) -> int:
    from ragtriage.trust import agreements

    found, problems = agreements()
    if call.out.json:
        rows = [{"root": one.root, "table": one.table, "says": one.summary, "at": one.at} for one in found]
        call.out.document({"format": 1, "agreed": rows, "problems": [str(problem) for problem in problems]})
    else:
        for one in found:
            gone = "" if one.root.startswith('"') or Path(one.root).is_dir() else " (the folder is gone)"
            call.out.text(f"{one.at}  {one.root}{gone}", f"  {one.table}: {one.summary}")
        if not found:
            call.out.text("Nothing has been agreed to.")
        call.out.say(*(f"ragtriage: {problem}; what stood there counts for nothing" for problem in problems))
    return 2 if problems else 0


def _revoke(call: Call) -> int:
    from ragtriage.errors import RagtriageError
    from ragtriage.trust import revoke

    try:
        root = call.project().root
    except RagtriageError:  # what was agreed to in a folder can be taken back whatever has become of it
        root = call.path
    gone = revoke(root)
    if call.out.json:
        call.out.document({"format": 1, "root": os.path.realpath(root), "revoked": gone})
    else:
        call.out.text(f"{count(gone, 'agreement')} taken back in {os.path.realpath(root)}")
    return 0
