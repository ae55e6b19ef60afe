"""One evaluation over planted vectors in a process of its own: times of each part, and the most memory it ever had.

python -m tests.benchmarks.scale_child FOLDER QUESTIONS

Memory is VmHWM: everything resident at once, pages of mapped files included, such as those of the matrix.
"""

from __future__ import annotations

import json
import sys
import time
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from ragtriage.measure.evaluate import evaluate
from ragtriage.project import Project
from ragtriage.search.dense import DenseIndex
from ragtriage.search.pipeline import Query

DEPTH = 100
TIMED = 300


def peak_mb() -> float:
    """VmHWM of this process in MB."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    return int(next(line for line in status.splitlines() if line.startswith("VmHWM")).split()[1]) / 1024


class Watch:
    """Seconds and peak memory of each part."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self.peaks: dict[str, float] = {}
        self._started = time.perf_counter()

    def lap(self, name: str) -> None:
        now = time.perf_counter()
        self.seconds[name], self._started = now - self._started, now
        self.peaks[name] = peak_mb()


def main(folder: Path, questions: int) -> None:
    watch = Watch()
    project = Project.open(folder)
    watch.lap("import")
    count = len(project.corpus.documents)
    watch.lap("read")
    chunks = project.chunks
    watch.lap("cut")
    asked = [question.sent for question in project.golden.questions][:questions]
    vectors = np.load(folder / "questions.npy", mmap_mode="r")
    project.indexes._asked.update(zip(asked, vectors[: len(asked)], strict=True))
    given = partial(np.load, folder / "matrix.npy", mmap_mode="r")  # gone when the index is built: its pages are not ours
    DenseIndex.open_or_build(chunks.units, project.indexes._identity, given, cache=project.cache)
    watch.lap("vectors")
    project.indexes.lexical("en")
    watch.lap("bm25")
    only = [question.qid for question in project.golden.questions[:questions]]
    run = evaluate(project, only=only, answers="none", store=False)
    watch.lap("evaluate")
    found = {
        "chunks": count,
        "questions": len(run.questions),
        "failed": sum(question.status == "failed" for question in run.questions),
        "recall": run.manifest["metrics"]["recall@5"]["value"],
        "seconds": watch.seconds,
        "peaks_mb": watch.peaks,
        "peak_mb": peak_mb(),
        **latency(project, asked[:TIMED]),
    }
    print(json.dumps(found))


def latency(project: Project, asked: list[str]) -> dict[str, Any]:
    """Milliseconds of a hybrid search, and of the least that gives a hybrid ranking, in turns."""
    from tests.benchmarks.query_latency import Raw

    retriever = project.system.retriever
    dense = project.indexes.built_dense()
    if dense is None:
        raise RuntimeError("the vectors are not there")
    known = project.indexes._asked
    raw = Raw(project.indexes.lexical("en"), dense._matrix, np.stack([known[text] for text in asked]))
    took: dict[str, list[float]] = {"raw": [], "hybrid": []}
    for place, text in enumerate(asked):
        for name, search in (("raw", partial(raw.search, place, text)), ("hybrid", partial(retriever.search, [Query(text)]))):
            started = time.perf_counter()
            search()
            took[name].append((time.perf_counter() - started) * 1000)
    return {f"{name}_ms": float(np.median(values)) for name, values in took.items()}


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
