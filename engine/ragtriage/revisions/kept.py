"""Runs of committed revisions, kept in the cache: the same files measured in the same way are not measured twice."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

import orjson

from ragtriage.json_lines import load_json
from ragtriage.measure.results import QuestionResult, Run
from ragtriage.stored import read_blob, write_blob

__all__ = ["keep_run", "kept_run"]

_FOLDER = "revisions"
_KEEP = 100  # runs, of all projects


def kept_run(cache: Path, key: str) -> Run | None:
    """The run kept under `key`; None where there is none that reads."""
    path = _path(cache, key)
    payload = read_blob(path)
    if payload is None:
        return None
    try:
        head, *lines = bytes(payload).splitlines()
        stored = orjson.loads(head)
        questions = tuple(QuestionResult.from_dict(load_json(line)) for line in lines)
        run = Run(stored["id"], stored["manifest"], questions)
    except (ValueError, KeyError, TypeError, AttributeError):
        return None
    with contextlib.suppress(OSError):
        os.utime(path)  # the oldest in use go first
    return run


def keep_run(cache: Path, key: str, run: Run) -> None:
    """Keep `run` under `key`, and only so many of them. Where the cache takes nothing, nobody is told."""
    try:
        head = orjson.dumps({"id": run.id, "manifest": dict(run.manifest)}, option=orjson.OPT_APPEND_NEWLINE)
    except TypeError:  # a name with half a character in it
        return
    write_blob(_path(cache, key), head + b"".join(run.lines))
    with contextlib.suppress(OSError):
        found = sorted((cache / _FOLDER).glob("*.run"), key=lambda path: path.stat().st_mtime_ns, reverse=True)
        for path in found[_KEEP:]:
            path.unlink(missing_ok=True)


def _path(cache: Path, key: str) -> Path:
    return cache / _FOLDER / f"{key}.run"
