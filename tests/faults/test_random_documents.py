"""Random and half-broken bytes as documents: what can be read is read, everything else is listed, and nothing falls over."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest
from tests.engine.corpus.test_pdf import pdf
from tests.faults.conftest import PAGES, MakeProject
from tests.faults.processes import ragtriage
from tests.soak import rounds

from ragtriage.chunking.chunks import chunk_corpus
from ragtriage.chunking.tokens import tokens_of
from ragtriage.config import ChunkingConfig, CorpusConfig, EmbeddingConfig
from ragtriage.corpus.find import find
from ragtriage.corpus.reader import read_corpus
from ragtriage.search.model_files import model_folder

SUFFIXES = (".md", ".txt", ".html", ".pdf", ".jsonl")
WHOLE = {
    ".md": b"---\ntitle: T\naccess: [a]\n---\n# One\n\ntext\n\n```\ncode\n```\n\n"
    b"| a | b |\n|---|---|\n| 1 | 2 |\n\nTwo\n===\n\n- x\n  - y\n",
    ".txt": "plain text, 30 days, ünïcödé\n".encode() * 5,
    ".html": b"<html><head><title>T</title></head>"
    b"<body><h1 id=x>One</h1><p>a<b>b</p><table><tr><td>1</table><h2>Two</h2>c</body>",
    ".jsonl": b'{"id": "a", "text": "one"}\n'
    b'{"chunk_id": "a#1", "doc_id": "a", "text": "two"}\n{"_id": "b", "title": "B", "text": "x"}\n',
}


def _bytes(rng: random.Random, suffix: str, whole: dict[str, bytes]) -> bytes:
    pick = rng.randrange(5)
    if pick == 0:
        return rng.randbytes(rng.randrange(3_000))
    if pick == 1:  # text, but of nothing in particular
        return "".join(chr(rng.choice((rng.randrange(32, 127), rng.randrange(0x20, 0xD7FF), 10))) for _ in range(400)).encode()
    if pick == 2:  # a byte order mark that promises something else
        return rng.choice((b"\xff\xfe", b"\xfe\xff", b"\xef\xbb\xbf")) + whole[suffix] + b"\x00" * rng.randrange(2)
    data = bytearray(whole[suffix])
    if pick == 3:
        return bytes(data[: rng.randrange(len(data))])
    for _ in range(rng.randrange(1, 30)):
        data[rng.randrange(len(data))] = rng.randrange(256)
    return bytes(data)


@pytest.fixture(scope="module")
def whole() -> dict[str, bytes]:
    return WHOLE | {".pdf": pdf(["The first page of a real file.", "", "The third one, with 30 days."], "A title")}


def _write(folder: Path, count: int, seed: int, whole: dict[str, bytes]) -> None:
    rng = random.Random(seed)
    folder.mkdir(parents=True, exist_ok=True)
    for number in range(count):
        suffix = SUFFIXES[number % len(SUFFIXES)]
        (folder / f"r{number:05}{suffix}").write_bytes(_bytes(rng, suffix, whole))


def test_every_file_is_a_document_or_listed(tmp_path: Path, whole: dict[str, bytes]) -> None:
    count = rounds(250, 6_000)
    _write(tmp_path / "docs", count, 21, whole)
    config = CorpusConfig(access_key="access")
    corpus = read_corpus(tmp_path / "docs", config, cache=tmp_path / "cache")
    names = {f"r{number:05}{SUFFIXES[number % 5]}" for number in range(count)}
    told = {document.source for document in corpus.documents} | {item.source for item in corpus.skipped}
    told |= {Path(problem.where).name for problem in corpus.problems}
    assert names <= told
    chunks = chunk_corpus(corpus, ChunkingConfig(), tokens=tokens_of(model_folder(EmbeddingConfig())), cache=tmp_path / "cache")
    for row in range(len(chunks)):
        chunk = chunks[row]
        assert chunks.document_of(row).text[chunk.span.start : chunk.span.end] == chunks.text(row)
    nested = ChunkingConfig("small_to_big", 60, child_size=16)
    small = chunk_corpus(corpus, nested, tokens=tokens_of(model_folder(EmbeddingConfig())), cache=tmp_path / "cache")
    assert small.unit_parents is not None
    assert set(small.unit_parents.tolist()) == set(range(len(small)))
    assert all(small.units.document_of(row) is small.document_of(parent) for row, parent in enumerate(small.unit_parents))
    find(corpus, "a")
    again = read_corpus(tmp_path / "docs", config, cache=tmp_path / "cache")
    assert (again.fingerprint, again.problems, again.skipped) == (corpus.fingerprint, corpus.problems, corpus.skipped)


def test_whole_processes_over_random_documents(make_project: MakeProject, home: Path, whole: dict[str, bytes]) -> None:
    root = make_project()
    clean = ragtriage("eval", "--json", cwd=root, home=home).json
    _write(root / "docs" / "random", rounds(100, 1_000), 22, whole)
    result = ragtriage("eval", "--json", cwd=root, home=home).json
    assert [one["qid"] for one in result["per_question"]] == [one["qid"] for one in clean["per_question"]]
    for question in result["per_question"]:
        assert all(item["how"] == "exact" for item in question["ladder"]), "the readable pages are still there"
    assert result["documents"] > len(PAGES)
    assert result["skipped"]
    doctor = ragtriage("doctor", "--json", cwd=root, home=home)
    json.loads(doctor.out)
    ragtriage("eval", "--plain", cwd=root, home=home)
    ragtriage("find", "30 days", "--json", cwd=root, home=home)


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_a_corpus_of_nothing_readable(make_project: MakeProject, home: Path, suffix: str) -> None:
    root = make_project({f"only{suffix}": random.Random(3).randbytes(4_000)})
    done = ragtriage("eval", "--plain", cwd=root, home=home)
    assert f"only{suffix}" in done.out + done.err
