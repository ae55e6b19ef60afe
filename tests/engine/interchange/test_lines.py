from __future__ import annotations

import gzip
import os
from pathlib import Path

import pytest

from ragtriage.errors import InputError
from ragtriage.interchange.lines import SHOWN, Faults, blocks


def read(path: Path) -> tuple[list[tuple[int, bytes]], Faults]:
    faults = Faults(str(path))
    return [(block.first + at, line) for block in blocks(path, faults) for at, line in enumerate(block.lines)], faults


@pytest.mark.parametrize("end", [b"", b"\n"])
def test_lines_are_numbered_through_all_blocks(tmp_path: Path, end: bytes) -> None:
    lines = [b"%d %s" % (number, b"x" * (number % 97)) for number in range(1, 9001)]
    path = tmp_path / "a"
    path.write_bytes(b"\n".join(lines) + end)
    found, faults = read(path)
    assert found == list(enumerate(lines, start=1))
    assert faults.problems == ()


def test_gzip_is_told_by_its_content(tmp_path: Path) -> None:
    path = tmp_path / "plain.txt"
    path.write_bytes(gzip.compress(b"\xef\xbb\xbf1 0 a 1\n2 0 b 1\n"))
    assert read(path)[0] == [(1, b"1 0 a 1"), (2, b"2 0 b 1")]


@pytest.mark.parametrize("damage", ["cut", "bit"])
def test_a_damaged_gzip_is_one_message(tmp_path: Path, damage: str) -> None:
    data = bytearray(gzip.compress(os.urandom(5000)))
    if damage == "cut":
        del data[3000:]
    else:
        data[-6] ^= 1
    path = tmp_path / "a.gz"
    path.write_bytes(data)
    with pytest.raises(InputError, match=r"a\.gz: cannot be read: "):
        read(path)


def test_a_line_without_end_is_left_out_and_named(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"1\n" + b"x" * 700_000 + b"\n3\n" + b"y" * 100_000)
    found, faults = read(path)
    assert [line for _, line in found] == [b"1", b"3"]
    assert [problem.line for problem in faults.problems] == [2, 4]
    assert found[1][0] == 3


@pytest.mark.parametrize("kind", ["missing", "folder", "pipe", "utf-16"])
def test_what_is_no_file_of_lines_is_said_at_once(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "a"
    if kind == "folder":
        path.mkdir()
    elif kind == "pipe":
        os.mkfifo(path)
    elif kind == "utf-16":
        path.write_bytes("1 0 a 1\n".encode("utf-16"))
    with pytest.raises(InputError, match=str(path)):
        read(path)


def test_the_first_problems_are_kept_and_all_are_counted() -> None:
    faults = Faults("f")
    for line in range(1, 1001):
        faults.bad(line, "no")
        faults.note(line, "hm")
    told = list(map(str, faults.problems))
    assert told[:SHOWN] == [f"f:{line}: no" for line in range(1, SHOWN + 1)]
    assert told[SHOWN:] == [f"f: {1000 - SHOWN:,} more lines cannot be used", "f:1: hm (1,000 such, this is the first)"]
    assert [problem.severity for problem in faults.problems[-2:]] == ["error", "warning"]
