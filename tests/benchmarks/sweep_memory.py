"""The most memory that a sweep over 50,000 chunks holds, against a single evaluation of the same corpus.

Both begin with empty caches but for the vectors, which are random and lie there already: no model is started.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from pathlib import Path

import numpy as np
from tests.benchmarks.harness import Bench, Figure, at_least, at_most, environment, info

from ragtriage.project import Project
from ragtriage.search.vectors_cache import VectorCache, key_of

DOCUMENTS, PARAGRAPHS, WORDS = 1000, 50, 40
QUESTIONS = 50
SIZE = 170
GRID = {"--size": (SIZE, 250, 400), "--overlap": (0, 20), "--mode": ("hybrid", "bm25", "dense")}
AT_ONCE = 5000
DIMENSIONS = 384
MEASURE = """import sys
from ragtriage_tui.cli import main
code = main(sys.argv[1:])
lines = open("/proc/self/status", encoding="ascii").read().splitlines()
print(next(line.split()[1] for line in lines if line.startswith("VmHWM")), file=sys.stderr)
sys.exit(code)
"""


def run(bench: Bench) -> list[Figure]:
    if not Path("/proc/self/status").exists():
        raise RuntimeError("the peak of a process is read from /proc")
    folder = _project(bench.fresh("copies/sweep-memory"))
    vectors = bench.fresh("memory-vectors") / "vectors.sqlite"
    chunks = _fill(folder, vectors)
    single = _peak(bench, vectors, "eval", folder, "--answers", "none", "--json")
    words = [word for axis, values in GRID.items() for word in (axis, ",".join(map(str, values)))]
    swept = _peak(bench, vectors, "sweep", folder, *words, "--no-confirm", "--json")
    return [
        at_least("chunks", chunks, 50_000),
        at_most(
            "peak memory of a sweep: x that of one evaluation", swept / single, 1.5, note=f"{swept:.0f} of {single:.0f} MiB"
        ),
        info("peak memory of a sweep", swept, "MiB"),
        info("peak memory of an evaluation", single, "MiB"),
    ]


def _project(folder: Path) -> Path:
    rng = random.Random(50_000)
    vocabulary = ["".join(rng.choices("abcdefghiklmnoprstuvw", k=rng.randint(3, 9))) for _ in range(5000)]
    common = vocabulary[:200]
    (folder / "docs").mkdir()
    (folder / "evals").mkdir()
    questions = []
    with (folder / "docs" / "pages.jsonl").open("w", encoding="utf-8") as handle:
        for number in range(DOCUMENTS):
            parts = [
                " ".join(rng.choice(common if rng.random() < 0.5 else vocabulary) for _ in range(WORDS))
                for _ in range(PARAGRAPHS)
            ]
            handle.write(json.dumps({"id": f"page{number}", "title": vocabulary[number], "text": "\n\n".join(parts)}) + "\n")
            if number % (DOCUMENTS // QUESTIONS) == 0:
                quote = " ".join(rng.choice(parts).split()[5:20])
                question = {"qid": f"q{number}", "question": quote, "evidence": [{"doc": f"page{number}", "quote": quote}]}
                questions.append(json.dumps(question) + "\n")
    (folder / "evals" / "golden.jsonl").write_text("".join(questions), encoding="utf-8")
    (folder / "ragtriage.toml").write_text(f"[chunking]\nsize = {SIZE}\nheading_prefix = false\n", encoding="utf-8")
    return folder


def _fill(folder: Path, path: Path) -> int:
    """Random vectors of all that the configurations index and ask, in a file; how many chunks the one in use has."""
    rng = np.random.default_rng(1)
    cache = VectorCache(path)
    counts = []
    for size in GRID["--size"]:
        for overlap in GRID["--overlap"]:
            project = Project.open(folder, overrides=[f"chunking.size={size}", f"chunking.overlap={overlap}"])
            texts = [*project.chunks.indexed_texts(), *(question.question for question in project.golden.questions)]
            counts.append(len(project.chunks))
            for start in range(0, len(texts), AT_ONCE):
                some = texts[start : start + AT_ONCE]
                matrix = rng.standard_normal((len(some), DIMENSIONS))
                matrix /= np.linalg.norm(matrix, axis=1, keepdims=True)
                keys = [key_of(project.encoder.fingerprint, text) for text in some]
                cache.put(dict(zip(keys, matrix.astype(np.float16), strict=True)))
            project.close()
    cache.close()
    return counts[0]


def _peak(bench: Bench, vectors: Path, *words: str | Path) -> float:
    """MiB that a whole process held at most, by the system's own count; its caches begin with the vectors alone."""
    home = bench.fresh("memory-home")
    (home / "cache").mkdir()
    os.link(vectors, home / "cache" / "vectors.sqlite")
    command = [sys.executable, "-c", MEASURE, *map(str, words)]
    done = subprocess.run(command, env=environment(RAGTRIAGE_HOME=str(home)), capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"{words}: exit code {done.returncode}: {done.stderr[-2000:]}")
    return int(done.stderr.split()[-1]) / 1024
