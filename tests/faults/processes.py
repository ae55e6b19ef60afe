"""`ragtriage` as a real process, and what must be true of whatever it says."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

__all__ = ["COMMAND", "Done", "calm", "children", "questions_file", "ragtriage", "surroundings"]

COMMAND = [sys.executable, "-X", "utf8", "-m", "ragtriage_tui"]
# what a terminal would obey: controls but the line end, and marks that turn the direction of text
OBEYED = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")
_CRASHED = re.compile(r"Traceback|panicked|unexpected [A-Z]\w+:|Exception ignored|Fatal Python|Segmentation")


class Done(NamedTuple):
    """A finished command."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


def surroundings(home: Path, **more: str) -> dict[str, str]:
    """The environment of a command whose caches and runs are under `home`."""
    return os.environ | {"RAGTRIAGE_HOME": str(home), "RAGTRIAGE_AUTHOR": "somebody", "PYTHONWARNINGS": "error"} | more


def ragtriage(
    *words: str | bytes | Path, cwd: Path, home: Path, stdin: str = "", env: Mapping[str, str] | None = None, **popen: Any
) -> Done:
    """Run one command to its end and check that it was calm."""
    done = subprocess.run(
        [*COMMAND, *words],
        cwd=cwd,
        input=stdin.encode("utf-8", "surrogateescape"),
        capture_output=True,
        timeout=300,
        env=surroundings(home, **(env or {})),
        **popen,
    )
    return calm(Done(done.returncode, done.stdout.decode(), done.stderr.decode()))


def calm(done: Done) -> Done:
    """No traceback, no panic, nothing a terminal would obey, and one of the exit codes there are."""
    said = done.out + done.err
    assert not _CRASHED.search(said), said[-3000:]
    assert done.code in (0, 2, 3), (done.code, said[-3000:])
    assert not (found := OBEYED.search(said)), said[max(0, found.start() - 60) : found.start() + 60].encode()
    assert done.code == 0 or done.err.strip() or done.out.strip(), "it fails without a word"
    return done


def questions_file(project: Path, run: str) -> bytes:
    """The stored questions of a run, as they are on disk."""
    return (project / ".ragtriage" / "runs" / run / "questions.jsonl").read_bytes()


def children(pid: int) -> list[int]:
    """The living children of a process. Linux only: elsewhere there are none."""
    try:
        words = Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii").split()
    except OSError:
        return []
    return [int(word) for word in words]
