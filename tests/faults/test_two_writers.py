"""Two processes at one project's files at the same time: nothing of either is lost."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.soak import rounds

from ragtriage.golden.file import read_golden
from ragtriage.triage.reviews import ReviewLog
from ragtriage.triage.verdicts import VerdictLog

_ADD = """
import sys
from pathlib import Path
from ragtriage.golden.file import append_question
from ragtriage.triage.verdicts import VerdictLog
folder, name, count = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
verdicts = VerdictLog(folder / "verdicts.jsonl")
for number in range(count):
    append_question(folder / "golden.jsonl", {"qid": f"{name}{number}", "question": f"question {number} of {name}"})
    if number % 10 == 0:
        verdicts.record(f"{name}{number}", "misused", by=name)
"""


def test_two_processes_that_add_at_once_lose_nothing(tmp_path: Path) -> None:
    count = rounds(60, 500)
    writers = [subprocess.Popen([sys.executable, "-c", _ADD, str(tmp_path), name, str(count)]) for name in "ab"]
    assert [writer.wait() for writer in writers] == [0, 0]
    golden = read_golden(tmp_path / "golden.jsonl")
    assert golden.problems == ()
    assert {question.qid for question in golden.questions} == {f"{name}{number}" for name in "ab" for number in range(count)}
    for name in "ab":
        own = [question.qid for question in golden.questions if question.qid[0] == name]
        assert own == [f"{name}{number}" for number in range(count)]
    assert len(VerdictLog(tmp_path / "verdicts.jsonl").events()) == 2 * len(range(0, count, 10))


_REVIEW = """
import sys
from pathlib import Path
from ragtriage.triage.reviews import ReviewLog
folder, name, count = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
reviews = ReviewLog(folder / "reviews.jsonl")
for number in range(count):
    reviews.record(f"q{number}", f"{name}{number}", {"correct": True}, by=name)
    reviews.record(f"q{number}", f"shared{number}", {"correct": name == "a"}, by=name)
    if number % 5 == 4:
        reviews.undo(by=name)
        reviews.redo(by=name)
        reviews.undo(by=name)
"""


def test_two_people_who_review_at_once_lose_nothing(tmp_path: Path) -> None:
    count = rounds(40, 500)
    writers = [subprocess.Popen([sys.executable, "-c", _REVIEW, str(tmp_path), name, str(count)]) for name in "ab"]
    assert [writer.wait() for writer in writers] == [0, 0]
    reviews = ReviewLog(tmp_path / "reviews.jsonl")
    assert reviews.problems() == []
    assert len(reviews.events()) == 2 * (2 * count + 3 * (count // 5))
    current = reviews.current()
    own = {f"{name}{number}" for name in "ab" for number in range(count)}
    shared = {f"shared{number}" for number in range(count) if number % 5 != 4}
    assert set(current) == own | shared, "of the last of each five both took their own review back"
