"""After editing one of 1,400 documents: how much is embedded, and how long the whole eval takes."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path

from tests.benchmarks.harness import IMPORT, Bench, Figure, Times, at_most, interleaved, seconds

ROUNDS = 3


def run(bench: Bench) -> list[Figure]:
    folder = bench.copy_of("cranfield")
    command = bench.command("eval", folder, "--json")
    seconds(command)
    seconds(IMPORT)
    embedded: list[int] = []

    def edited() -> float:
        _edit(folder, len(embedded))
        took = seconds(command)
        embedded.append(_newest_encoded(folder))
        return took

    times = interleaved({"edited": edited, "warm": partial(seconds, command), "import": partial(seconds, IMPORT)}, ROUNDS)
    beyond = Times(tuple(one - warm for one, warm in zip(times["edited"].all, times["warm"].all, strict=True)))
    note = (
        f"minima {beyond.least / times['import'].least:.3f}; {times['edited'].median:.2f} s edited, "
        f"{times['warm'].median:.2f} s warm, {times['import'].median:.2f} s import, {ROUNDS} runs"
    )
    return [
        at_most("texts embedded after editing one document", max(embedded), 1),
        at_most(
            "eval beyond a warm one: x import sentence_transformers", beyond.median / times["import"].median, 1.5, note=note
        ),
    ]


def _edit(folder: Path, number: int) -> None:
    """Change the text of another document each time, to one never seen before."""
    path = folder / "corpus.jsonl"
    lines = path.read_text(encoding="utf-8").splitlines()
    place = 100 + 37 * number
    document = json.loads(lines[place])
    document["text"] += f" Edited once more, for the time {path.stat().st_mtime_ns}."
    lines[place] = json.dumps(document)
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def _newest_encoded(folder: Path) -> int:
    newest = max((folder / ".ragtriage" / "runs").glob("*/run.json"), key=lambda path: path.stat().st_mtime_ns)
    return int(json.loads(newest.read_bytes())["encoded"])
