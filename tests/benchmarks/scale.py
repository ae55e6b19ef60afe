"""The embedded engine over 10,000, 100,000 and 1,000,000 chunks whose vectors are there: time and memory of an evaluation.

A BEIR folder of made-up texts, one chunk each, with vectors in clusters; nothing is embedded. RAGTRIAGE_SCALE names other
numbers of chunks, such as 20000,100000.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from tests.benchmarks.harness import REPOSITORY, Bench, Figure, at_most, environment, info

SIZES = (10_000, 100_000, 1_000_000)
QUESTIONS = (50, 1_000, 10_000)
MEASURED = 1_000  # questions at every size; the other numbers at the middle one
DIMENSION = 384
CLUSTERS = 1_000
LARGE = 100_000
_AT_ONCE = 10_000  # rows made at once
_WORDS = 30_000


def run(bench: Bench) -> list[Figure]:
    sizes = [int(text) for text in os.environ.get("RAGTRIAGE_SCALE", "").split(",") if text] or list(SIZES)
    out: list[Figure] = []
    for size in sizes:
        folder = bench.root / "scale" / str(size)
        make(folder, size, max(QUESTIONS) if size == 100_000 else MEASURED)
        for questions in QUESTIONS if size == 100_000 else (MEASURED,):
            built = measured(folder, questions)  # indexes are built, once
            out += figures(size, measured(folder, questions), built)
    return out


def figures(size: int, found: dict[str, Any], built: dict[str, Any]) -> list[Figure]:
    """What is said of one size and number of questions."""
    matrix = size * DIMENSION * 2 / 2**20
    allowed = 1.5 * matrix + 1024
    name = f"{size:,} chunks, {found['questions']:,} questions"
    parts = "; ".join(f"{part} {took:.1f} s" for part, took in found["seconds"].items())
    peaks = "; ".join(f"{part} {peak:,.0f}" for part, peak in built["peaks_mb"].items())
    whole = sum(found["seconds"].values())
    each = found["seconds"]["evaluate"] / found["questions"] * 1000
    speeds = f"{found['hybrid_ms']:.2f} ms of {found['raw_ms']:.2f} ms"
    against = partial(at_most, limit=1.3) if size >= LARGE else info  # below, half a millisecond of ours is half of it all
    return [
        info(f"{name}: failed", found["failed"], "", f"recall@5 {found['recall']:.3f}"),
        at_most(f"{name}: peak memory, warm", found["peak_mb"], allowed, "MB", f"the matrix is {matrix:,.0f} MB"),
        at_most(f"{name}: peak memory, everything built", built["peak_mb"], allowed, "MB", peaks),
        against(f"{name}: p50 hybrid x raw Tantivy + usearch", found["hybrid_ms"] / found["raw_ms"], note=speeds),
        info(f"{name}: a question", each, "ms", f"whole process {whole:.1f} s: {parts}"),
    ]


def measured(folder: Path, questions: int) -> dict[str, Any]:
    """What one process found."""
    words = [sys.executable, "-m", "tests.benchmarks.scale_child", str(folder), str(questions)]
    env = environment(RAGTRIAGE_HOME=str(folder / "home"))
    done = subprocess.run(words, cwd=REPOSITORY, env=env, capture_output=True)
    if done.returncode:
        raise RuntimeError(f"{words}: exit code {done.returncode}: {done.stderr.decode('utf-8', 'replace')[-2000:]}")
    return dict(json.loads(done.stdout))


def make(folder: Path, chunks: int, questions: int) -> None:
    """The set, unless it is there: texts of 40 to 80 words as frequent as those of a language; of each question words and
    vector are near those of the chunk that answers it."""
    if (folder / "done").exists():
        return
    folder.mkdir(parents=True, exist_ok=True)
    rng = np.random.default_rng(chunks)
    vocabulary = [f"{''.join(rng.choice(list('etaoinshrdlu'), size=rng.integers(3, 10)))}" for _ in range(_WORDS)]
    centres = rng.standard_normal((CLUSTERS, DIMENSION), dtype=np.float32)
    answers = rng.choice(chunks, size=min(questions, chunks), replace=False)
    asked = {int(row): place for place, row in enumerate(answers)}
    matrix = np.lib.format.open_memmap(folder / "matrix.npy", "w+", np.float16, (chunks, DIMENSION))
    near = np.empty((len(answers), DIMENSION), np.float16)
    sentences = [""] * len(answers)
    with open(folder / "corpus.jsonl", "w", encoding="utf-8") as corpus:
        for start in range(0, chunks, _AT_ONCE):
            rows = range(start, min(start + _AT_ONCE, chunks))
            vectors = _unit(centres[rng.integers(CLUSTERS, size=len(rows))] + _noise(rng, len(rows), 0.7))
            matrix[rows.start : rows.stop] = vectors
            for row, text in zip(rows, _texts(rng, vocabulary, len(rows)), strict=True):
                corpus.write(json.dumps({"_id": f"d{row:07}", "text": text}) + "\n")
                if (place := asked.get(row)) is not None:
                    near[place] = _unit(vectors[row - start] + _noise(rng, 1, 0.02)[0])
                    sentences[place] = " ".join(sorted(set(text.split()), key=len)[-8:])
    matrix.flush()
    np.save(folder / "questions.npy", near)
    with open(folder / "queries.jsonl", "w", encoding="utf-8") as queries:
        for place, text in enumerate(sentences):
            queries.write(json.dumps({"_id": f"q{place:05}", "text": f"{text} {place}"}) + "\n")
    lines = "".join(f"q{place:05}\td{row:07}\t1\n" for place, row in enumerate(answers.tolist()))
    (folder / "qrels.tsv").write_text("query-id\tcorpus-id\tscore\n" + lines, encoding="utf-8")
    (folder / "done").touch()


def _texts(rng: np.random.Generator, vocabulary: list[str], count: int) -> Iterator[str]:
    lengths = rng.integers(40, 81, size=count)
    drawn = (np.minimum(rng.zipf(1.3, size=int(lengths.sum())), _WORDS) - 1).tolist()
    at = 0
    for length in lengths.tolist():
        yield " ".join([vocabulary[word] for word in drawn[at : at + length]])
        at += length


def _noise(rng: np.random.Generator, count: int, share: float) -> np.ndarray:
    return share * rng.standard_normal((count, DIMENSION), dtype=np.float32)


def _unit(vectors: np.ndarray) -> np.ndarray:
    return np.asarray(vectors / np.linalg.norm(vectors, axis=-1, keepdims=True))
