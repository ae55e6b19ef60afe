"""Ends a process group with all that its processes started, also what has made a group or session of its own.

Standard library only, and nothing of ours: the guard runs this file by itself. What was left behind by a process that has
ended already, and is in no group of its, is nobody's child any more and is not found.
"""

from __future__ import annotations

import contextlib
import os
import signal

__all__ = ["kill_tree"]


def kill_tree(group: int) -> None:
    """Kill the group and the descendants of the process that leads it. Where there is no /proc, the group alone."""
    try:
        os.killpg(group, signal.SIGSTOP)  # nothing is started while it is looked for
    except OSError:  # nobody is in it, and its number may be that of somebody else's process by now
        return
    others = _below(group)
    with contextlib.suppress(OSError):
        os.killpg(group, signal.SIGKILL)
    for process in others:
        with contextlib.suppress(OSError):
            os.kill(process, signal.SIGKILL)


def _below(process: int) -> list[int]:
    """The descendants of a process, each before its own, and each stopped before these are looked for."""
    out: list[int] = []
    left = [process]
    while left:
        found: list[int] = []
        one = left.pop()
        with contextlib.suppress(OSError, ValueError):
            for thread in os.listdir(f"/proc/{one}/task"):  # noqa: PTH208 - the guard starts without pathlib
                with open(f"/proc/{one}/task/{thread}/children", encoding="ascii") as file:
                    found += map(int, file.read().split())
        for child in found:
            with contextlib.suppress(OSError):
                os.kill(child, signal.SIGSTOP)
        out += found
        left += found
    return out
