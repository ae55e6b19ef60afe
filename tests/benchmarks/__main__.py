"""`python -m tests.benchmarks [NAME…] [--json FILE]`: measure, print a table and a JSON document. Never part of the tests.

Each module here that has a `run` is a benchmark of that name. `--list` names them.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import platform
import sys
import time
from pathlib import Path

from tests.benchmarks.harness import Absent, Bench, Figure

NAMES = (
    "bm25_quality", "code_pages", "fusion_quality", "chunking_strategies", "first_demo", "warm_eval", "score_files", "one_edit",
    "embedding_speed", "query_latency",
    "app_frame", "refusal_threshold", "human_pairs", "answers_cost", "near_equal", "compare_cost", "review_cost",
    "add_latency", "scale", "sweep_cost", "sweep_memory",
)  # fmt: skip
"""In the order they run: quality first, since it fills the caches that the times need."""


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m tests.benchmarks", description="measure ragtriage beside what it stands on"
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help="only these: " + ", ".join(NAMES))
    parser.add_argument("--json", metavar="FILE", help="write the figures into a file rather than after the table")
    parser.add_argument("--list", action="store_true", help="the names of the benchmarks")
    args = parser.parse_args()
    if args.list:
        print(*NAMES, sep="\n")
        return 0
    unknown = [name for name in args.names if name not in NAMES]
    if unknown:
        parser.error(f"no benchmark is called {', '.join(unknown)}")
    bench = Bench()
    found: dict[str, list[Figure]] = {}
    failed: dict[str, str] = {}
    try:
        for name in args.names or NAMES:
            started = time.monotonic()
            try:
                found[name] = importlib.import_module(f"tests.benchmarks.{name}").run(bench)
            except Absent as absent:
                failed[name] = f"not measured: {absent}"
            except Exception as error:  # one benchmark that breaks must not hide the others
                failed[name] = f"failed: {type(error).__name__}: {error}"
            print(_block(name, found.get(name, ()), failed.get(name, ""), time.monotonic() - started), flush=True)
    finally:
        bench.close()
    document = json.dumps(_document(found, failed), indent=1)
    if args.json:
        Path(args.json).write_text(document + "\n", encoding="utf-8")
    else:
        print(document)
    return 1 if any(text.startswith("failed") for text in failed.values()) else 0


def _block(name: str, figures: list[Figure] | tuple[()], failed: str, took: float) -> str:
    lines = [f"{name}  ({took:.0f} s)"]
    for figure in figures:
        verdict = {True: "met", False: "NOT MET", None: ""}[figure.met]
        value = f"{figure.value:,.4g}" if abs(figure.value) < 1000 else f"{figure.value:,.0f}"
        lines.append(f"  {figure.what:<64} {value:>9} {figure.unit:<8} {figure.limit:<9} {verdict:<8} {figure.note}".rstrip())
    if failed:
        lines.append(f"  {failed}")
    return "\n".join(lines)


def _document(found: dict[str, list[Figure]], failed: dict[str, str]) -> dict[str, object]:
    machine = {"python": platform.python_version(), "machine": platform.machine(), "cores": os.cpu_count()}
    return {
        "format": 1,
        "machine": machine,
        "figures": [{"benchmark": name, **figure._asdict()} for name, figures in found.items() for figure in figures],
        "failed": failed,
    }


if __name__ == "__main__":
    sys.exit(main())
