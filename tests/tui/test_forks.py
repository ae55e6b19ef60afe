"""A command that is forked says, writes and ends as one that is started."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from tests.tui.conftest import Command
from tests.tui.forks import Forks

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="commands are forked on Linux only")


@pytest.mark.parametrize("words", [("search", "refunds"), ("nonsense",), ("show", b"\xff"), ("golden", "check")])
def test_it_is_as_one_that_is_started(ragtriage: Command, words: tuple[str, ...]) -> None:
    ragtriage(*words)
    started = ragtriage(*words, fresh=True)
    assert ragtriage(*words) == started
    assert started.out or started.err


def test_it_reads_what_is_written_to_it_and_has_its_own_folder_and_surroundings(
    forks: Forks, project: Path, home: Path, tmp_path: Path
) -> None:
    surroundings = {"RAGTRIAGE_HOME": str(tmp_path / "own")}
    report = b'{"question": "may i send goods back"}\n'
    assert forks.run(["import", "-"], cwd=project, stdin=report, env=surroundings, timeout=60).code == 0
    assert "may i send goods back" in (project / "evals" / "inbox.jsonl").read_text(encoding="utf-8")
    assert forks.run(["eval"], cwd=project, stdin=b"", env=surroundings, timeout=60).code == 0
    assert (tmp_path / "own").is_dir()
    assert not home.exists()


def test_one_that_takes_too_long_is_an_error_and_leaves_nobody(project: Path) -> None:
    with Forks() as own:
        with pytest.raises(TimeoutError):
            own.run(["eval"], cwd=project, stdin=b"", env={}, timeout=0.001)
        assert own._server.wait(30) == -9


def test_what_a_fork_ends_with_is_told(forks: Forks, project: Path) -> None:
    done = forks.run(["show", "nothing"], cwd=project, stdin=b"", env={"RAGTRIAGE_HOME": str(project)}, timeout=60)
    alone = subprocess.run([sys.executable, "-m", "ragtriage_tui", "show", "nothing"], cwd=project, capture_output=True)
    assert (done.code, done.err) == (alone.returncode, alone.stderr)
