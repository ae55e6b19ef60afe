"""Anything at all as a golden file, put in form, compared and exported: never a traceback, never a lost question."""

from __future__ import annotations

import dataclasses
import random
from pathlib import Path

import pytest
from tests.faults.test_golden_fuzz import line
from tests.soak import rounds

from ragtriage.golden.base import GoldenSet
from ragtriage.golden.diff import diff_golden
from ragtriage.golden.export import as_csv, as_jsonl
from ragtriage.golden.export_tools import as_promptfoo, as_ragas
from ragtriage.golden.file import read_golden
from ragtriage.golden.fmt import format_golden
from ragtriage.types import Question

LINES = rounds(800, 5_000)


def questions(golden: GoldenSet) -> list[Question]:
    return [dataclasses.replace(question, line=0, raw={}) for question in golden.questions]


@pytest.mark.parametrize("seed", range(3))
def test_random_lines_in_form_ask_the_same(tmp_path: Path, seed: int) -> None:
    rng = random.Random(seed)
    path = tmp_path / "golden.jsonl"
    path.write_bytes(b"\n".join(line(rng) for _ in range(LINES)))
    before = read_golden(path)
    once = format_golden(path.read_bytes(), "g", fix=True)
    assert format_golden(once.data, "g", fix=True).data == once.data
    found = diff_golden(path.read_bytes(), once.data, old_name="old", new_name="new")
    assert (found.added, found.removed, found.changed) == ((), (), ())
    exported = as_jsonl(before, before.questions)
    assert as_csv(before, before.questions).count(b"\n") > len(before.questions)
    assert as_promptfoo(before.questions)
    assert as_ragas(before.questions, {}, {}).count(b"\n") == len(before.questions)
    for data in (once.data, exported):
        path.write_bytes(data)
        assert questions(read_golden(path)) == questions(before)


@pytest.mark.parametrize("seed", range(20))
def test_random_bytes(seed: int) -> None:
    data = random.Random(seed).randbytes(3_000).replace(b"\xff\xfe", b"")
    once = format_golden(data, "g", fix=True).data
    assert format_golden(once, "g", fix=True).data == once
    assert diff_golden(data, once, old_name="old", new_name="new").problems
