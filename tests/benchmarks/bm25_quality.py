"""BM25's nDCG@10 on every set at hand, beside bm25s on the same texts, measured by the same evaluation."""

from __future__ import annotations

from tests.benchmarks.baselines import PlainBm25, measured_with
from tests.benchmarks.harness import Bench, Figure, at_least

from ragtriage.project import Project

# name, files left out, floor: what the set must reach in itself
SETS: tuple[tuple[str, tuple[str, ...], float | None], ...] = (
    ("cranfield", (), 0.36),
    ("mongodb-faq", (), 0.69),
    ("clapnq-dev", (), None),
    ("chunking-eval", (), None),  # whole documents, quotes at offsets
    ("chunking-eval", ("documents.jsonl", "corpora"), None),  # the ready cut
)


def run(bench: Bench) -> list[Figure]:
    figures = []
    for name, without, floor in SETS:
        folder = bench.copy_of(name, without=without)
        shown = f"{name} (ready cut)" if without else name
        project = Project.open(folder, overrides=["retrieval.mode=bm25"])
        ours = measured_with(project)
        project.__dict__["system"] = PlainBm25(project)
        theirs = measured_with(project)
        if floor is not None:
            figures.append(at_least(f"{shown}: BM25 nDCG@10", ours, floor))
        figures.append(
            at_least(f"{shown}: nDCG@10 less that of bm25s", ours - theirs, -0.01, note=f"{ours:.4f} and {theirs:.4f}")
        )
    return figures
