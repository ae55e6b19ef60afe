"""The runs of a project on disk: a folder each, written whole or not at all, the newest kept.

`run.json` is the manifest, `questions.jsonl` one result a line, `timings.jsonl` what differs between reruns.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import tempfile
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from ragtriage.errors import StorageError, UsageError
from ragtriage.files import atomic_write, read_file, sync_dir
from ragtriage.json_lines import dump_line, dump_pretty, load_json
from ragtriage.measure.results import QuestionResult, Run

__all__ = ["RunInfo", "RunStore", "names_a_run"]

FORMAT = 1
_NAME = re.compile(r"latest(~[0-9]{1,6})?|[0-9]{8}T[0-9A-Za-z-]*")


class RunInfo(NamedTuple):
    """A stored run without its questions."""

    id: str
    manifest: Mapping[str, Any]


class RunStore:
    """The runs below one folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def all(self) -> list[RunInfo]:
        """Every readable run, the newest first. A folder that is no run, or of a later format, is passed over."""
        try:
            with os.scandir(self.folder) as entries:
                names = sorted((entry.name for entry in entries if entry.is_dir()), reverse=True)
        except FileNotFoundError:
            return []
        found = []
        for name in names:
            if name.startswith("."):
                continue
            with contextlib.suppress(OSError, ValueError, KeyError, TypeError):
                manifest = load_json(read_file(self.folder / name / "run.json"))
                if manifest["format"] == FORMAT:
                    found.append(RunInfo(name, manifest))
        return sorted(found, key=lambda info: (str(info.manifest.get("at", "")), info.id), reverse=True)

    def newest(self, fingerprints: Mapping[str, str] | None = None) -> RunInfo | None:
        """The newest complete run: all dev questions, live and oracle. With `fingerprints`, the newest that has these."""
        for info in self.all():
            if info.manifest.get("partial"):
                continue
            if fingerprints is None or info.manifest.get("fingerprints") == dict(fingerprints):
                return info
        return None

    def find(self, name: str) -> RunInfo:
        """A run by its id, the beginning of one, `latest`, or `latest~1`: the one before it. Raises UsageError.

        A partial run has no name but its id: what few questions say is not taken for what the set says.
        """
        runs = self.all()
        if runs and (back := _back(name)) is not None:
            return self._complete(runs, name, back)
        matching = [info for info in runs if info.id == name] or [info for info in runs if info.id.startswith(name)]
        if len(matching) == 1:
            return matching[0]
        if matching:
            raise UsageError(f"{name}: names several runs: {', '.join(info.id for info in matching[:5])}")
        if not runs:
            raise UsageError(f"there is no run yet in {self.folder}; `ragtriage eval` measures")
        raise UsageError(f"{name}: no such run in {self.folder}; `ragtriage runs list` shows them")

    def passed_over(self, name: str) -> RunInfo | None:
        """The newest partial run where `name` is `latest` or one before it, and that run is newer than the newest complete."""
        if _back(name) is None:
            return None
        newest = next(iter(self.all()), None)
        return newest if newest is not None and newest.manifest.get("partial") else None

    def _complete(self, runs: Sequence[RunInfo], name: str, back: int) -> RunInfo:
        complete = [info for info in runs if not info.manifest.get("partial")]
        if back < len(complete):
            return complete[back]
        if len(complete) == len(runs):
            only = "is only 1 run" if len(runs) == 1 else f"are only {len(runs)} runs"
            raise UsageError(f"{name}: there {only} in {self.folder}")
        has = {0: "no complete run", 1: "only 1 complete run"}.get(len(complete), f"only {len(complete)} complete runs")
        partial = next(info.id for info in runs if info.manifest.get("partial"))
        raise UsageError(
            f"{name}: {self.folder} has {has}; a partial one, such as {partial}, is named by its id, and `ragtriage eval` "
            "measures all"
        )

    def load(self, run_id: str, *, rankings: bool = True) -> Run:
        """A stored run, without its questions' `hits` where `rankings` are not wanted: they are most of it.

        Raises StorageError where its files do not read.
        """
        folder = self.folder / run_id
        try:
            manifest = load_json(read_file(folder / "run.json"))
            lines = read_file(folder / "questions.jsonl").splitlines()
            questions = tuple(QuestionResult.from_dict(load_json(line), rankings=rankings) for line in lines)
            timings_path = folder / "timings.jsonl"
            timings = read_file(timings_path).splitlines() if timings_path.exists() else []
            return Run(run_id, manifest, questions, tuple(load_json(line) for line in timings))
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            raise StorageError(f"{folder}: this run cannot be read ({error}); `ragtriage eval` measures again") from error

    def save(self, run: Run) -> Run:
        """Write `run`; on disk when this returns. The id gets a suffix where it is taken. Raises StorageError."""
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            ignore = self.folder.parent / ".gitignore"
            if self.folder.parent.name == ".ragtriage" and not ignore.exists():
                atomic_write(ignore, b"*\n")
            with tempfile.TemporaryDirectory(prefix=".new-", dir=self.folder) as temporary:
                new = Path(temporary) / "run"
                new.mkdir()
                _write(new / "run.json", dump_pretty(dict(run.manifest)))
                _write(new / "questions.jsonl", b"".join(run.lines))
                (new / "timings.jsonl").write_bytes(b"".join(dump_line(dict(timing)) for timing in run.timings))
                name = self._claim(new, run.id)
            sync_dir(self.folder)
        except OSError as error:
            raise StorageError(f"{self.folder}: the run could not be stored: {error.strerror or error}") from error
        return run if name == run.id else Run(name, run.manifest, run.questions, run.timings)

    def _claim(self, new: Path, wanted: str) -> str:
        attempt = 1
        while True:
            name = wanted if attempt == 1 else f"{wanted}-{attempt}"
            try:
                new.rename(self.folder / name)
                return name
            except OSError:
                if not (self.folder / name).exists():
                    raise
                attempt += 1

    def prune(self, keep: int, protected: Collection[str] = ()) -> list[str]:
        """Remove all but the newest `keep` runs and those in `protected`; their ids are returned."""
        removed = []
        for info in self.all()[keep:]:
            if info.id not in protected:
                shutil.rmtree(self.folder / info.id, ignore_errors=True)
                removed.append(info.id)
        return removed


def names_a_run(name: str) -> bool:
    """Whether `name` is spelled as `RunStore.find` takes it, and not as git calls a commit."""
    return _NAME.fullmatch(name) is not None


def _back(name: str) -> int | None:
    """How many runs before the newest `latest~N` is; None for a name of another form."""
    head, mark, number = name.partition("~")
    if head != "latest":
        return None
    if not mark:
        return 0
    return int(number) if number.isascii() and number.isdigit() and len(number) < 7 else None


def _write(path: Path, data: bytes) -> None:
    with path.open("wb") as handle:
        handle.write(data)
        handle.flush()
        os.fsync(handle.fileno())
