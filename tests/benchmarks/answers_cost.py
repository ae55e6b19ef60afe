"""What answers and their grades add to a warm `ragtriage eval`, as whole processes: with both answers, and without any."""

from __future__ import annotations

from functools import partial

from tests.benchmarks.harness import Bench, Figure, Times, at_most, info, interleaved, ratio, seconds

ROUNDS = 15
"""More than for other times: a tenth of a process is to be told from its noise."""


def run(bench: Bench) -> list[Figure]:
    sample = bench.copy_of("sample_corpus")
    commands = {mode: bench.command("eval", sample, "--answers", mode, "--json") for mode in ("none", "live", "both")}
    for command in commands.values():
        seconds(command)  # caches warm, modules compiled
    times = interleaved({mode: partial(seconds, command) for mode, command in commands.items()}, ROUNDS)
    figures = []
    for mode in ("live", "both"):
        value, note = ratio(_added(times[mode], times["none"]), times["none"])
        what = f"sample: added by --answers {mode}, x the time without"
        figures.append(at_most(what, value, 0.3, note=note) if mode == "both" else info(what, value, note=note))
    return figures


def _added(with_answers: Times, without: Times) -> Times:
    """The differences of the neighbours of each round, which the machine treated alike."""
    return Times(tuple(a - b for a, b in zip(with_answers.all, without.all, strict=True)))
