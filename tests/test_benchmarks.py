"""What a benchmark counts is its own: caches that other benchmarks filled do not enter it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from tests.benchmarks import review_cost
from tests.benchmarks.harness import Bench


def test_a_review_is_measured_in_a_home_where_nothing_is_embedded_yet(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = tmp_path / "data" / "cranfield"
    source.mkdir(parents=True)
    _lines(source / "corpus.jsonl", [{"_id": "d1", "title": "Wings", "text": "A wing lifts."}])
    _lines(source / "queries.jsonl", [{"_id": "q1", "text": "what lifts?"}])
    (source / "qrels.tsv").write_text("query-id\tcorpus-id\tscore\nq1\td1\t1\n", encoding="utf-8")
    monkeypatch.setenv("RAGTRIAGE_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("RAGTRIAGE_BENCH_HOME", str(tmp_path / "kept"))
    monkeypatch.setenv("RAGTRIAGE_HOME", str(tmp_path / "kept" / "home"))  # a bench sets it; here it is set back
    homes: list[Path] = []
    filled: list[bool] = []

    def command(bench: Bench, folder: Path, words: str, home: Path) -> Any:
        homes.append(home)
        filled.append((home / "cache").exists())
        (home / "cache").mkdir(exist_ok=True)
        (folder / ".ragtriage").mkdir(exist_ok=True)
        return review_cost._Done(1.0, {"encoded": 0})

    def timed(command: Sequence[str | Path], *, cwd: Path | None = None, env: Mapping[str, str]) -> float:
        homes.append(Path(env["RAGTRIAGE_HOME"]))
        return 1.0

    monkeypatch.setattr(review_cost, "_json", command)
    monkeypatch.setattr(review_cost, "seconds", timed)
    bench = Bench()
    for _ in range(2):  # the second time, everything of the first is there
        homes.clear()
        filled.clear()
        review_cost.run(bench)
        assert filled[:3] == [False, True, False]  # the base, the review of the head beside it, the head alone
        assert bench.home not in homes
        assert len(set(homes)) == 2


def _lines(path: Path, rows: Sequence[Mapping[str, str]]) -> None:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
