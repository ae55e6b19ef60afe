"""Anything at all as a golden file: a message with the line's number, never a traceback."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest
from tests.engine.golden.tiny import chunks_of, corpus_of
from tests.soak import rounds

from ragtriage.golden.beir import read_beir
from ragtriage.golden.file import append_question, read_golden
from ragtriage.golden.lint import check, describe
from ragtriage.triage.verdicts import VerdictLog

LINES = rounds(2_000, 10_000)
KEYS = (
    "qid", "id", "_id", "question", "q", "text", "evidence", "relevant", "relevant_ids", "relevant_chunk_ids",
    "relevant_doc_ids", "references", "source", "answerable", "kind", "split", "needs", "tags", "access", "query",
    "expected_answer",
    "answer_must_mention", "answer_must_not_mention", "doc", "quote", "prefix", "suffix", "at", "start", "end", "section",
    "page", "chunk", "chunk_sha", "also", "gain", "from", "category", "undoes", "by", "run", "seen", "note",
)  # fmt: skip
TEXTS = (
    "", " ", "d", "d#1", "d#h", "d#page=1", "d/§1", "#", "§", "all", "dev", "exact", "unanswerable", "[/x]", "\x1b[31m", "\x00",
    "\ud800", "ß" * 300, "2026-01-01T00:00:00Z", "9" * 40, "misused", "x\ny", "\u202e", "word word word 30",
)  # fmt: skip


def anything(rng: random.Random, depth: int = 0) -> Any:
    pick = rng.randrange(10 if depth < 3 else 7)
    if pick < 3:
        return rng.choice(TEXTS)
    if pick < 7:
        return rng.choice([None, True, False, 0, -1, 1, 10**30, 1.5, float("nan"), float("-inf"), "q"])
    if pick < 8:
        return [anything(rng, depth + 1) for _ in range(rng.randrange(4))]
    return {rng.choice(KEYS): anything(rng, depth + 1) for _ in range(rng.randrange(6))}


def line(rng: random.Random) -> bytes:
    pick = rng.randrange(8)
    if pick == 0:
        return rng.randbytes(rng.randrange(60)).replace(b"\n", b" ")
    if pick == 1:
        return rng.choice(
            [b"<<<<<<< HEAD", b"=======", b">>>>>>> x", b"[" * 3000, b"{" * 9, b"null", b"\xef\xbb\xbf{}", b'{"a":' * 500]
        )
    value = {rng.choice(KEYS): anything(rng) for _ in range(rng.randrange(1, 8))}
    if pick > 3:
        value = {"qid": f"q{rng.randrange(3000)}", "question": "what?", **value}
    text = json.dumps(value).encode()
    return text[: rng.randrange(len(text))] if pick == 2 else text


@pytest.fixture(scope="module")
def lines() -> list[bytes]:
    rng = random.Random(5)
    return [line(rng) for _ in range(LINES)]


def test_random_lines_are_used_or_reported_with_their_number(tmp_path: Path, lines: list[bytes]) -> None:
    path = tmp_path / "golden.jsonl"
    path.write_bytes(b"\n".join(lines))
    golden = read_golden(path)
    bad = {problem.line for problem in golden.problems if problem.severity == "error"}
    used = {question.line for question in golden.questions}
    blank = {number for number, raw in enumerate(lines, start=1) if not raw.strip()}
    assert not bad & used
    assert bad | used | blank == set(range(1, LINES + 1))
    assert all(
        problem.where == str(path) and problem.message and "Traceback" not in problem.message for problem in golden.problems
    )


def test_what_could_be_read_of_them_can_be_checked_and_added_to(tmp_path: Path, lines: list[bytes]) -> None:
    path = tmp_path / "golden.jsonl"
    path.write_bytes(b"\n".join(lines))
    corpus = corpus_of({"d": "# h\nword word word 30\n", "e": ""})
    golden = read_golden(path)
    problems = check(golden, corpus, chunks_of(corpus, {}))
    assert set(golden.problems) <= set(problems)
    assert describe(golden).questions == len(golden.questions)
    assert append_question(path, {"qid": "new", "question": "still possible?"}).line == LINES + 1
    assert path.read_bytes().startswith(b"\n".join(lines) + b"\n")


def test_random_lines_as_verdicts(tmp_path: Path, lines: list[bytes]) -> None:
    path = tmp_path / "verdicts.jsonl"
    path.write_bytes(b"\n".join(lines))
    verdicts = VerdictLog(path)
    assert {problem.line for problem in verdicts.problems()} <= set(range(1, LINES + 1))
    verdicts.record("q1", "misused", by="me")
    assert verdicts.current()["q1"].by == "me"


def test_random_lines_as_a_beir_folder(tmp_path: Path, lines: list[bytes]) -> None:
    for name in ("queries.jsonl", "qrels.tsv", "answers.jsonl", "documents.jsonl"):
        (tmp_path / name).write_bytes(b"\n".join(lines[::3]))
    golden = read_beir(tmp_path)
    assert golden.problems


@pytest.mark.parametrize("seed", range(20))
def test_random_bytes(tmp_path: Path, seed: int) -> None:
    path = tmp_path / "golden.jsonl"
    path.write_bytes(random.Random(seed).randbytes(5_000))
    assert read_golden(path).problems
