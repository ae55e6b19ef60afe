"""A process killed at any moment of its writing: what it had confirmed is there, and every file can be read."""

from __future__ import annotations

import random
import subprocess
import sys
import time
from pathlib import Path

from tests.soak import rounds

from ragtriage.golden.file import append_question, read_golden
from ragtriage.triage.reviews import ReviewLog
from ragtriage.triage.verdicts import VerdictLog

WRITER = Path(__file__).with_name("writer.py")


def _killed(folder: Path, name: str, after_s: float) -> list[str]:
    """What one writer confirmed before it was killed, `after_s` seconds after its first word."""
    with subprocess.Popen([sys.executable, str(WRITER), str(folder), name], stdout=subprocess.PIPE, text=True) as process:
        pipe = process.stdout
        if pipe is None:
            raise RuntimeError("the writer has no pipe")
        first = pipe.readline()
        time.sleep(after_s)
        process.kill()
        return [first.strip(), *(line.strip() for line in pipe if line.endswith("\n"))]


def test_every_confirmed_write_is_there_and_every_file_parses(tmp_path: Path) -> None:
    rng = random.Random(11)
    wanted = rounds(60, 1000)
    said: list[str] = []
    kills = 0
    while len(said) < wanted or kills < rounds(8, 200):
        said += _killed(tmp_path, f"w{kills}", rng.uniform(0, 0.05))
        kills += 1

    golden = read_golden(tmp_path / "golden.jsonl")
    verdicts, reviews = VerdictLog(tmp_path / "verdicts.jsonl"), ReviewLog(tmp_path / "reviews.jsonl")
    assert golden.problems == ()
    assert verdicts.problems() == []
    assert reviews.problems() == []
    events = {
        "label": {event.id for event in verdicts.events()},
        "review": {event.id for event in reviews.events()},
    }
    for word, name in (line.split(" ") for line in said):
        if word in events:
            assert name in events[word]
            continue
        question = golden.get(name)
        assert question is not None
        if word == "save":
            assert question.question == f"saved {name}"

    append_question(tmp_path / "golden.jsonl", {"qid": "last", "question": "and then?"})
    verdicts.record("last", "misused", by="test")
    reviews.record("last", "41be", {"correct": True}, by="test")
    names = sorted(one.name for one in tmp_path.iterdir())
    assert names == ["golden.jsonl", "reviews.jsonl", "verdicts.jsonl"], "no file is left half written"
