"""What the benchmarks share: figures with their limits, whole processes timed in turns, the sets and their copies."""

from __future__ import annotations

import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

__all__ = [
    "Absent",
    "Bench",
    "Figure",
    "Times",
    "at_least",
    "at_most",
    "environment",
    "info",
    "interleaved",
    "ratio",
    "seconds",
]

REPOSITORY = Path(__file__).resolve().parents[2]
IMPORT = [sys.executable, "-c", "import sentence_transformers"]
"""The measuring stick: machines differ, ratios to this hardly do."""


class Absent(Exception):
    """Something that a benchmark needs is not on this machine."""


class Figure(NamedTuple):
    """One measured value. `met` is None where there is no limit."""

    what: str
    value: float
    unit: str = ""
    limit: str = ""
    met: bool | None = None
    note: str = ""


def info(what: str, value: float, unit: str = "", note: str = "") -> Figure:
    """A figure without a limit, to compare with."""
    return Figure(what, value, unit, note=note)


def at_least(what: str, value: float, limit: float, unit: str = "", note: str = "") -> Figure:
    return Figure(what, value, unit, f">= {limit:g}", value >= limit, note)


def at_most(what: str, value: float, limit: float, unit: str = "", note: str = "") -> Figure:
    return Figure(what, value, unit, f"<= {limit:g}", value <= limit, note)


class Times(NamedTuple):
    """Seconds (or another unit) of several runs."""

    all: tuple[float, ...]

    @property
    def median(self) -> float:
        return statistics.median(self.all)

    @property
    def least(self) -> float:
        return min(self.all)


def interleaved(candidates: Mapping[str, Callable[[], float]], rounds: int) -> dict[str, Times]:
    """Each candidate in turn, `rounds` times over: what disturbs the machine disturbs all of them alike."""
    found: dict[str, list[float]] = {name: [] for name in candidates}
    for _ in range(rounds):
        for name, run in candidates.items():
            found[name].append(run())
    return {name: Times(tuple(values)) for name, values in found.items()}


def ratio(ours: Times, theirs: Times) -> tuple[float, str]:
    """The ratio of the medians, and a note with that of the minima and what was divided."""
    note = (
        f"minima {ours.least / theirs.least:.3f}; {ours.median:.3f} s of {theirs.median:.3f} s, "
        f"minima {ours.least:.3f} s of {theirs.least:.3f} s, {len(ours.all)} runs"
    )
    return ours.median / theirs.median, note


def environment(**more: str) -> dict[str, str]:
    """As users have it: compiled modules are kept, and nothing is said about colours."""
    kept = {key: value for key, value in os.environ.items() if key not in ("PYTHONDONTWRITEBYTECODE", "PYTHONUNBUFFERED")}
    return kept | more


def seconds(command: Sequence[str | Path], *, cwd: Path | None = None, env: Mapping[str, str] | None = None) -> float:
    """How long a whole process takes. Raises RuntimeError with what it wrote where it fails."""
    started = time.perf_counter()
    done = subprocess.run(command, cwd=cwd, env=dict(env or environment()), capture_output=True)
    took = time.perf_counter() - started
    if done.returncode:
        raise RuntimeError(f"{command}: exit code {done.returncode}: {done.stderr.decode('utf-8', 'replace')[-2000:]}")
    return took


class Bench:
    """A folder of this run's own: RAGTRIAGE_HOME, copies of sets. RAGTRIAGE_BENCH_HOME keeps it from run to run."""

    def __init__(self) -> None:
        kept = os.environ.get("RAGTRIAGE_BENCH_HOME")
        self._temporary = None if kept else tempfile.TemporaryDirectory(prefix="ragtriage-bench-")
        self.root = Path(kept or getattr(self._temporary, "name", "")).absolute()
        self.home = self.root / "home"
        os.environ["RAGTRIAGE_HOME"] = str(self.home)

    def close(self) -> None:
        if self._temporary is not None:
            self._temporary.cleanup()

    def fresh(self, name: str) -> Path:
        """An empty folder."""
        folder = self.root / name
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        return folder

    def set(self, name: str) -> Path:
        """A shared set where it lies; nothing is written there. Raises Absent."""
        root = os.environ.get("RAGTRIAGE_DATA")
        folder = (Path(root) if root else REPOSITORY.parent / "shared" / "data") / name
        if not folder.is_dir():
            raise Absent(f"the set {name} is not on this machine")
        return folder

    def copy_of(self, name: str, *, without: Sequence[str] = ()) -> Path:
        """A copy of a set or of `sample_corpus`, whose runs go into the copy."""
        source = REPOSITORY / name if name == "sample_corpus" else self.set(name)
        if not source.is_dir():
            raise Absent(f"{source} is not there")
        target = self.fresh(f"copies/{name}")
        hidden = shutil.ignore_patterns(".*", *without)
        shutil.copytree(source, target, dirs_exist_ok=True, ignore=hidden, copy_function=shutil.copyfile)
        for folder in (target, *(path for path in target.rglob("*") if path.is_dir())):
            folder.chmod(0o755)  # the sets themselves may be closed to writing
        return target

    @staticmethod
    def command(*words: str | Path) -> list[str]:
        """The console script as it is installed, or the module where it is not."""
        script = Path(sys.executable).with_name("ragtriage")
        start = [str(script)] if script.exists() else [sys.executable, "-m", "ragtriage_tui"]
        return [*start, *map(str, words)]

    def json(self, *words: str | Path) -> Any:
        """What a command with --json prints. Raises RuntimeError where it fails."""
        done = subprocess.run(self.command(*words, "--json"), env=environment(), capture_output=True)
        if done.returncode:
            raise RuntimeError(f"{words}: exit code {done.returncode}: {done.stderr.decode('utf-8', 'replace')[-2000:]}")
        return json.loads(done.stdout)
