"""Hybrid ranking by either fusion against the better of BM25 and vectors alone."""

from __future__ import annotations

from pathlib import Path
from statistics import fmean

from tests.benchmarks.baselines import measured_with
from tests.benchmarks.harness import Absent, Bench, Figure, at_least, info

from ragtriage.project import Project

SETS = ("cranfield", "mongodb-faq", "clapnq-dev", "chunking-eval")
LIMITED = ("cranfield", "mongodb-faq")  # the limits are for these and for sets that are not at hand
LIMITS = {"rrf": (0.01, -0.02), "zscore": (0.03, -0.005)}


def run(bench: Bench) -> list[Figure]:
    gains: dict[str, dict[str, float]] = {fusion: {} for fusion in LIMITS}
    figures = []
    for name in SETS:
        try:
            folder = bench.set(name)
        except Absent:
            continue
        single = {mode: _measured(folder, f"retrieval.mode={mode}") for mode in ("bm25", "dense")}
        for fusion in LIMITS:
            value = _measured(folder, "retrieval.mode=hybrid", f"retrieval.fusion={fusion}")
            gains[fusion][name] = value - max(single.values())
            note = f"{value:.4f}; bm25 {single['bm25']:.4f}, dense {single['dense']:.4f}"
            figures.append(info(f"{name}: {fusion} less the better single mode", gains[fusion][name], note=note))
    for fusion, (mean, worst) in LIMITS.items():
        every = list(gains[fusion].values())
        some = [gain for name, gain in gains[fusion].items() if name in LIMITED]
        if not some:
            raise Absent(f"neither {' nor '.join(LIMITED)} is on this machine")
        figures.append(at_least(f"{fusion}, mean over {' and '.join(LIMITED)}", fmean(some), mean))
        figures.append(at_least(f"{fusion}, worst of them", min(some), worst))
        figures.append(info(f"{fusion}, mean over all sets at hand", fmean(every), note=f"worst {min(every):.4f}"))
    return figures


def _measured(folder: Path, *overrides: str) -> float:
    project = Project.open(folder, overrides=overrides)
    try:
        return measured_with(project)
    finally:
        project.close()
