"""The inbox under two processes and under kill -9: no report is doubled and none is lost."""

from __future__ import annotations

import random
import subprocess
import sys
import time
from pathlib import Path

from tests.soak import rounds

from ragtriage.inbox.log import InboxLog

_WRITER = """
import itertools, sys
from pathlib import Path
from ragtriage.inbox.log import InboxLog
from ragtriage.inbox.reading import read_reports
path, name, count = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
inbox = InboxLog(path)
def say(what):
    sys.stdout.write(what + "\\n")
    sys.stdout.flush()
for number in range(count) if count else itertools.count():
    refs = (f"{name}{number}", f"shared{number}")
    rows = "".join(f'{{"ref": "{ref}", "text": "report {ref} {"x" * (number * 131 % 3000)}"}}\\n' for ref in refs)
    added = inbox.add(read_reports(rows.encode(), "rows").reports)
    ids = {one.ref: one.id for one in added.new + added.known}
    own, shared = (ids[ref] for ref in refs)
    say(f"report {own}")
    say(f"report {shared}")
    say(f"change {inbox.set(own, 'duplicate', 'q1', by=name).id} {own}")
    inbox.set(shared, "dismissed", by=name)
    if number % 3 == 2:
        inbox.undo(by=name)
"""


def _start(path: Path, name: str, count: int) -> subprocess.Popen[str]:
    return subprocess.Popen([sys.executable, "-c", _WRITER, str(path), name, str(count)], stdout=subprocess.PIPE, text=True)


def test_two_imports_at_once_double_nothing(tmp_path: Path) -> None:
    count = rounds(25, 300)
    path = tmp_path / "inbox.jsonl"
    writers = [_start(path, name, count) for name in "ab"]
    for writer in writers:
        writer.communicate()
    assert [writer.returncode for writer in writers] == [0, 0]
    inbox = InboxLog(path)
    assert inbox.problems() == []
    items = inbox.current()
    refs = [item.report.ref for item in items]
    assert sorted(refs) == sorted(f"{name}{number}" for name in ("a", "b", "shared") for number in range(count))
    assert {(item.state, item.qid) for item in items if item.report.ref[0] in "ab"} == {("duplicate", "q1")}
    open_ = {item.report.ref for item in items if item.state == "open"}
    assert open_ <= {f"shared{number}" for number in range(2, count, 3)}
    assert path.read_bytes().count(b"\n") == len(refs) + 2 * (2 * count + count // 3)


def test_what_an_import_confirmed_is_there_after_kill_9(tmp_path: Path) -> None:
    rng = random.Random(6)
    path = tmp_path / "inbox.jsonl"
    said: list[str] = []
    for kill in range(rounds(3, 150)):
        with _start(path, f"w{kill}-", 0) as process:
            pipe = process.stdout
            assert pipe is not None
            said.append(pipe.readline().strip())
            time.sleep(rng.uniform(0, 0.05))
            process.kill()
            said += [line.strip() for line in pipe if line.endswith("\n")]
    inbox = InboxLog(path)
    assert inbox.problems() == []
    items = {item.report.id: item for item in inbox.current()}
    for line in said:
        word, first, *rest = line.split(" ")
        if word == "report":
            assert first in items
        else:
            assert first in {change.id for change in inbox.history(rest[0])}
    InboxLog(path).add([])
    assert [one.name for one in tmp_path.iterdir() if not one.name.endswith(".tmp")] == ["inbox.jsonl"]
