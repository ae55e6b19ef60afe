"""A whole `ragtriage eval --qrels Q --run R` process over a run of 225 questions, against `import sentence_transformers`."""

from __future__ import annotations

import random
from functools import partial
from pathlib import Path

from tests.benchmarks.harness import IMPORT, Bench, Figure, at_most, info, interleaved, ratio, seconds

ROUNDS = 5
QUESTIONS, DOCUMENTS, LISTED, JUDGED = 225, 1400, 1000, 8  # as cranfield has them


def run(bench: Bench) -> list[Figure]:
    folder = bench.fresh("score-files")
    qrels, listed = _written(folder)
    commands = {
        "import": IMPORT,
        "text": bench.command("eval", "--qrels", qrels, "--run", listed),
        "json": bench.command("eval", "--qrels", qrels, "--run", listed, "--json", "--per-query"),
        "help": bench.command("eval", "--help"),
    }
    for command in commands.values():
        seconds(command)  # modules compiled, files in the page cache
    times = interleaved({name: partial(seconds, command) for name, command in commands.items()}, ROUNDS)
    figures = []
    for name in ("text", "json"):
        value, note = ratio(times[name], times["import"])
        figures.append(at_most(f"225 questions x 1000, {name}: x import sentence_transformers", value, 0.06, note=note))
    value, note = ratio(times["help"], times["import"])
    figures.append(info("eval --help: x import sentence_transformers", value, note=note))
    return figures


def _written(folder: Path) -> tuple[Path, Path]:
    generator = random.Random(20240229)
    qrels, listed = folder / "cranfield.qrels", folder / "bm25.run"
    with open(qrels, "w", encoding="utf-8") as judgements, open(listed, "w", encoding="utf-8") as lines:
        for qid in range(1, QUESTIONS + 1):
            scores = sorted((generator.uniform(0, 30) for _ in range(LISTED)), reverse=True)
            for rank, (doc, score) in enumerate(zip(generator.sample(range(DOCUMENTS), LISTED), scores, strict=True), 1):
                lines.write(f"{qid} Q0 {doc} {rank} {score:.4f} bm25\n")
            for doc in generator.sample(range(DOCUMENTS), JUDGED):
                judgements.write(f"{qid} 0 {doc} {generator.randint(0, 4)}\n")
    return qrels, listed
