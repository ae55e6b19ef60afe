"""The app on a terminal of 80x24: its first frame against a bare Textual app of four panes, and what it sends in use."""

from __future__ import annotations

import json
import os
import time
from functools import partial
from pathlib import Path

from tests.benchmarks.harness import Bench, Figure, at_most, info, interleaved, ratio
from tests.tui.pty_session import Session, plain

ROUNDS = 7
IDLE_S = 15.0  # longer than the app waits between two looks at the disk
BARE = Path(__file__).with_name("bare_app.py")
COMPILED = {"PYTHONDONTWRITEBYTECODE": "", "PYTHONUNBUFFERED": ""}


def run(bench: Bench) -> list[Figure]:
    sample = bench.copy_of("sample_corpus")
    document = bench.json("eval", sample)
    app = ["-m", "ragtriage_tui", str(sample)]
    # the frame stands with the pane titles; the list is there with the first question's words
    first = _first_words(sample, document["per_question"])
    candidates = {
        "bare": partial(_until, [str(BARE)], "pane four"),
        "frame": partial(_until, app, "Questions"),
        "list": partial(_until, app, first),
    }
    for candidate in candidates.values():
        candidate()
    times = interleaved(candidates, ROUNDS)
    frame, frame_note = ratio(times["frame"], times["bare"])
    full, full_note = ratio(times["list"], times["bare"])
    return [
        at_most("first frame: x a bare app of four panes", frame, 1.6, note=frame_note),
        info("first frame with the list in it: x the bare app", full, note=full_note),
        *_in_use(app, first),
    ]


def _first_words(sample: Path, questions: list[dict[str, object]]) -> str:
    texts = {}
    with open(sample / "evals" / "golden.jsonl", encoding="utf-8") as handle:
        for line in handle:
            texts[json.loads(line)["qid"]] = json.loads(line)["question"]
    failing = next(question for question in questions if question["suggested"])
    return str(texts[failing["qid"]])[:12]


def _until(command: list[str], words: str) -> float:
    """Seconds from the start of the process until `words` have reached the terminal."""
    started = time.perf_counter()
    with Session(80, 24, env=COMPILED, command=command) as session:
        while words.encode() not in plain(session.output):
            if time.perf_counter() - started > 20:
                raise RuntimeError(f"{words!r} never came; got {plain(session.output)[-500:]!r}")
            session.read(0.002, 0.05)
        return time.perf_counter() - started


def _in_use(app: list[str], words: str) -> list[Figure]:
    with Session(80, 24, env=COMPILED, command=app) as session:
        session.wait_for(words)
        session.read(1.0)
        opened = len(session.output)
        busy = _cpu_s(session.pid)
        idle = len(session.read(IDLE_S, IDLE_S))
        busy = (_cpu_s(session.pid) - busy) / IDLE_S * 100
        moves = [len(session.send("j")) for _ in range(8)]
        changes = [len(session.send("\t")) for _ in range(5)]
        session.send("q")
    return [
        at_most("idle: bytes sent in 15 s", idle, 0, "bytes"),
        at_most("idle: processor time (a tick of 10 ms may fall into it)", busy, 0.1, "%"),
        at_most("row move at 80x24, the largest of 8", max(moves) / 1000, 7, "kB"),
        at_most("focus change at 80x24, the largest of 5", max(changes) / 1000, 15, "kB"),
        info("sent until the app has settled", opened / 1000, "kB"),
    ]


def _cpu_s(pid: int) -> float:
    """Processor time of a process, in seconds. Linux only."""
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
