"""One byte changed in any cache file: the same questions.jsonl, or one clear message. Never another number."""

from __future__ import annotations

import contextlib
import hashlib
import os
import random
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from tests.engine.corpus.test_pdf import pdf
from tests.faults.conftest import PAGES, QUESTIONS, MakeProject, write_project
from tests.faults.processes import questions_file, ragtriage
from tests.soak import rounds

from ragtriage.errors import RagtriageError
from ragtriage.measure.evaluate import evaluate
from ragtriage.project import Project
from ragtriage.search import encoder_process
from ragtriage.types import Progress

HYBRID = "[retrieval]\nk = 2\n"
MORE = {f"more/page-{number}.md": f"# Page {number}\n\nWords about topic {number} and nothing else.\n" for number in range(30)}


class WordEncoder:
    """Stands for the encoder process: vectors from a hash of each word. Asks for nothing that a cache holds."""

    fingerprint = "words-1"
    window = 256

    def __init__(self, *args: object, **kwargs: object) -> None: ...

    def start(self) -> None: ...

    def close(self) -> None: ...

    def encode(self, texts: Sequence[str], progress: Progress) -> np.ndarray:
        out = np.zeros((len(texts), 64), np.float32)
        for row, text in enumerate(texts):
            for word in text.lower().split() or [""]:
                out[row] += np.frombuffer(hashlib.sha512(word.encode("utf-8", "replace")).digest(), np.int8)
        return (out / np.linalg.norm(out, axis=1, keepdims=True)).astype(np.float16)


def _cache_files(cache: Path) -> list[Path]:
    return sorted(path for path in cache.rglob("*") if path.is_file() and path.stat().st_size)


def _flip(path: Path, rng: random.Random) -> str:
    """Change one byte in place; size, time and inode stay. Returns what was done, for the message."""
    stat = path.stat()
    place, change = rng.randrange(stat.st_size), rng.randrange(1, 256)
    with open(path, "r+b") as handle:
        handle.seek(place)
        byte = handle.read(1)[0]
        handle.seek(place)
        handle.write(bytes([byte ^ change]))
    os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns))
    return f"{path.name}[{place}] ^= {change}"


def test_a_changed_byte_in_every_cache_file(tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAGTRIAGE_HOME", str(home))
    monkeypatch.setattr(encoder_process, "EncoderProcess", WordEncoder)
    pages = PAGES | MORE | {"guide.pdf": pdf(["The reader is installed by hand.", "It holds 300 pages."])}
    root = write_project(tmp_path / "handbook", pages, QUESTIONS, HYBRID)

    def measured() -> bytes:
        project = Project.open(root)
        try:
            return questions_file(root, evaluate(project).id)
        finally:
            project.close()

    expected = measured()
    assert measured() == expected
    cache = home / "cache"
    folders = {path.parent.relative_to(cache).parts[:1] for path in _cache_files(cache)}
    assert {("corpus",), ("chunks",), ("lexical",), ("vectors",), ()} <= folders, "every kind of cache is there"
    rng = random.Random(8)
    for _ in range(rounds(3, 300)):
        for path in _cache_files(cache):
            if not path.exists():  # rebuilt under another name
                continue
            done = _flip(path, rng)
            with contextlib.suppress(RagtriageError):  # a message is fine, if it heals
                assert measured() == expected, done
                continue
            assert measured() == expected, f"{done}: not healed"


def test_a_file_cut_short_or_emptied(tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAGTRIAGE_HOME", str(home))
    monkeypatch.setattr(encoder_process, "EncoderProcess", WordEncoder)
    root = write_project(tmp_path / "handbook", PAGES, QUESTIONS, HYBRID)

    def measured() -> bytes:
        project = Project.open(root)
        try:
            return questions_file(root, evaluate(project).id)
        finally:
            project.close()

    expected = measured()
    for fraction in (0.0, 0.5, 0.99):
        for path in _cache_files(home / "cache"):
            if not path.exists():
                continue
            os.truncate(path, int(path.stat().st_size * fraction))
            assert measured() == expected, (path.name, fraction)


def test_whole_processes_over_broken_caches(make_project: MakeProject, home: Path) -> None:
    root = make_project(PAGES | {"guide.pdf": pdf(["The reader is installed by hand."])})

    def measured() -> bytes:
        return questions_file(root, ragtriage("eval", "--json", cwd=root, home=home).json["run"])

    expected = measured()
    rng = random.Random(9)
    for _ in range(rounds(1, 10)):
        broken = [_flip(path, rng) for path in _cache_files(home / "cache")]
        assert measured() == expected, broken
    ragtriage("search", "refunds", "--plain", cwd=root, home=home)
