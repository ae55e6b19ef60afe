"""How a program of the user's is started and ended: with little of our environment, in a process group of its own.

The group is killed as a whole when it is no longer needed: also what the program started itself. Where this process is killed,
the program's standard input ends, and the guard ends the group.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping, Sequence

from ragtriage.programs.guard import forget, watched
from ragtriage.programs.tree import kill_tree

__all__ = ["LONGEST_LINE", "TAIL", "environment", "how_it_ended", "kill_group", "start"]

LONGEST_LINE = 10 << 20  # bytes of one line that a program writes
TAIL = 4096  # bytes of what it wrote to standard error, that are kept
_PASSED_ON = ("PATH", "HOME", "LANG", "TMPDIR")  # and LC_*


def environment(*more: str) -> dict[str, str]:
    """What a program needs to run, and the variables that were meant for it."""
    wanted = {*_PASSED_ON, *more}
    return {name: value for name, value in os.environ.items() if name in wanted or name.startswith("LC_")}


def start(command: Sequence[str], folder: str, variables: Mapping[str, str]) -> subprocess.Popen[bytes]:
    """The program, running in `folder` with three unbuffered pipes. Raises OSError, ValueError where it cannot be started."""
    return watched(
        lambda: subprocess.Popen(
            list(command),
            cwd=folder or None,
            env=dict(variables),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,
            start_new_session=True,
        )
    )


def kill_group(process: subprocess.Popen[bytes]) -> None:
    """End the program and all that it started, at once."""
    kill_tree(process.pid)
    forget(process.pid)


def how_it_ended(code: int, tail: str) -> str:
    """`ended with exit code 3: …`; `tail` is the end of what it wrote to standard error, without the secrets that are known."""
    from ragtriage.secret_texts import hidden_text

    how = f"was killed by signal {-code}" if code < 0 else f"ended with exit code {code}"
    tail = hidden_text(tail).strip()  # before it is cut: a secret is told by what stands before it
    return f"{how}: …{tail[-160:]}" if len(tail) > 160 else f"{how}: {tail}" if tail else how
