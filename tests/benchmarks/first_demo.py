"""The first `ragtriage demo --plain` of a machine: empty caches, the sample copied, read, cut, indexed, measured."""

from __future__ import annotations

import contextlib
import subprocess
import time
from functools import partial
from pathlib import Path

from tests.benchmarks.harness import IMPORT, Bench, Figure, at_most, environment, interleaved, ratio, seconds

ROUNDS = 5


def run(bench: Bench) -> list[Figure]:
    command = bench.command("demo", "--plain")

    def first() -> float:
        return seconds(command, env=environment(RAGTRIAGE_HOME=str(bench.fresh("first-home"))))

    figures = [at_most("encoder processes started", _encoders(bench, command), 0)]
    seconds(IMPORT)
    times = interleaved({"import": partial(seconds, IMPORT), "demo": first}, ROUNDS)
    value, note = ratio(times["demo"], times["import"])
    return [*figures, at_most("first demo: x import sentence_transformers", value, 0.25, note=note)]


def _encoders(bench: Bench, command: list[str]) -> int:
    """How many children a first demo has, looked at every few milliseconds. Linux only."""
    env = environment(RAGTRIAGE_HOME=str(bench.fresh("first-home")))
    seen: set[str] = set()
    with subprocess.Popen(command, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
        while process.poll() is None:
            with contextlib.suppress(OSError):
                seen |= set(children.read_text(encoding="ascii").split())
            time.sleep(0.002)
    return len(seen)
