"""A sweep of 27 configurations beside what it cannot do without: embedding each distinct text once, and 27 warm evaluations.

The documents of the sets are cut anew, so that their questions are labelled with whole documents here.
"""

from __future__ import annotations

import csv
import json
import shutil
import subprocess
import time
from collections.abc import Iterator, Sequence
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

from tests.benchmarks.harness import Absent, Bench, Figure, Times, at_least, at_most, environment, info, seconds

from ragtriage.config import EmbeddingConfig
from ragtriage.project import Project
from ragtriage.search.encoder_process import EncoderProcess
from ragtriage.types import no_progress

STRATEGIES = ("fixed", "recursive", "small_to_big")
SIZES = (128, 256, 512)
OVERLAPS = (0, 16, 32)
WARM = 5  # evaluations that are timed
NAIVE = 3  # configurations that are measured in caches of their own
REPORTED = (("recursive",), (128, 256), (0,))  # of cranfield: all 27 would take most of an hour


class Grid(NamedTuple):
    """The values of each axis; the first value of each is the configuration in use."""

    strategies: Sequence[str]
    sizes: Sequence[int]
    overlaps: Sequence[int]

    @property
    def words(self) -> list[str]:
        sizes, overlaps = (",".join(map(str, values)) for values in (self.sizes, self.overlaps))
        return ["--strategy", ",".join(self.strategies), "--size", sizes, "--overlap", overlaps]

    def settings(self) -> Iterator[list[str]]:
        """The `--set` of each configuration."""
        for strategy, size, overlap in product(self.strategies, self.sizes, self.overlaps):
            yield [
                f"chunking.strategy={strategy}",
                f"chunking.size={size}",
                f"chunking.overlap={overlap}",
                f"chunking.child_size={size // 4}",
            ]


def run(bench: Bench) -> list[Figure]:
    figures = _measured(bench, "mongodb-faq", Grid(STRATEGIES, SIZES, OVERLAPS), limit=1.1)
    try:
        figures += _measured(bench, "cranfield", Grid(*REPORTED), limit=None)
    except Absent as absent:
        figures.append(info(f"cranfield: {absent}", 0))
    return figures


def _measured(bench: Bench, name: str, grid: Grid, *, limit: float | None) -> list[Figure]:
    folder = _project(bench, name, grid)
    home = bench.fresh(f"sweep-home/{name}")
    env = environment(RAGTRIAGE_HOME=str(home))
    texts, questions = _union(folder, grid)
    alone = [_embedding_alone(home, [*texts, *questions])]
    started = time.perf_counter()
    document = _json(bench.command("sweep", folder, *grid.words, "--no-confirm", "--json"), env)
    took = time.perf_counter() - started
    alone.append(_embedding_alone(home, [*texts, *questions]))
    embedding = Times(tuple(alone)).median
    eval_command = bench.command("eval", folder, "--json")
    seconds(eval_command, env=env)
    warm = Times(tuple(seconds(eval_command, env=env) for _ in range(WARM))).median
    count = len(list(grid.settings()))
    parts = f"{embedding:.1f} s embedding {len(texts) + len(questions):,} texts + {count} x {warm:.2f} s"
    allowed = embedding + count * warm
    note = f"{took:.1f} s of {allowed:.1f} s: {parts}"
    ratio = took / allowed
    what = f"{name}: sweep of {count}, x embedding each text once and as many warm evals"
    figures = [
        at_least(f"{name}: rows of the sweep", len(document["rows"]), count),
        at_most(
            f"{name}: texts embedded beyond the union of the configurations'", _encoded(folder) - len(texts) - len(questions), 0
        ),
        at_least(f"{name}: of the union embedded", _encoded(folder) / (len(texts) + len(questions)), 1.0),
        at_most(what, ratio, limit, note=note) if limit is not None else info(what, ratio, note=note),
    ]
    naive = _naive(bench, folder, grid)
    figures.append(info(f"{name}: {NAIVE} configurations one by one, each in empty caches", naive, "s"))
    figures.append(info(f"{name}: the sweep's share for as many", took * min(NAIVE, count) / count, "s"))
    return figures


def _project(bench: Bench, name: str, grid: Grid) -> Path:
    """The set as a project whose documents are cut, with a golden set of whole documents."""
    source = bench.set(name)
    folder = bench.fresh(f"copies/sweep-{name}")
    (folder / "docs").mkdir()
    (folder / "evals").mkdir()
    shutil.copyfile(source / "corpus.jsonl", folder / "docs" / "corpus.jsonl")
    relevant: dict[str, list[str]] = {}
    with (source / "qrels.tsv").open(encoding="utf-8", newline="") as handle:
        for row in csv.DictReader(handle, delimiter="\t"):
            if float(row["score"]) > 0:
                relevant.setdefault(row["query-id"], []).append(row["corpus-id"])
    lines = []
    with (source / "queries.jsonl").open(encoding="utf-8") as handle:
        for query in map(json.loads, handle):
            evidence = [{"doc": name} for name in relevant.get(query["_id"], [])]
            label: dict[str, Any] = {"evidence": evidence, "needs": "any"} if evidence else {"answerable": False}
            lines.append(json.dumps({"qid": query["_id"], "question": query["text"], **label}) + "\n")
    (folder / "evals" / "golden.jsonl").write_text("".join(lines), encoding="utf-8")
    own = next(grid.settings())
    keys = "\n".join(f"{key} = {json.dumps(int(value) if value.isdigit() else value)}" for key, value in map(_setting, own))
    (folder / "ragtriage.toml").write_text(f"[chunking]\n{keys}\n", encoding="utf-8")
    return folder


def _setting(text: str) -> tuple[str, str]:
    key, _, value = text.partition("=")
    return key.removeprefix("chunking."), value


def _union(folder: Path, grid: Grid) -> tuple[list[str], list[str]]:
    """The distinct texts that the configurations index, and the distinct questions that are none of them."""
    texts: dict[str, None] = {}
    questions: dict[str, None] = {}
    for settings in grid.settings():
        project = Project.open(folder, overrides=settings)
        texts.update(dict.fromkeys(project.chunks.units.indexed_texts()))
        questions = dict.fromkeys(question.sent for question in project.golden.questions)
        project.close()
    return list(texts), [question for question in questions if question not in texts]


def _embedding_alone(home: Path, texts: Sequence[str]) -> float:
    encoder = EncoderProcess(EmbeddingConfig(), cache=home / "cache")
    started = time.perf_counter()
    try:
        encoder.encode(texts, no_progress)
        return time.perf_counter() - started
    finally:
        encoder.close()


def _encoded(folder: Path) -> int:
    """The texts that all trials sent through the model."""
    trials = (folder / ".ragtriage" / "sweeps" / "trials").glob("*/timings.jsonl")
    return sum(int(json.loads(line)["encoded"]) for path in trials for line in path.read_bytes().splitlines())


def _naive(bench: Bench, folder: Path, grid: Grid) -> float:
    """Seconds of evaluating some configurations one by one as if there were no cache, spread over the grid."""
    settings = list(grid.settings())
    chosen = settings[:: max(1, len(settings) // NAIVE)][:NAIVE]
    took = 0.0
    for place, some in enumerate(chosen):
        home = bench.fresh(f"naive-home/{place}")
        words = [word for one in some for word in ("--set", one)]
        took += seconds(bench.command("eval", folder, *words, "--json"), env=environment(RAGTRIAGE_HOME=str(home)))
    return took


def _json(command: Sequence[str], env: dict[str, str]) -> Any:
    done = subprocess.run(command, env=env, capture_output=True)
    if done.returncode:
        raise RuntimeError(f"{command}: exit code {done.returncode}: {done.stderr.decode('utf-8', 'replace')[-2000:]}")
    return json.loads(done.stdout)
