"""`ragtriage sweep --adopt`: the winner is written into the configuration file, and what was written is said."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.engine.experiments.projects import make
from tests.tui.conftest import Command

GRID = ("--size", "10,400", "--no-confirm")


@pytest.fixture
def swept(tmp_path: Path) -> Path:
    root = tmp_path / "swept"
    make(root, config='# ours\n[chunking]\nsize = 10 # tokens\n\n[retrieval]\nmode = "bm25"\nk = 3\npool = 20\n')
    return root


def test_the_winner_of_this_sweep_is_written(swept: Path, ragtriage: Command) -> None:
    done = ragtriage("sweep", *GRID, "--adopt", cwd=swept)
    assert done.code == 0
    assert "recursive(size=400) was written to ragtriage.toml: chunking.size 10 → 400." in done.err
    said = " ".join(done.err.split())
    assert "Against recursive(size=10): " in said
    assert " won, 0 lost of 8 at k, recall@3 +" in said
    text = (swept / "ragtriage.toml").read_text(encoding="utf-8")
    assert text.startswith("# ours\n[chunking]\nsize = 400 # tokens\n")


def test_the_winner_of_the_newest_sweep_is_written_without_measuring(swept: Path, ragtriage: Command) -> None:
    ragtriage("sweep", *GRID, cwd=swept)
    done = ragtriage("sweep", "--adopt", cwd=swept)
    assert done.code == 0
    assert "1 of" not in done.err
    assert "size = 400 #" in (swept / "ragtriage.toml").read_text(encoding="utf-8")
    again = ragtriage("sweep", "--adopt", cwd=swept)
    assert again.code == 2
    assert "ragtriage.toml says that already: nothing was written" in again.err


def test_where_nothing_wins_nothing_is_written(swept: Path, ragtriage: Command) -> None:
    before = (swept / "ragtriage.toml").read_bytes()
    done = ragtriage("sweep", "--k", "3", "--set", "chunking.size=400", "--size", "10", "--no-confirm", "--adopt", cwd=swept)
    assert done.code == 0
    assert "Nothing beats the configuration in use" in done.err
    assert "Nothing was written." in " ".join(done.err.split())
    assert (swept / "ragtriage.toml").read_bytes() == before


def test_what_the_command_line_has_set_otherwise_is_said(swept: Path, ragtriage: Command) -> None:
    ragtriage("sweep", *GRID, cwd=swept)
    done = ragtriage("sweep", "--adopt", "--set", "chunking.size=99", cwd=swept)
    assert done.code == 0
    assert "What --set says of chunking.size goes before the file, here and now." in " ".join(done.err.split())
