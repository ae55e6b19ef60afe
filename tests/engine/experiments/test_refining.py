"""Where the configuration in use is the best of a coarse grid, the values between it and its neighbours may be better still."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.engine.experiments.projects import make

from ragtriage.experiments.grid import grid_of
from ragtriage.experiments.sweep import sweep

CONFIG = '[chunking]\nsize = 80\nheading_prefix = false\n[retrieval]\nmode = "bm25"\nk = 3\npool = 20\n'


def test_refining_around_the_one_in_use(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAGTRIAGE_HOME", str(tmp_path / "home"))
    project = make(tmp_path / "project", config=CONFIG)
    grid = grid_of({"size": [2, 4]}, project.config)
    coarse = sweep(project, grid)
    assert coarse.winner is None
    fine = sweep(project, grid, refine=True)
    assert [row.candidate.config.chunking.size for row in fine.rows] == [80, 4, 2, 42]
    project.close()
