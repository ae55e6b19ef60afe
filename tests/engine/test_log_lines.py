"""Files of one JSON object a line."""

from __future__ import annotations

import json
import threading
from pathlib import Path

import pytest

from ragtriage.log_lines import append_line, append_lines, parse_log, read_log


def test_appending_ends_an_unended_line_first(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    append_lines(path, [])
    assert not path.exists()
    path.write_bytes(b'{"a": 1}')
    append_lines(path, [{"a": 2}, {"a": 3}])
    assert path.read_bytes() == b'{"a": 1}\n{"a":2}\n{"a":3}\n'


def test_what_cannot_be_written_appends_nothing(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    with pytest.raises(TypeError):
        append_lines(path, [{"a": 1}, {"a": object()}])
    assert not path.exists()


def test_threads_that_append_at_once_lose_nothing(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"

    def work(name: int) -> None:
        for number in range(20):
            append_line(path, [name, number])

    threads = [threading.Thread(target=work, args=(name,)) for name in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    written = [tuple(json.loads(line)) for line in path.read_bytes().splitlines()]
    assert sorted(written) == [(name, number) for name in range(4) for number in range(20)]


def test_a_log_is_read_with_every_problem_by_line(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    assert read_log(path) == ([], [])
    path.write_bytes(
        b'{"a": 1}\r\n\n[1]\n"x"\n3\nnull\ntrue\nnope\n<<<<<<< HEAD\n||||||| base\n=======\r\n>>>>>>> b\n======= no\n{"a": 2}'
    )
    lines, problems = read_log(path)
    assert [(line.line, line.value) for line in lines] == [(1, {"a": 1}), (14, {"a": 2})]
    assert [problem.line for problem in problems] == list(range(3, 14))
    said = [problem.message for problem in problems]
    assert said[:5] == [
        f"a JSON object is needed, this is {what}" for what in ("a list", "a string", "a number", "null", "true or false")
    ]
    assert all("merge conflict" in message for message in said[6:10])
    assert said[10].startswith("not JSON: ")
    assert all("line 1" not in message for message in said)  # the problem has the line
    (broken,) = parse_log(b'\xef\xbb\xbf{"a" 1}', "log")[1]
    assert broken.message.startswith("not JSON: ")
    assert broken.message.endswith(" at column 6")
    (unreadable,) = read_log(tmp_path)[1]
    assert "cannot be read" in unreadable.message
