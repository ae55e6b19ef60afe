"""Nothing of the user's programs stays when ragtriage is killed, nor when it has no more use for them."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from tests.faults.conftest import write_project
from tests.processes import gone

from ragtriage.errors import SystemFailed
from ragtriage.programs.conversation import Conversation
from ragtriage.programs.tree import kill_tree

FORKS = """
import os, signal, subprocess, sys, time
file = sys.argv[1]
def note():
    with open(file, "a") as out:
        out.write(f"{os.getpid()}\\n")
for leaves in (False, True):
    if os.fork() == 0:
        for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT, signal.SIGPIPE):
            signal.signal(number, signal.SIG_IGN)
        if leaves:
            os.setsid()
        if os.fork() == 0:
            note()
        else:
            note()
        time.sleep(3600)
note()
signal.signal(signal.SIGTERM, signal.SIG_IGN)
time.sleep(3600)
"""
"""Children and theirs in the group and out of it, all deaf to what is not SIGKILL; none reads, answers or ends."""

SETTINGS = {
    "system": ("retrieval.system=command", "retrieval.command={}"),
    "reranker": ("retrieval.rerank=command", "retrieval.rerank_command={}"),
    "answers": ("answers.generator=command", "answers.command={}"),
    "judge": ("judge.provider=command", "judge.command={}"),
}


def pids(file: Path) -> list[int]:
    return [int(line) for line in file.read_text(encoding="utf-8").split()] if file.exists() else []


def wait_for(file: Path, count: int, running: subprocess.Popen[bytes] | None = None) -> None:
    for _ in range(1500):
        if len(pids(file)) >= count or (running is not None and running.poll() is not None):
            break
        time.sleep(0.02)
    assert len(pids(file)) >= count


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
@pytest.mark.parametrize("what", SETTINGS)
def test_a_kill_leaves_nothing_behind(tmp_path: Path, what: str, number: signal.Signals) -> None:
    root = write_project(tmp_path / "project")
    file = tmp_path / "pids"
    command = json.dumps([sys.executable, "-c", FORKS, str(file)])
    settings = [setting.format(command) for setting in (*SETTINGS[what], "run.timeout_s=600", "run.concurrency=1")]
    answers = ["--answers", "both", "--yes"] if what == "answers" else []
    words = ["judge", "run", "--yes"] if what == "judge" else ["eval", *answers]
    env = {**os.environ, "RAGTRIAGE_HOME": str(tmp_path / "home")}
    start = [sys.executable, "-m", "ragtriage_tui", "-C", str(root)]
    if what == "judge":
        subprocess.run([*start, "eval"], env=env, capture_output=True, check=False)
    running = subprocess.Popen(
        [*start, *words, "--trust", *(word for one in settings for word in ("--set", one))],
        env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    try:
        wait_for(file, 5, running)
    finally:
        running.send_signal(number)
        running.wait()
    assert all(map(gone, pids(file)))


def test_what_is_late_is_ended_with_all_that_it_started(tmp_path: Path) -> None:
    file = tmp_path / "pids"
    one = Conversation([sys.executable, "-c", FORKS, str(file)], str(tmp_path), timeout_s=600)

    def tick() -> None:
        if len(pids(file)) == 5:
            raise SystemFailed("enough")

    with pytest.raises(SystemFailed, match="enough"):
        one.ask({}, tick)
    assert len(pids(file)) == 5
    assert all(map(gone, pids(file)))


def test_a_number_that_is_no_groups_any_more_ends_nobody() -> None:
    starts = "import subprocess; one = subprocess.Popen(['sleep', '60']); print(one.pid, flush=True); one.wait()"
    with subprocess.Popen([sys.executable, "-c", starts], stdout=subprocess.PIPE) as other:  # it leads no group
        assert other.stdout is not None
        child = int(other.stdout.readline())
        kill_tree(other.pid)
        os.kill(child, signal.SIGKILL)
        assert other.wait() == 0  # it saw its child end; nobody ended it
